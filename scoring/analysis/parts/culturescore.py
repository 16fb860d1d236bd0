"""CultureScore's own tables: shares from counts of questions, differences on matched scenarios."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.stats.result import AgreementResult, Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`yes` of `answered` questions, from 0 to 1; None where nothing was answered.

    Of `name` "headline" the value is the mean of the dimensions' shares. `interval` draws
    scenarios; None while it is being computed.
    """

    name: str
    value: float | None
    yes: int
    answered: int
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CultureCell:
    """The videos of a system and variant, of one country or ("") of all."""

    system: str
    variant: str
    country: str
    videos: int
    scenarios: int
    shares: tuple[Share, ...]

    def share(self, name: str) -> Share:
        """Raises KeyError."""
        for share in self.shares:
            if share.name == name:
                return share
        raise KeyError(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class CultureDifference:
    """`after` - `before` of one share, over `scenarios` the system has in every variant compared.

    `kind`: gain (extended - base), drop-extended, drop-base (country removed - ...); drops count
    only scenarios that are unique without their country's name.
    """

    kind: str
    name: str
    system: str
    country: str
    after: float | None
    before: float | None
    difference: float | None
    scenarios: int
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePair:
    """Two answerers on the same questions about the same videos."""

    first: str
    second: str
    questions: int
    coefficients: tuple[AgreementResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CultureScores:
    """`run` 0: the study has no finished run of CultureScore. `unjudged`: scenarios of which nobody
    said whether they are unique without their country; they are in no drop.
    """

    run: int
    model: str
    cells: tuple[CultureCell, ...]
    differences: tuple[CultureDifference, ...]
    judges: tuple[JudgePair, ...]
    unanswered: int
    unjudged: int
