"""Families of tests: p-values that one table shows are adjusted together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from scoring.analysis.parts.against import Adjusted
from scoring.stats.multiplicity import adjust_p_values

One = TypeVar("One")

UNADJUSTED = Adjusted(holm=None, bh=None, family="", n_tests=0)


def adjusted(
    tests: Sequence[One],
    *,
    p_of: Callable[[One], float | None],
    family_of: Callable[[One], Hashable],
    name_of: Callable[[One], str],
) -> list[Adjusted]:
    """For each test its p adjusted among those of its family, Holm's and Benjamini-Hochberg's."""
    members: dict[Hashable, list[int]] = {}
    for place, test in enumerate(tests):
        members.setdefault(family_of(test), []).append(place)
    found = [UNADJUSTED] * len(tests)
    for places in members.values():
        name = name_of(tests[places[0]])
        p_values = [p_of(tests[place]) for place in places]
        holm = adjust_p_values(p_values=p_values, method="holm", family=name)
        bh = adjust_p_values(p_values=p_values, method="benjamini-hochberg", family=name)
        for number, place in enumerate(places):
            found[place] = Adjusted(
                holm=holm.adjusted[number],
                bh=bh.adjusted[number],
                family=name,
                n_tests=holm.n_tests,
            )
    return found
