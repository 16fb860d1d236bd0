"""How a collection stands, while it runs. Read-only but for the figures it keeps.

``counts`` asks the database what is cheap to count at every look; ``figures`` what is not, and
``keeping`` when that is counted and by whom. ``pace`` and ``needs`` are pure: what the counts say
and what a researcher should do. ``chart`` draws, ``page`` puts together what the page shows.
"""
