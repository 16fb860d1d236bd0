"""Ratings that were gathered with another tool, as a study like any other.

`studies.external` reads files into ratings; `scales` says what values there are, `collecting`
checks each rating as it comes, `writing` makes the study. All of the files come in, or none.
"""
