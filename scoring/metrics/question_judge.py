"""A model as one more rater: the study's own questions, in the words that annotators read.

Each question that people are asked about an item is a call of its own: question, help, every point
of the scale with its description, and the way out where the question has one. The reason is asked
before the number. A score is a point of the question's scale. Where several samples are drawn it is
their mean, or, where the answers have no order, the one that most samples give; how often they
agree is kept. The dimension is the question's key.

    judge          questions whose higher answers are better, or that have no direction
    judge_faults   questions whose lower answers are better

Undefined: ``not_applicable`` where the model takes the way out, or where people would not be
asked; ``tied`` where answers without an order come equally often; ``refused``, ``parse_failed``.
There is no overall score: questions are no parts of one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from statistics import fmean
from typing import Any

from scoring.backends.chat import Request
from scoring.metrics.base import (
    CHAT_MODEL,
    Declaration,
    MetricItem,
    Needs,
    Output,
    Parameter,
    ScoreRow,
    Text,
)
from scoring.metrics.chat_metric import ChatMetric, Name
from scoring.metrics.judged_media import CLIPS, FIELDS, FRAMES, REASONS, seen, words
from scoring.prompting.asking import Answer

PROMPT = "judge/question"
GOOD, FAULTS = "judge", "judge_faults"

SAMPLES = Parameter(
    name="samples",
    label="the number of samples",
    help="Answers drawn for each question. More than one need a temperature above 0.",
    low=1,
    high=20,
    required=False,
    default=1,
    whole=True,
)
TEMPERATURE = Parameter(
    name="temperature",
    label="the temperature",
    help="0 gives the most probable answer.",
    low=0.0,
    high=2.0,
    required=False,
    default=0.0,
)
LANGUAGE = Text(
    name="language",
    label="the language",
    help="Its code, as annotators had it, such as fa. Empty: the study's base language.",
)


def _conflict(parameters: Mapping[str, Any]) -> str:
    """Samples at temperature 0 are one answer many times, and agree with themselves."""
    if parameters["samples"] > 1 and parameters["temperature"] == 0:
        return "Several samples need a temperature above 0: at 0 all of them are the same answer."
    return ""


class QuestionJudge(ChatMetric):
    """``inputs`` of an item: ``questions``, by key ``text`` (with the scale), ``values``, ``na``,
    ``direction``, ``applies``, and ``unordered`` where the answers have no order; and ``scene``,
    what the item was to depict."""

    declaration = Declaration(
        key="judge",
        name="Model as rater",
        family="Judges",
        version="2",
        modality="image",
        source="The study's own questions asked of a model (MLLM as judge); the prompt is ours",
        needs=Needs(item_fields=FIELDS, backend="chat"),
        outputs=(
            Output(key=GOOD, name="Model as rater", low=-1e6, high=1e6, better="higher"),
            Output(key=FAULTS, name="Model as rater, faults", low=-1e6, high=1e6, better="lower"),
        ),
        parameters=(CHAT_MODEL, LANGUAGE, SAMPLES, TEMPERATURE, FRAMES, CLIPS),
        reasons=(*REASONS, "not_asked", "tied"),
        conflict=_conflict,
    )

    def asked(self, item: MetricItem, parameters: Mapping[str, Any]) -> dict[Name, Request] | str:
        questions = item.inputs.get("questions", {})
        if not questions:
            return "not_asked"
        pictures = seen(item, parameters)
        if isinstance(pictures, str):
            return pictures
        return {
            (key, sample): self._request(item, question, pictures, parameters, sample)
            for key, question in questions.items()
            if question["applies"]
            for sample in range(int(parameters["samples"]))
        }

    def rows(
        self, item: MetricItem, answers: Mapping[Name, Answer], parameters: Mapping[str, Any]
    ) -> Iterator[ScoreRow]:
        for key, question in item.inputs["questions"].items():
            output = FAULTS if question["direction"] == "lower" else GOOD
            own = [
                answers[key, n] for n in range(int(parameters["samples"])) if (key, n) in answers
            ]
            if not own:
                yield ScoreRow(item.key, output, key, None, "not_applicable", {})
            else:
                yield _row(item, output, key, own, unordered=question.get("unordered", False))

    def _request(
        self,
        item: MetricItem,
        question: Mapping[str, Any],
        pictures: tuple[Any, ...],
        parameters: Mapping[str, Any],
        sample: int,
    ) -> Request:
        several = int(parameters["samples"]) > 1
        request = words(item, PROMPT).request(
            model=str(parameters["model"]),
            inputs={"scene": item.inputs["scene"], "question": question["text"]},
            pictures=pictures,
            seed=sample if several else None,
            temperature=float(parameters["temperature"]),
        )
        values: list[Any] = [*question["values"], *([None] if question["na"] else [])]
        kinds = ["integer", "null"] if question["na"] else "integer"
        shape: dict[str, Any] = dict(request.schema or {})
        shape["properties"] = {**shape["properties"], "score": {"type": kinds, "enum": values}}
        return replace(request, schema=shape)


def _row(
    item: MetricItem, output: str, key: str, answers: list[Answer], *, unordered: bool
) -> ScoreRow:
    good = [answer.value for answer in answers if not answer.reason]
    scores = [value["score"] for value in good if value["score"] is not None]
    evidence: dict[str, Any] = {
        "reasons": [value["reason"] for value in good],
        "samples": [value["score"] for value in good],
        "unread": len(answers) - len(good),
    }
    if not good or len(scores) * 2 <= len(good):
        reason = "not_applicable" if good else answers[0].reason
        return ScoreRow(item.key, output, key, None, reason, evidence)
    (most, times), *others = Counter(scores).most_common()
    if len(answers) > 1:
        evidence["same"] = times / len(good)
    if not unordered:
        return ScoreRow(item.key, output, key, fmean(scores), "", evidence)
    if others and others[0][1] == times:
        return ScoreRow(item.key, output, key, None, "tied", evidence)
    return ScoreRow(item.key, output, key, float(most), "", evidence)


JUDGE = QuestionJudge()
