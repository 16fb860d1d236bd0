"""Shares of yes over videos: CultureScore's tables, its gains, and its drops on matched sets.

A *tally* is how many verified questions were answered and how many of them with yes. From tallies
by dimension (identity, behavior, context) come three numbers, all unweighted shares from 0 to 1,
higher is better, and every table says which it shows (CultureScore, sections on scores and gains):

    dimension   yes / answered, in one dimension
    headline    mean of the three dimensions' shares
    pooled      yes / answered over all questions; the published "country overall"

Differences are taken from unrounded shares and signed: gain = extended - base; drops are removed -
extended and removed - base. A drop is over the *matched set*: scenarios judged culturally unique
without their country's name, and present in all compared variants of the system.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal, TypeVar

DIMENSIONS = ("identity", "behavior", "context")
NAMES = (*DIMENSIONS, "headline", "pooled")
"""What a table may show of a group: see ``Shares.value``."""
Variant = Literal["base", "extended", "country-removed"]
Group = TypeVar("Group", bound=Hashable)

GAIN: tuple[Variant, Variant] = ("extended", "base")
DROPS: tuple[tuple[Variant, Variant], ...] = (
    ("country-removed", "extended"),
    ("country-removed", "base"),
)


@dataclass(frozen=True, slots=True)
class Tally:
    """``yes`` of ``answered`` questions. Raises ``ValueError`` for a count that cannot be."""

    answered: int
    yes: int

    def __post_init__(self) -> None:
        if not 0 <= self.yes <= self.answered:
            raise ValueError(f"{self.yes} of {self.answered} questions cannot be yes.")

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.answered + other.answered, self.yes + other.yes)

    @property
    def share(self) -> float | None:
        """None where no question was answered."""
        return self.yes / self.answered if self.answered else None


NONE = Tally(0, 0)


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers on one video of a scenario's variant, by dimension.

    ``scenario`` tells scenarios of all countries apart, e.g. (country, name).
    """

    system: str
    variant: Variant
    scenario: Hashable
    country: str
    category: str
    tallies: Mapping[str, Tally] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Shares:
    """One cell of a table. ``dimensions`` lack those without an answered question."""

    tallies: Mapping[str, Tally] = field(hash=False)
    videos: int = 0

    @property
    def dimensions(self) -> dict[str, float]:
        shares = {name: tally.share for name, tally in self.tallies.items()}
        return {name: share for name, share in shares.items() if share is not None}

    @property
    def headline(self) -> float | None:
        """Mean of the three dimensions; None unless all three have an answer."""
        shares = self.dimensions
        return fmean(shares[d] for d in DIMENSIONS) if set(DIMENSIONS) <= set(shares) else None

    @property
    def pooled(self) -> float | None:
        return sum(self.tallies.values(), NONE).share

    def value(self, name: str) -> float | None:
        """A dimension's share, or the ``headline`` or ``pooled`` one."""
        if name in ("headline", "pooled"):
            return self.headline if name == "headline" else self.pooled
        return self.dimensions.get(name)


@dataclass(frozen=True, slots=True)
class Difference:
    """``after`` - ``before`` in shares, or None where one of them is undefined.

    ``scenarios`` is the number of scenarios on either side.
    """

    after: float | None
    before: float | None
    scenarios: int

    @property
    def value(self) -> float | None:
        if self.after is None or self.before is None:
            return None
        return self.after - self.before


def shares_of(answers: Iterable[Answers]) -> Shares:
    """All answers together, dimension by dimension."""
    tallies: dict[str, Tally] = {}
    videos = 0
    for video in answers:
        videos += 1
        for name, tally in video.tallies.items():
            tallies[name] = tallies.get(name, NONE) + tally
    return Shares(tallies, videos)


def table(answers: Iterable[Answers], *, by: Callable[[Answers], Group]) -> dict[Group, Shares]:
    """Shares of every group; ``by`` gives the group of a video."""
    groups: dict[Group, list[Answers]] = {}
    for video in answers:
        groups.setdefault(by(video), []).append(video)
    return {group: shares_of(videos) for group, videos in groups.items()}


def matched_scenarios(
    answers: Collection[Answers],
    variants: Collection[Variant],
    *,
    system: str,
    unique: Collection[Hashable] | None = None,
) -> frozenset[Hashable]:
    """Scenarios that the system has in all ``variants``, and that are in ``unique`` if given."""
    present = [
        {video.scenario for video in answers if (video.system, video.variant) == (system, variant)}
        for variant in variants
    ]
    matched = frozenset.intersection(*map(frozenset, present)) if present else frozenset()
    return matched if unique is None else matched & frozenset(unique)


def difference(
    answers: Collection[Answers],
    name: str,
    after: Variant,
    before: Variant,
    *,
    system: str,
    unique: Collection[Hashable] | None = None,
    variants: Collection[Variant] = (),
) -> Difference:
    """The signed difference of a share (``Shares.value``) between two variants of a system.

    Over the scenarios present in both, or in all of ``variants``; a drop also names those that are
    ``unique``.
    """
    compared = {after, before, *variants}
    matched = matched_scenarios(answers, compared, system=system, unique=unique)
    sides = [
        shares_of(
            video
            for video in answers
            if (video.system, video.variant) == (system, side) and video.scenario in matched
        ).value(name)
        for side in (after, before)
    ]
    return Difference(sides[0], sides[1], len(matched))
