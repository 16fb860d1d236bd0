"""Pure arithmetic of a session: where attention checks stand, how many people are needed."""

import random
from math import ceil


def check_positions(*, n_units: int, n_checks: int, seed: int) -> list[int]:
    """Screens (1-based) that carry an attention check: spread, seeded, none first or last.

    The inner screens 2 .. n_units - 1 are cut into ``n_checks`` stretches of near equal length, and
    one screen is drawn from each. Fewer inner screens than checks: as many checks as fit.
    """
    inner = list(range(2, n_units))
    n_checks = min(n_checks, len(inner))
    rng = random.Random(seed)
    edges = [round(i * len(inner) / n_checks) for i in range(n_checks + 1)] if n_checks else []
    return [rng.choice(inner[start:end]) for start, end in zip(edges, edges[1:], strict=False)]


def people_needed(*, n_units: int, ratings_per_unit: int, units_per_session: int) -> int:
    """Least number of people who can give every unit its ratings, each from another person."""
    if n_units == 0:
        return 0
    per_person = min(units_per_session, n_units)
    return max(ratings_per_unit, ceil(n_units * ratings_per_unit / per_person))
