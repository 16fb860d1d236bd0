"""The CultureVidBench judge: eight dimensions of a video, by the annotators' own criteria.

Source: CultureVidBench, target-explicit judging. One call a video and dimension. For element,
subject and action alignment the model first names the target, then writes observations about it
only, then scores; for the others observations come before the score. The plain variant scores at
once. The criteria are the study's own questions and scales, under the keys of the preset.

    culturevidbench_raw   1 to 5, by dimension; overall the mean of the defined dimensions
    culturevidbench       (raw - 1) / 4, 0 to 1, likewise; higher is better
    ..._cultural, ..._semantic   composites, 0 to 1: mean of their dimensions that are defined

Undefined: ``not_applicable`` where the model says that the scale does not apply, ``no_audio`` for
the sound of silent clips, of aspects that are not judged by ear, and wherever the model is not
given the sound; ``not_asked`` where the study has no such question; ``no_prompt`` where element,
subject and action are held against the words of an item that has none. A target-explicit score
without target or observations is no score (``parse_failed``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean
from typing import Any, Literal

from scoring.backends.chat import BadAnswerError, Choice, Request
from scoring.metrics.base import CHAT_MODEL, Declaration, MetricItem, Needs, Output, ScoreRow
from scoring.metrics.chat_metric import ChatMetric, Name
from scoring.metrics.judged_media import CLIPS, FIELDS, FRAMES, REASONS, picture_of, seen, words
from scoring.prompting.asking import Answer

DIMENSIONS = (
    "element_alignment",
    "cultural_consistency",
    "text_rendering",
    "audio_alignment",
    "subject_alignment",
    "action_alignment",
    "realism",
    "visual_quality",
)
AUDIO = "audio_alignment"
COMPOSITES = {
    "cultural": ("element_alignment", "cultural_consistency", "text_rendering", AUDIO),
    "semantic": ("subject_alignment", "action_alignment"),
}
"""What is about culture, and what is about who does what (which dimensions: ours)."""
TARGETED = frozenset({"element_alignment", "subject_alignment", "action_alignment"})
LOW, HIGH = 1, 5

Variant = Literal["target", "plain"]
_ITEM_FIELDS = (*FIELDS, "prompt", "country_name", "category", "aspect", "cultural_element")


def read_score(choice: Choice, request: Request) -> dict[str, Any]:
    """The JSON of the shape asked for, with target and observations where those are asked for.

    Raises ``BadAnswerError``.
    """
    answer: dict[str, Any] = choice.json(request.schema or {"type": "object"})
    if "target" in answer and not answer["target"].strip():
        raise BadAnswerError("parse_failed", "The answer names no target.")
    if "observations" in answer and not any(text.strip() for text in answer["observations"]):
        raise BadAnswerError("parse_failed", "The answer has no observations.")
    if "applicable" in answer and answer["applicable"] != (answer["score"] is not None):
        raise BadAnswerError(
            "parse_failed", "The answer applies without a score, or has one but does not."
        )
    return answer


class CultureVidBenchJudge(ChatMetric):
    """``inputs`` of an item: ``criteria``, by dimension the question and scale as people see them,
    or the reason why it is not asked; ``element_picture``, file and hash, where there is one."""

    read = staticmethod(read_score)

    def __init__(self, declaration: Declaration, variant: Variant) -> None:
        self.declaration = declaration
        self._variant = variant
        self._raw, self._normalised, *_ = (output.key for output in declaration.outputs)

    def asked(self, item: MetricItem, parameters: Mapping[str, Any]) -> dict[Name, Request] | str:
        pictures = seen(item, parameters)
        if isinstance(pictures, str):
            return pictures
        reference = picture_of(item.inputs.get("element_picture"))
        requests: dict[Name, Request] = {}
        for dimension in DIMENSIONS:
            if self._obstacle(item, dimension, parameters):
                continue
            prompt = words(item, f"culturevidbench/{self._prompt(dimension)}")
            shown = (*reference, *pictures) if dimension in TARGETED else pictures
            requests[dimension] = prompt.request(
                model=str(parameters["model"]),
                inputs={name: _said(item, dimension)[name] for name in prompt.inputs},
                pictures=shown,
            )
        return requests

    def rows(
        self, item: MetricItem, answers: Mapping[Name, Answer], parameters: Mapping[str, Any]
    ) -> Iterator[ScoreRow]:
        defined: dict[str, int] = {}
        reasons: dict[str, str] = {}
        for dimension in DIMENSIONS:
            score, reason, evidence = self._found(item, dimension, answers, parameters)
            if score is None:
                reasons[dimension] = reason
            else:
                defined[dimension] = score
            yield from self._both(item, dimension, score, reason, evidence)
        overall = fmean(defined.values()) if defined else None
        why = "" if defined else _most_telling(reasons.values())
        yield from self._both(item, "", overall, why, {"dimensions": sorted(defined)})
        yield from self._composites(item, defined, reasons)

    def _prompt(self, dimension: str) -> str:
        if self._variant == "plain":
            return "plain"
        return "target" if dimension in TARGETED else "observe"

    def _obstacle(self, item: MetricItem, dimension: str, parameters: Mapping[str, Any]) -> str:
        """Why a dimension is not asked of an item, as a reason; empty where it is."""
        criterion = item.inputs.get("criteria", {}).get(dimension)
        if criterion is None:
            return "not_asked"
        if dimension == AUDIO and (parameters["clips"] != "sound" or not criterion["applies"]):
            return "no_audio"
        if not criterion["applies"]:
            return "not_applicable"
        held_against_words = dimension in TARGETED and not item.fields["prompt"].strip()
        return "no_prompt" if held_against_words else ""

    def _found(
        self,
        item: MetricItem,
        dimension: str,
        answers: Mapping[Name, Answer],
        parameters: Mapping[str, Any],
    ) -> tuple[int | None, str, dict[str, Any]]:
        if dimension not in answers:
            return None, self._obstacle(item, dimension, parameters), {}
        answer = answers[dimension]
        if answer.reason:
            return None, answer.reason, {"error": answer.sentence}
        evidence = {name: value for name, value in answer.value.items() if name != "score"}
        score = answer.value["score"]
        return score, "" if score is not None else "not_applicable", evidence

    def _composites(
        self, item: MetricItem, defined: Mapping[str, int], reasons: Mapping[str, str]
    ) -> Iterator[ScoreRow]:
        for name, dimensions in COMPOSITES.items():
            own = {d: (defined[d] - LOW) / (HIGH - LOW) for d in dimensions if d in defined}
            value = fmean(own.values()) if own else None
            evidence = {"dimensions": sorted(own)}
            key = f"{self._normalised}_{name}"
            why = "" if own else _most_telling(reasons[d] for d in dimensions)
            yield ScoreRow(item.key, key, "", value, why, evidence)

    def _both(
        self,
        item: MetricItem,
        dimension: str,
        score: float | None,
        reason: str,
        evidence: Mapping[str, Any],
    ) -> Iterator[ScoreRow]:
        raw = None if score is None else float(score)
        unit = None if raw is None else (raw - LOW) / (HIGH - LOW)
        yield ScoreRow(item.key, self._raw, dimension, raw, reason, evidence)
        yield ScoreRow(item.key, self._normalised, dimension, unit, reason, {})


def _said(item: MetricItem, dimension: str) -> dict[str, str]:
    scene = ", ".join(text for name in ("category", "aspect") if (text := item.fields[name]))
    return {
        "prompt": item.fields["prompt"].strip() or "no words are known",
        "country": item.fields["country_name"],
        "aspect": scene,
        "element": item.fields["cultural_element"] or "none is named",
        "criterion": item.inputs["criteria"][dimension]["text"],
    }


def _most_telling(reasons: Iterable[str]) -> str:
    """What a model said comes before what it was not asked."""
    given = set(reasons)
    telling = ("refused", "parse_failed", "not_applicable", "no_prompt", "no_audio")
    return next((name for name in telling if name in given), "not_asked")


def _declared(key: str, name: str, what: str) -> Declaration:
    return Declaration(
        key=key,
        name=name,
        family="CultureVidBench",
        version="2",
        modality="video",
        source=f"CultureVidBench, {what}; criteria are the study's questions, prompts are ours",
        needs=Needs(item_fields=_ITEM_FIELDS, backend="chat"),
        outputs=(
            Output(key=f"{key}_raw", name=f"{name}, 1-5", low=LOW, high=HIGH, better="higher"),
            Output(key=key, name=f"{name}, 0-1", low=0.0, high=1.0, better="higher"),
            *(
                Output(key=f"{key}_{part}", name=f"{name}, {part}", low=0, high=1, better="higher")
                for part in COMPOSITES
            ),
        ),
        dimensions=DIMENSIONS,
        parameters=(CHAT_MODEL, FRAMES, CLIPS),
        reasons=(*REASONS, "no_audio", "no_prompt", "not_asked"),
    )


TARGET_JUDGE = CultureVidBenchJudge(
    _declared("culturevidbench", "CultureVidBench judge", "target-explicit judge"), "target"
)
PLAIN_JUDGE = CultureVidBenchJudge(
    _declared("culturevidbench_plain", "CultureVidBench plain judge", "plain judge"), "plain"
)
