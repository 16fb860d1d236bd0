"""Two judges with scales of their own: VIEScore and the UnifiedReward-like one.

VIEScore (Ku et al. 2024, arXiv:2312.14867): semantic consistency SC is the least of its ratings,
perceptual quality PQ the lesser of naturalness and freedom from artifacts, each from 0 to 10, and

    viescore = sqrt(SC x PQ)     0 to 10, higher is better

UnifiedReward-like (after Wang et al. 2025): one picture, of a clip the frame at ``seconds``, is
rated from 1 to 5 on alignment, quality and finally; (final - 1) / 4 beside it. Both are asked with
prompts of ours, so their numbers are not those of the published checkpoints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any

from scoring.backends.chat import BadAnswerError, Choice, Request
from scoring.metrics.base import CHAT_MODEL, Declaration, MetricItem, Needs, Output, ScoreRow
from scoring.metrics.chat_metric import ChatMetric, Name
from scoring.metrics.item_pictures import SECONDS, prompt_obstacle
from scoring.metrics.judged_media import CLIPS, FIELDS, FRAMES, REASONS, seen, seen_at, words
from scoring.prompting.asking import Answer

_REASONS = (*REASONS, "no_prompt")
_ITEM_FIELDS = (*FIELDS, "prompt")


def _read_viescore(choice: Choice, request: Request) -> dict[str, Any]:
    answer: dict[str, Any] = choice.json(request.schema or {"type": "object"})
    if "scores" in answer and not answer["scores"]:
        raise BadAnswerError("parse_failed", "The answer has no ratings.")
    return answer


class VieScore(ChatMetric):
    """Two calls an item."""

    read = staticmethod(_read_viescore)
    declaration = Declaration(
        key="viescore",
        name="VIEScore",
        family="Judges",
        version="1",
        modality="image",
        source="Ku et al. 2024, arXiv:2312.14867; the prompts are ours",
        needs=Needs(item_fields=_ITEM_FIELDS, backend="chat"),
        outputs=tuple(
            Output(key=key, name=name, low=0.0, high=10.0, better="higher")
            for key, name in (
                ("viescore", "VIEScore"),
                ("viescore_sc", "VIEScore, semantic consistency"),
                ("viescore_pq", "VIEScore, perceptual quality"),
            )
        ),
        parameters=(CHAT_MODEL, FRAMES, CLIPS),
        reasons=_REASONS,
    )

    def asked(self, item: MetricItem, parameters: Mapping[str, Any]) -> dict[Name, Request] | str:
        if reason := prompt_obstacle(item):
            return reason
        pictures = seen(item, parameters)
        if isinstance(pictures, str):
            return pictures
        model = str(parameters["model"])
        return {
            "sc": words(item, "viescore/semantic").request(
                model=model, inputs={"prompt": item.fields["prompt"]}, pictures=pictures
            ),
            "pq": words(item, "viescore/perceptual").request(
                model=model, inputs={}, pictures=pictures
            ),
        }

    def rows(
        self, item: MetricItem, answers: Mapping[Name, Answer], parameters: Mapping[str, Any]
    ) -> Iterator[ScoreRow]:
        semantic, perceptual = answers["sc"], answers["pq"]
        sc = None if semantic.reason else float(min(semantic.value["scores"]))
        pq = (
            None
            if perceptual.reason
            else float(min(perceptual.value["naturalness"], perceptual.value["artifacts"]))
        )
        whole = None if sc is None or pq is None else sqrt(sc * pq)
        why = semantic.reason or perceptual.reason
        yield ScoreRow(item.key, "viescore", "", whole, "" if whole is not None else why, {})
        for key, value, answer in (("viescore_sc", sc, semantic), ("viescore_pq", pq, perceptual)):
            yield ScoreRow(item.key, key, "", value, answer.reason, answer.told)


class UnifiedReward(ChatMetric):
    """One call an item."""

    declaration = Declaration(
        key="unified_reward",
        name="UnifiedReward-like judge",
        family="Judges",
        version="2",
        modality="image",
        source="After UnifiedReward (Wang et al. 2025), by any chat model; the prompt is ours",
        needs=Needs(item_fields=_ITEM_FIELDS, backend="chat"),
        outputs=(
            Output(key="unified_final", name="Final, 1-5", low=1, high=5, better="higher"),
            Output(key="unified_unit", name="Final, 0-1", low=0, high=1, better="higher"),
            Output(key="unified_alignment", name="Alignment, 1-5", low=1, high=5, better="higher"),
            Output(key="unified_quality", name="Quality, 1-5", low=1, high=5, better="higher"),
        ),
        parameters=(CHAT_MODEL, SECONDS),
        reasons=_REASONS,
    )

    def asked(self, item: MetricItem, parameters: Mapping[str, Any]) -> dict[Name, Request] | str:
        if reason := prompt_obstacle(item):
            return reason
        picture = seen_at(item, float(parameters["seconds"]))
        if isinstance(picture, str):
            return picture
        request = words(item, "unified_reward/judge").request(
            model=str(parameters["model"]),
            inputs={"prompt": item.fields["prompt"]},
            pictures=(picture,),
        )
        return {"": request}

    def rows(
        self, item: MetricItem, answers: Mapping[Name, Answer], parameters: Mapping[str, Any]
    ) -> Iterator[ScoreRow]:
        answer = answers[""]
        values: dict[str, float | None] = dict.fromkeys(
            output.key for output in self.declaration.outputs
        )
        if not answer.reason:
            values |= {
                "unified_final": float(answer.value["final"]),
                "unified_unit": (answer.value["final"] - 1) / 4,
                "unified_alignment": float(answer.value["alignment"]),
                "unified_quality": float(answer.value["quality"]),
            }
        for key, value in values.items():
            yield ScoreRow(item.key, key, "", value, answer.reason, answer.told)


VIESCORE = VieScore()
UNIFIED_REWARD = UnifiedReward()
