"""The reproducibility bundle: all that a report rests on, and the report computed again from it.

``records`` are the rows as they are stored; ``packing`` writes them, what people read beside them,
and a manifest with the checksum of every file into one ZIP. ``scratch`` is a database in memory
that holds nothing but a bundle's rows; ``reproducing`` computes everything there again and
``comparing`` says what differs.
"""
