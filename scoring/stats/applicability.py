"""Questions that do not apply to every item: "not applicable" is an answer about the question.

Whether a question applies is a nominal matter with its own agreement; ratings are correlated and
averaged over the applicable answers only; an item that a majority calls not applicable is taken
out for that dimension. Every number that follows from this is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from scoring.stats.agreement import Coefficient, estimate_agreement
from scoring.stats.counts import Codes, code_ratings
from scoring.stats.result import AgreementResult
from scoring.stats.scale import declare_scale

Mask = npt.NDArray[np.bool_]

TieRule = Literal["keep", "remove"]
TIE_RULES: tuple[TieRule, ...] = get_args(TieRule)

AGREEMENT = (
    Coefficient("krippendorff_alpha", "nominal"),
    Coefficient("gwet_ac1"),
    Coefficient("percent_agreement"),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Applicability:
    """Which items and answers of one dimension are left.

    `kept_items` (n_items,) and `kept_answers` (n_answers,). Items are `n_removed` (a majority said
    not applicable, or a tie where ties are removed), of them and the kept ones `n_tied`; answers
    are `n_not_applicable` of `n_answers`, and `n_applicable_removed` applicable ones went with
    their items.
    """

    kept_items: Mask
    kept_answers: Mask
    n_items: int
    n_removed: int
    n_tied: int
    n_unanswered: int
    n_answers: int
    n_not_applicable: int
    n_applicable_removed: int
    tie_rule: TieRule


def applicable_items(
    *, item: npt.ArrayLike, not_applicable: npt.ArrayLike, n_items: int, ties: TieRule = "keep"
) -> Applicability:
    """The items without a majority of "not applicable", and their applicable answers.

    `item` (0-based) and `not_applicable`, shape (n_answers,), are one dimension's answers. `ties`:
    an item with as many of either is kept by default, since no majority took it out.

    Raises ValueError for an unknown rule or unequal lengths.
    """
    if ties not in TIE_RULES:
        raise ValueError(f"Tie rule {ties!r} is unknown; choose from {', '.join(TIE_RULES)}.")
    items, without = _answers(item, not_applicable)
    n_without = np.bincount(items[without], minlength=n_items)
    n_answers = np.bincount(items, minlength=n_items)
    tied = (n_answers > 0) & (2 * n_without == n_answers)
    removed = 2 * n_without > n_answers
    if ties == "remove":
        removed |= tied
    kept_items = ~removed & (n_answers > 0)
    kept_answers = kept_items[items] & ~without
    return Applicability(
        kept_items=kept_items,
        kept_answers=kept_answers,
        n_items=n_items,
        n_removed=int(removed.sum()),
        n_tied=int(tied.sum()),
        n_unanswered=int((n_answers == 0).sum()),
        n_answers=int(items.size),
        n_not_applicable=int(without.sum()),
        n_applicable_removed=int((~without & removed[items]).sum()),
        tie_rule=ties,
    )


def agreement_on_applicability(
    *, item: npt.ArrayLike, rater: npt.ArrayLike, not_applicable: npt.ArrayLike
) -> tuple[AgreementResult, ...]:
    """Nominal alpha, AC1 and percent agreement on whether the question applies."""
    items, without = _answers(item, not_applicable)
    scale = declare_scale(level="nominal", categories=["applicable", "not applicable"])
    ratings = code_ratings(
        unit=_dense(items),
        rater=_dense(np.asarray(rater, dtype=np.intp)),
        category=without.astype(np.intp),
        scale=scale,
    )
    return estimate_agreement(ratings=ratings, coefficients=AGREEMENT)


def _answers(item: npt.ArrayLike, not_applicable: npt.ArrayLike) -> tuple[Codes, Mask]:
    items = np.asarray(item, dtype=np.intp)
    without = np.asarray(not_applicable, dtype=bool)
    if items.shape != without.shape or items.ndim != 1:
        raise ValueError(
            f"{items.shape} items and {without.shape} answers came; one for each is needed."
        )
    return items, without


def _dense(codes: Codes) -> Codes:
    return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.intp)
