"""The judge form of ALIGN, HAL and EXAG: a chat model answers the study's own questions.

One question a call, with the picture, the activity, the country, and the question and its scale as
people see them; the reason is asked before the number. 1 to 5, in the direction of the question.
A study without one of the questions has no such score (``not_asked``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.backends.chat import Picture, Request
from scoring.backends.chat_pictures import sent_picture
from scoring.backends.media_images import MediaImage
from scoring.backends.pictures import MediaError
from scoring.metrics.ahead.values import Subject, Value
from scoring.metrics.base import (
    CHAT_MODEL,
    Declaration,
    Descriptor,
    MetricItem,
    Needs,
    Output,
    Progress,
    ScoreRow,
    Text,
)
from scoring.metrics.item_metric import ItemMetric
from scoring.metrics.item_pictures import media_reason
from scoring.metrics.judged_media import words
from scoring.prompting.asking import Answer, ask_all_json

PROMPT = "ahead/judge"
OUTPUTS = {
    "align": "ahead_judge_align",
    "hal": "ahead_judge_hal",
    "exag": "ahead_judge_exag",
}
LOW, HIGH = 1, 5
_NAMES = {"align": "ALIGN (judge)", "hal": "HAL (judge)", "exag": "EXAG (judge)"}
_BETTER = {"align": "higher", "hal": "lower", "exag": "lower"}


def _question(part: str, default: str) -> Text:
    return Text(
        name=f"{part}_question",
        label=f"the question for {part.upper()}",
        help="Its key in this study; its words and scale are what the model is asked.",
        default=default,
    )


class AheadJudge(ItemMetric):
    """``inputs`` of an item: ``questions``, by part (align, hal, exag) the text as it is asked,
    and ``prompts``, see ``scoring.metrics.judged_media``. Three rows an item; the backend is a chat
    model with a store before it."""

    declaration = Declaration(
        key="ahead_judge",
        name="AHEaD, judge form",
        family="AHEaD",
        version="2",
        modality="image",
        source=(
            "Culture in Action: Evaluating Text-to-Image Models through Social Activities, "
            "ICLR 2026, arXiv:2511.05681; the wording of the prompt is ours"
        ),
        needs=Needs(
            item_fields=("activity", "country_name", "kind", "file", "sha256"), backend="chat"
        ),
        outputs=tuple(
            Output(
                key=key,
                name=_NAMES[part],
                low=LOW,
                high=HIGH,
                better=_BETTER[part],  # type: ignore[arg-type]
            )
            for part, key in OUTPUTS.items()
        ),
        parameters=(
            CHAT_MODEL,
            _question("align", "faithfulness"),
            _question("hal", "hallucination"),
            _question("exag", "exaggeration"),
        ),
        reasons=(
            "refused",
            "parse_failed",
            "missing_media",
            "undecodable",
            "not_applicable",
            "not_asked",
            "no_scene",
        ),
    )

    def estimate(
        self,
        *,
        items: Sequence[MetricItem],
        cells: Sequence[Any],
        descriptors: Sequence[Descriptor],
        backend: Any,
        parameters: Mapping[str, object],
    ) -> Any:
        """What ``score`` would ask, without asking it."""
        self.declaration.clean_parameters(parameters)
        model = backend.model_id
        requests = [one for item in items for one in self._requests(item, model)[0].values()]
        return backend.estimate(requests)

    def _rows(
        self,
        items: Sequence[MetricItem],
        backend: Any,
        parameters: Mapping[str, Any],
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        prepared = [self._requests(item, backend.model_id) for item in items]
        requests = {key: one for asked, _ in prepared for key, one in asked.items()}
        answers = ask_all_json(backend, requests, on_progress=on_progress)
        for item, (asked, undefined) in zip(items, prepared, strict=True):
            for part, key in OUTPUTS.items():
                name = (item.key, part)
                value = _value(answers[name], asked[name]) if name in asked else undefined[part]
                yield from Subject(item_key=item.key).rows(key, {"": value})

    def _requests(
        self, item: MetricItem, model: str
    ) -> tuple[dict[tuple[str, str], Request], dict[str, Value]]:
        """The item's questions, and the parts that cannot be asked with the reason."""
        questions: Mapping[str, str] = item.inputs.get("questions", {})
        picture = _picture(item)
        if isinstance(picture, Value):
            return {}, dict.fromkeys(OUTPUTS, picture)
        scene = {name: item.fields.get(name, "").strip() for name in ("activity", "country_name")}
        if not all(scene.values()):
            return {}, dict.fromkeys(OUTPUTS, Value.undefined("no_scene"))
        asked_with = words(item, PROMPT)
        requests = {
            (item.key, part): asked_with.request(
                model=model,
                pictures=(picture,),
                inputs={
                    "activity": scene["activity"],
                    "country": scene["country_name"],
                    "question": questions[part],
                },
            )
            for part in OUTPUTS
            if part in questions
        }
        missing = Value.undefined("not_asked", "the study has no such question")
        return requests, {part: missing for part in OUTPUTS if part not in questions}


AHEAD_JUDGE = AheadJudge()


def _picture(item: MetricItem) -> Picture | Value:
    if item.fields.get("kind") != "image":
        return Value.undefined("not_applicable", "not a picture")
    image = MediaImage(
        file=item.fields.get("file", ""), kind="image", sha256=item.fields.get("sha256", "")
    )
    try:
        return sent_picture(image())
    except MediaError as error:
        return Value.undefined(media_reason(error), error=str(error))


def _value(answer: Answer, request: Request) -> Value:
    evidence: dict[str, Any] = {"prompt": request.prompt}
    if answer.reason:
        return Value(None, answer.reason, {**evidence, "error": answer.sentence})
    return Value(float(answer.value["score"]), "", {**evidence, "reason": answer.value["reason"]})
