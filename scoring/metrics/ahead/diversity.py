"""DDIV and SDIV: how varied the pictures of one cell are, in what they show of the expected.

    DDIV = -(1 / log n_ref) sum_d q(d) log q(d)       0-1, higher is more varied
    SDIV = ALIGN of all N pictures together - mean ALIGN of the single pictures      0-1, higher

q(d) is the number of the cell's pictures in which expected descriptor d is there, divided by the
sum of these numbers. The overall DDIV takes the descriptors of all dimensions together (ours), not
the mean of the dimensions' DDIVs. Dimensions that no picture was looked at in are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

import numpy as np

from scoring.metrics.ahead.alignment import Compared
from scoring.metrics.ahead.descriptors import DIMENSIONS
from scoring.metrics.ahead.values import ByDimension, Value, first_reason

DDIV = "ahead_ddiv"
SDIV = "ahead_sdiv"


def ddiv_values(pictures: Sequence[Compared], tau: float) -> dict[str, Value]:
    """DDIV over all dimensions together ('') and in each, of the pictures of one cell.

    Undefined: no_reference; no_prediction (or why nothing was seen); not_applicable with fewer than
    two expected descriptors, or where none of them is in any picture.
    """
    counts = {d: _pictures_with(pictures, d, tau) for d in DIMENSIONS}
    values = {d: _ddiv(one) for d, one in counts.items()}
    known = [one for one in counts.values() if not isinstance(one, str)]
    if known:
        overall = _ddiv([(f"{d}: {t}", n) for d in DIMENSIONS for t, n in _listed(counts[d])])
    else:
        overall = Value.undefined(first_reason([str(one) for one in counts.values()]))
    return {"": overall, **values}


def sdiv_values(union: ByDimension, pictures: Sequence[ByDimension]) -> dict[str, Value]:
    """SDIV overall and in each dimension, from ALIGN of the union and of each single picture.

    Undefined where the union's ALIGN is; not_applicable with fewer than two pictures that have one.
    """
    return {d: _sdiv(union[d], [one[d] for one in pictures]) for d in union}


Counts = list[tuple[str, int]] | str
"""Expected descriptors with the number of pictures that show each, or why there are none."""


def _pictures_with(pictures: Sequence[Compared], dimension: str, tau: float) -> Counts:
    looked = [one for one in pictures if one.looked_at(dimension)]
    references = pictures[0].references[dimension] if pictures else ()
    if not references:
        return "no_reference"
    if not looked:
        return first_reason([one.seen.reason(dimension) for one in pictures])
    found = np.array([one.matches[dimension].found(tau) for one in looked])
    return list(zip(references, found.sum(axis=0).tolist(), strict=True))


def _listed(counts: Counts) -> list[tuple[str, int]]:
    return [] if isinstance(counts, str) else counts


def _ddiv(counts: Counts) -> Value:
    if isinstance(counts, str):
        return Value.undefined(counts)
    total = sum(n for _, n in counts)
    evidence = {"n_ref": len(counts), "pictures": {token: n for token, n in counts if n}}
    if len(counts) < 2:
        return Value.undefined("not_applicable", "only one expected descriptor", **evidence)
    if total == 0:
        return Value.undefined("not_applicable", "no expected descriptor is there", **evidence)
    shares = [n / total for _, n in counts if n]
    entropy = -math.fsum(share * math.log(share) for share in shares)
    return Value(max(0.0, entropy / math.log(len(counts))), "", evidence)


def _sdiv(union: Value, pictures: Sequence[Value]) -> Value:
    single = [one.value for one in pictures if one.value is not None]
    evidence = {"n_pictures": len(single), "align": union.value}
    if union.value is None:
        return Value(None, union.reason, evidence)
    if len(single) < 2:
        return Value.undefined("not_applicable", "fewer than two pictures", **evidence)
    mean = fmean(single)
    return Value(union.value - mean, "", {**evidence, "mean_align": mean})
