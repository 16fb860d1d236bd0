"""What a study's ratings and scores mean: gathered, computed, returned as frozen dataclasses.

`report` holds the dataclasses and `codec` their JSON; pages import only these. `gather` reads the
database, `questions` and `metrics` compute, `compute` puts a report together; they run in the
worker.
"""
