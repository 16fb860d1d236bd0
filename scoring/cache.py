"""The store of scores: what was computed from the same content is found again.

Keys are those of ``scoring.pieces``. Nothing is stored that a mended file or another try could
change. Deleting runs leaves the store as it is, and deleting from the store costs time only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.models import CachedScore, Score
from scoring.run_errors import ITEM_FAILED

PASSING_REASONS = {"missing_media", "undecodable", ITEM_FAILED}

Stored = list[list[Any]]
"""Score rows as output, dimension, value, reason, evidence."""


def find_scores(keys: Sequence[str]) -> dict[str, Stored]:
    """At most some hundred keys."""
    rows = CachedScore.objects.filter(key__in=keys)
    return dict(rows.values_list("key", "rows"))


def keep_scores(found: Mapping[str, Sequence[Score]]) -> None:
    """Store the rows of pieces by their keys, but for those with a reason that may pass."""
    CachedScore.objects.bulk_create(
        [
            CachedScore(key=key, rows=[_stored(score) for score in scores])
            for key, scores in found.items()
            if not any(score.reason in PASSING_REASONS for score in scores)
        ],
        batch_size=500,
        ignore_conflicts=True,
    )


def scores_of(stored: Stored, *, run_id: int, place: int | str) -> list[Score]:
    """Unsaved scores of a run for the item or the cell ``place``."""
    where = {"cell": place} if isinstance(place, str) else {"item_id": place}
    return [
        Score(
            run_id=run_id,
            output=output,
            dimension=dimension,
            value=value,
            reason=reason,
            evidence=evidence,
            **where,
        )
        for output, dimension, value, reason, evidence in stored
    ]


def _stored(score: Score) -> list[Any]:
    return [score.output, score.dimension, score.value, score.reason, score.evidence]
