"""Pure arithmetic of a session: where checks and repeats stand, how many people are needed."""

import random
from collections.abc import Collection
from math import ceil


def check_positions(
    *, n_units: int, n_checks: int, seed: int, avoid: Collection[int] = ()
) -> list[int]:
    """Screens (1-based) that carry an attention check: spread, seeded, none first or last.

    The inner screens 2 .. n_units - 1 are cut into ``n_checks`` stretches of near equal length, and
    one screen is drawn from each, one of ``avoid`` only where a stretch has no other. Fewer inner
    screens than checks: as many checks as fit.
    """
    inner = list(range(2, n_units))
    rng = random.Random(seed)
    stretches = _stretches(inner, min(n_checks, len(inner)))
    return [rng.choice([n for n in part if n not in avoid] or part) for part in stretches]


def _stretches(screens: list[int], n: int) -> list[list[int]]:
    """``screens`` in n runs of near equal length."""
    edges = [round(i * len(screens) / n) for i in range(n + 1)] if n else []
    return [screens[start:end] for start, end in zip(edges, edges[1:], strict=False)]


def possible_repeats(*, n_units: int, n_repeats: int, gap: int) -> int:
    """How many of the wanted repeats a session of ``n_units`` different units has room for.

    Each is of another unit, with at least ``gap`` screens between a unit and its repeat.
    """
    return min(n_repeats, n_units) if n_units > gap else 0


def repeat_positions(*, n_units: int, n_repeats: int, gap: int, seed: int) -> list[int]:
    """Screens (1-based, of n_units + n_repeats) that show a unit again: spread, seeded.

    ``n_repeats`` is what ``possible_repeats`` gives. At each of them, some earlier unit that was
    not repeated yet has at least ``gap`` screens behind it.
    """
    total = n_units + n_repeats
    rng = random.Random(seed)
    room = list(range(gap + 2, total + 1))
    for _ in range(20):
        positions = [rng.choice(part) for part in _stretches(room, n_repeats)]
        if _can_repeat(positions, gap):
            return positions
    return list(range(n_units + 1, total + 1))


def _can_repeat(positions: list[int], gap: int) -> bool:
    """Whether at each position fewer units were repeated than were shown early enough."""
    for done, position in enumerate(positions):
        early = position - gap - 1
        if early - sum(other <= early for other in positions) <= done:
            return False
    return True


def people_needed(*, n_units: int, ratings_per_unit: int, units_per_session: int) -> int:
    """Least number of people who can give every unit its ratings, each from another person."""
    if n_units == 0:
        return 0
    per_person = min(units_per_session, n_units)
    return max(ratings_per_unit, ceil(n_units * ratings_per_unit / per_person))
