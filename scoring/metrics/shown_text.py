"""VQAScore as a metric: how well an item's picture shows its prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.metrics.base import (
    CHAT_MODEL,
    Declaration,
    MetricItem,
    Needs,
    Output,
    Progress,
    ScoreRow,
)
from scoring.metrics.image_text_score import ImageTextValue
from scoring.metrics.item_metric import ItemMetric
from scoring.metrics.item_pictures import FIELDS, REASONS, SECONDS, picture_of, prompt_obstacle
from scoring.metrics.judged_media import words
from scoring.metrics.rows import undefined_rows
from scoring.metrics.vqascore import PROMPT, VqaScore


class VqaScoreMetric(ItemMetric):
    """One row an item; see ``scoring.metrics.vqascore``."""

    declaration = Declaration(
        key="vqascore",
        name="VQAScore",
        family="Image and text",
        version="1",
        modality="image",
        source="Lin et al. 2024, Evaluating text-to-visual generation, arXiv:2404.01291",
        needs=Needs(item_fields=("prompt", *FIELDS), backend="vqascore"),
        outputs=(Output(key="vqascore", name="VQAScore", low=0.0, high=1.0, better="higher"),),
        parameters=(CHAT_MODEL, SECONDS),
        reasons=("no_prompt", "no_logprobs", "refused", "parse_failed", *REASONS),
    )

    def estimate(
        self,
        *,
        items: Sequence[MetricItem],
        backend: Any,
        parameters: Mapping[str, object],
        **other: Any,
    ) -> Any:
        """What scoring ``items`` would ask of the chat model."""
        seconds = self.declaration.clean_parameters(parameters)["seconds"]
        asked = [item for item in items if not prompt_obstacle(item)]
        pairs = [(picture_of(item, seconds), item.fields["prompt"]) for item in asked]
        return backend.estimate(_worded(backend, asked).requests(pairs))

    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: VqaScore,
        parameters: Mapping[str, Any],
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        scored = [item for item in items if not prompt_obstacle(item)]
        seconds = parameters["seconds"]
        pictures = {item.key: picture_of(item, seconds) for item in scored}
        asking = _worded(backend, scored)
        pairs = [(pictures[item.key], item.fields["prompt"]) for item in scored]
        scores = asking.score_pairs(pairs, on_progress=on_progress)
        values = dict(zip(pictures, scores, strict=True))
        for item in items:
            evidence = {"prompt": item.fields.get("prompt", "")}
            if item.key in values:
                yield _row(item, values[item.key], evidence | pictures[item.key].note)
            else:
                yield from undefined_rows(
                    self.declaration,
                    reason=prompt_obstacle(item),
                    evidence=evidence,
                    item_key=item.key,
                )


def _worded(backend: Any, items: Sequence[MetricItem]) -> Any:
    """In the study's own words, which all of its items share."""
    return backend.worded(words(items[0], PROMPT)) if items else backend


def _row(item: MetricItem, found: ImageTextValue, evidence: dict[str, Any]) -> ScoreRow:
    return ScoreRow(
        item.key, "vqascore", "", found.value, found.reason, {**evidence, **found.evidence}
    )


VQASCORE = VqaScoreMetric()
