"""ALIGN and HAL: how what is seen meets what a culture's members expect.

In each dimension, with s_ij the cosine of seen descriptor i and expected descriptor j:

    ALIGN = #{j : max_i s_ij > tau} / n_ref        share of the expected that is there, 0-1, higher
    HAL   = #{i : max_j s_ij <= tau} / n_pred      share of what is there unexpectedly, 0-1, lower

The overall value is the mean of the dimensions in which it is defined, not a share pooled over all
descriptors; how many there were is kept as evidence. Rules for empty lists (ours):

==========================  ============================  ============================
in a dimension              ALIGN                         HAL
==========================  ============================  ============================
no reference                undefined, no_reference       undefined, no_reference
references, nothing seen    0                             undefined, no_prediction
never looked at             undefined, no_prediction      undefined, no_prediction
the model refused           undefined, refused            undefined, refused
its answer was unreadable   undefined, parse_failed       undefined, parse_failed
==========================  ============================  ============================

A similarity equal to tau is not aligned (>) and is hallucinated (<=); nothing is aligned at tau 1.
ALIGN+HAL is the mean of ALIGN and 1 - HAL, defined where both are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.backends.text_embedder import Embedder
from scoring.metrics.ahead.descriptors import DIMENSIONS, Seen
from scoring.metrics.ahead.matching import Match, best_matches, by_sign
from scoring.metrics.ahead.values import ByDimension, Value, mean_of_defined

ALIGN = "ahead_align"
HAL = "ahead_hal"
ALIGN_HAL = "ahead_align_hal"


@dataclass(frozen=True, slots=True)
class Compared:
    """One picture, or the union of a cell's, against the references of its scene."""

    references: Mapping[str, tuple[str, ...]]
    seen: Seen
    matches: Mapping[str, Match]

    def looked_at(self, dimension: str) -> bool:
        return dimension in self.seen.tokens

    @property
    def dimensions(self) -> list[str]:
        """Those with references that were looked at: there ALIGN is defined."""
        return [d for d in DIMENSIONS if self.references[d] and self.looked_at(d)]


Subjects = Sequence[tuple[Mapping[str, tuple[str, ...]], Seen]]
"""References by dimension and what was seen, one pair a subject."""


def compare(subjects: Subjects, embedder: Embedder) -> list[Compared]:
    """Every subject's best matches in each dimension; each distinct text is embedded once."""
    pairs = [
        (seen.tokens.get(dimension, ()), references[dimension])
        for references, seen in subjects
        for dimension in DIMENSIONS
    ]
    found = iter(best_matches(pairs, embedder))
    return [
        Compared(references, seen, {dimension: next(found) for dimension in DIMENSIONS})
        for references, seen in subjects
    ]


def align_values(compared: Compared, tau: float) -> dict[str, Value]:
    """ALIGN overall ('') and in each dimension."""
    values = {d: _align(compared, d, tau) for d in DIMENSIONS}
    return {"": mean_of_defined(values, **_sums(values, tau)), **values}


def hal_values(compared: Compared, tau: float) -> dict[str, Value]:
    """HAL overall ('') and in each dimension."""
    values = {d: _hal(compared, d, tau) for d in DIMENSIONS}
    return {"": mean_of_defined(values, **_sums(values, tau)), **values}


def both_values(align: ByDimension, hal: ByDimension) -> dict[str, Value]:
    """ALIGN+HAL overall and in each dimension, from the values of both."""
    return {dimension: _both(align[dimension], hal[dimension]) for dimension in align}


def _both(align: Value, hal: Value) -> Value:
    if align.value is None or hal.value is None:
        return Value(None, align.reason or hal.reason, {"align": align.value, "hal": hal.value})
    value = (align.value + 1 - hal.value) / 2
    return Value(value, "", {"align": align.value, "hal": hal.value})


def _align(compared: Compared, dimension: str, tau: float) -> Value:
    evidence = _counts(compared, dimension, tau)
    match = compared.matches[dimension]
    if not match.expected:
        return Value(None, "no_reference", evidence)
    if not compared.looked_at(dimension):
        return Value(None, compared.seen.reason(dimension), evidence)
    found = match.found(tau)
    evidence["aligned"], evidence["missing"] = by_sign(match.expected_rows(), found)
    return Value(int(found.sum()) / len(match.expected), "", evidence)


def _hal(compared: Compared, dimension: str, tau: float) -> Value:
    evidence = _counts(compared, dimension, tau)
    match = compared.matches[dimension]
    if not match.expected:
        return Value(None, "no_reference", evidence)
    if not match.seen:
        return Value(None, compared.seen.reason(dimension), evidence)
    unexpected = match.unexpected(tau)
    evidence["hallucinated"], _ = by_sign(match.seen_rows(), unexpected)
    return Value(int(unexpected.sum()) / len(match.seen), "", evidence)


def _counts(compared: Compared, dimension: str, tau: float) -> dict[str, object]:
    match = compared.matches[dimension]
    return {"tau": tau, "n_ref": len(match.expected), "n_pred": len(match.seen)}


def _sums(values: ByDimension, tau: float) -> dict[str, object]:
    return {
        "tau": tau,
        "n_ref": sum(one.evidence["n_ref"] for one in values.values()),
        "n_pred": sum(one.evidence["n_pred"] for one in values.values()),
    }
