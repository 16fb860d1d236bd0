"""Where a session's repeats, gold units and attention checks stand: drawn once from its seed. Pure.

All of it follows from the person's seed and what the study wants, so that every process plans the
same, and nothing is stored.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from studies.designs import check_positions, repeat_positions


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """Screens are numbered from 1. ``gold`` are units, in the order in which they are shown at
    ``gold_at``; ``checks`` are (screen, id of the attention check)."""

    gold: tuple[int, ...]
    gold_at: tuple[int, ...]
    repeats_at: tuple[int, ...]
    checks: tuple[tuple[int, int], ...]


@lru_cache(maxsize=4096)
def plan_session(
    seed: int,
    n_units: int,
    n_repeats: int,
    gap: int,
    n_gold: int,
    gold: tuple[int, ...],
    checks: tuple[int, ...],
) -> SessionPlan:
    """The plan of a session of ``n_units`` screens, ``n_repeats`` of them repeats.

    ``n_gold`` of the ``gold`` units are drawn; none stands first or last, so in two screens there
    is room for none. ``checks`` are spread in an order of their own, away from both.
    """
    shown = _gold(seed, n_units, n_gold, gold)
    gold_at = _gold_at(seed, n_units, len(shown))
    repeats_at = _repeats_at(seed, n_units, n_repeats, gap, gold_at)
    order = list(checks)
    random.Random(seed).shuffle(order)
    positions = check_positions(
        n_units=n_units, n_checks=len(order), seed=seed, avoid={*repeats_at, *gold_at}
    )
    return SessionPlan(
        gold=tuple(shown),
        gold_at=tuple(gold_at),
        repeats_at=tuple(repeats_at),
        checks=tuple(zip(positions, order, strict=False)),
    )


def _gold(seed: int, n_units: int, n_gold: int, gold: Sequence[int]) -> list[int]:
    units = list(gold)
    random.Random(f"{seed}:gold").shuffle(units)
    units = units[:n_gold]
    return units if n_units - len(units) >= 2 else []


def _gold_at(seed: int, n_units: int, n: int) -> list[int]:
    """Spread as attention checks are."""
    if not n:
        return []
    own = random.Random(f"{seed}:gold").getrandbits(31)
    return check_positions(n_units=n_units, n_checks=n, seed=own)


def _repeats_at(
    seed: int, n_units: int, n_repeats: int, gap: int, gold_at: Sequence[int]
) -> list[int]:
    """Planned without the gold screens, and then moved behind those that come before: the gap
    between a unit and its repeat can only grow."""
    if not n_repeats:
        return []
    positions = repeat_positions(
        n_units=n_units - n_repeats - len(gold_at), n_repeats=n_repeats, gap=gap, seed=seed
    )
    if not gold_at:
        return positions
    others = [n for n in range(1, n_units + 1) if n not in set(gold_at)]
    return [others[position - 1] for position in positions]
