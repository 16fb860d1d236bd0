"""How CAIRe's scores are held against gold labels and against people.

*Labels*: a label is given to a picture where its score is t or more. Precision, recall and F1 of
each picture over its label set, then the mean over pictures (the headline; t = 4); beside them
*micro* (all pictures' labels in one table) and *macro by label* (each label's own, then the mean
over labels). *People*: Pearson's r of the scores for a country and the mean ratings of that
country's people, natural and generated pictures apart; then the plain mean over countries, the mean
weighted by pictures, and the standard deviation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import stdev

import numpy as np

from scoring.stats.correlation import FEWEST_IN_GROUP

THRESHOLDS = (2, 3, 4, 5)
HEADLINE = 4


@dataclass(frozen=True, slots=True)
class Share:
    """Precision, recall and F1, each 0 to 1, or None where it is not defined."""

    precision: float | None
    recall: float | None
    f1: float | None

    @classmethod
    def of(cls, *, both: int, given: int, gold: int) -> Share:
        """``both`` of the ``given`` labels are among the ``gold`` ones."""
        return cls(
            precision=both / given if given else None,
            recall=both / gold if gold else None,
            f1=2 * both / (given + gold) if given + gold else None,
        )


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """``n`` pictures; each kind of mean names what it is a mean over."""

    threshold: int
    n: int
    per_image: Share
    micro: Share
    by_label: Share


def at_thresholds(
    scores: Mapping[str, Mapping[str, float]],
    gold: Mapping[str, Sequence[str]],
    *,
    thresholds: Sequence[int] = THRESHOLDS,
) -> list[AtThreshold]:
    """``scores`` maps pictures to their scores by label, ``gold`` to the labels that are right.

    Only labels that are scored count; pictures without scores or without gold among their labels
    are left out. A picture that is given no label has precision and F1 of 0, as its gold was
    missed. Raises ``ValueError`` where no picture is left.
    """
    kept: dict[str, tuple[Mapping[str, float], set[str]]] = {}
    for key, of_label in scores.items():
        right = set(gold.get(key, ())) & set(of_label)
        if right:
            kept[key] = (of_label, right)
    if not kept:
        raise ValueError("No scored picture has a gold label among its labels.")
    return [_at(threshold, list(kept.values())) for threshold in thresholds]


def _at(threshold: int, pictures: list[tuple[Mapping[str, float], set[str]]]) -> AtThreshold:
    singles: list[Share] = []
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for of_label, right in pictures:
        given = {label for label, score in of_label.items() if score >= threshold}
        share = Share.of(both=len(given & right), given=len(given), gold=len(right))
        singles.append(Share(share.precision or 0.0, share.recall, share.f1))
        for label in given | right:
            both, n_given, n_gold = counts[label]
            counts[label] = [
                both + (label in given and label in right),
                n_given + (label in given),
                n_gold + (label in right),
            ]
    total = [sum(column) for column in zip(*counts.values(), strict=True)]
    by_label = [Share.of(both=b, given=n, gold=g) for b, n, g in counts.values()]
    return AtThreshold(
        threshold=threshold,
        n=len(pictures),
        per_image=_mean(singles),
        micro=Share.of(both=total[0], given=total[1], gold=total[2]),
        by_label=_mean(by_label),
    )


def _mean(shares: Sequence[Share]) -> Share:
    """The mean of each over those that are defined."""
    means = []
    for name in ("precision", "recall", "f1"):
        values = [value for s in shares if (value := getattr(s, name)) is not None]
        means.append(fsum(values) / len(values) if values else None)
    return Share(*means)


def of_upper_bound(retrieved: float | None, gold: float | None) -> float | None:
    """What retrieval reaches of the score with gold articles; None where that is 0 or undefined."""
    return retrieved / gold if retrieved is not None and gold else None


@dataclass(frozen=True, slots=True)
class CountryPearson:
    """``r`` is None below four pictures or where one side does not vary."""

    country: str
    n: int
    r: float | None


@dataclass(frozen=True, slots=True)
class Averaged:
    """Over countries whose r is defined: plain mean, mean by pictures, SD (n - 1, from two on)."""

    countries: tuple[CountryPearson, ...]
    mean: float | None
    weighted: float | None
    sd: float | None


def pearson_by_country(
    pairs: Mapping[str, Sequence[tuple[float, float]]],
) -> Averaged:
    """``pairs`` maps a country to (score, mean rating) of each of its pictures."""
    rows = [CountryPearson(name, len(both), _pearson(both)) for name, both in pairs.items()]
    return averaged(rows)


def averaged(rows: Sequence[CountryPearson]) -> Averaged:
    defined = [(row.r, row.n) for row in rows if row.r is not None]
    if not defined:
        return Averaged(tuple(rows), None, None, None)
    values = [r for r, _ in defined]
    pictures = sum(n for _, n in defined)
    return Averaged(
        countries=tuple(rows),
        mean=fsum(values) / len(values),
        weighted=fsum(r * n for r, n in defined) / pictures if pictures else None,
        sd=stdev(values) if len(values) > 1 else None,
    )


def _pearson(pairs: Sequence[tuple[float, float]]) -> float | None:
    if len(pairs) < FEWEST_IN_GROUP:
        return None
    x, y = np.array(pairs, dtype=np.float64).T
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    x, y = x - x.mean(), y - y.mean()
    return float((x @ y) / np.sqrt((x @ x) * (y @ y)))
