"""Files that leave a study: ratings, scores, items and the report in many formats, and the bundle.

``catalogue`` knows every file; ``tables`` are what the tabular ones hold, and ``writers`` the
formats. What takes long is made by a worker (``jobs``). ``bundle`` packs all that a report rests on
and computes it again from that. Nothing here knows who an annotator is: rows come from
``annotation.ratings``, where people are pseudonyms.
"""
