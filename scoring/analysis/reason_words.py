"""Why an item has no value, or could not be paired, in a sentence."""

from __future__ import annotations

from scoring.analysis.series import NO_RATING, NOT_SCORED
from scoring.metrics.base import REASONS

SENTENCES = {
    NO_RATING: "No counted rating yet.",
    NOT_SCORED: "The item was not part of the metric's run.",
    "item_failed": "The metric failed on this item.",
}


def sentence_of(reason: str) -> str:
    return SENTENCES.get(reason) or REASONS.get(reason) or reason
