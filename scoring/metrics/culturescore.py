"""CultureScore of single videos: the share of a scenario's questions that are answered with yes.

Source: CultureScore (cultural faithfulness of generated videos by questions on identity, behavior
and context). Every verified question of the scenario's bank is asked of the video in a call of its
own; yes is faithful. In each dimension the score is the share of yes, unweighted; then

    culturescore            mean of the dimensions' shares            0 to 1, higher is better
    culturescore_pooled     share over all questions
    culturescore_weighted   mean of the dimensions' shares by weight  (sum w yes) / (sum w)

A mean is over those of the three dimensions in which something was answered, and their number is
kept as evidence. Probes of another dimension count in the pooled share alone.
Questions that the model refused or answered unreadably are left out and counted; where none is left
the score is undefined. Tables over many videos come from counts, not from means of these scores:
see ``culturescore_tables``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from scoring.backends.chat import ANSWERED, BadAnswerError, Choice, Request
from scoring.metrics.base import (
    CHAT_MODEL,
    Declaration,
    MetricItem,
    Needs,
    Output,
    ProbeText,
    ScoreRow,
)
from scoring.metrics.chat_metric import ChatMetric, Name
from scoring.metrics.culturescore_tables import DIMENSIONS
from scoring.metrics.judged_media import CLIPS, FIELDS, FRAMES, REASONS, seen, words
from scoring.prompting.asking import Answer

HEADLINE = "culturescore"
POOLED = "culturescore_pooled"
WEIGHTED = "culturescore_weighted"
ANSWER = "culturescore/answer"

_BOXED = re.compile(r"\\boxed\s*\{([^{}]*(?:\{[^{}]*\})?[^{}]*)\}")
_IN_A_BOX = re.compile(r"\s*(?:\\text\s*\{)?\s*(yes|no)\s*\.?\s*\}?\s*", re.IGNORECASE)


def read_answer(choice: Choice, request: Request) -> dict[str, Any]:
    """The answer as JSON, or in the published form: reasoning, and a boxed Yes or No at its end.

    Raises ``BadAnswerError``.
    """
    try:
        answer: dict[str, Any] = choice.json(request.schema or {"type": "object"})
    except BadAnswerError:
        boxed = _BOXED.findall(choice.text)
        said = _IN_A_BOX.fullmatch(boxed[-1]) if boxed else None
        if choice.outcome != ANSWERED or said is None:
            raise  # "Yes or No", as the question puts it, is neither
        return {"answer": said[1].capitalize(), "observed": choice.text.strip()}
    return answer


class CultureScore(ChatMetric):
    """A registered metric: one call a question."""

    read = staticmethod(read_answer)
    declaration = Declaration(
        key="culturescore",
        name="CultureScore",
        family="CultureScore",
        version="2",
        modality="video",
        source="CultureScore: questions on identity, behavior and context, answered by a model",
        needs=Needs(item_fields=FIELDS, backend="chat", probes=True),
        outputs=tuple(
            Output(key=key, name=name, low=0.0, high=1.0, better="higher")
            for key, name in (
                (HEADLINE, "CultureScore"),
                (POOLED, "CultureScore, pooled over questions"),
                (WEIGHTED, "CultureScore, weighted"),
            )
        ),
        dimensions=DIMENSIONS,
        parameters=(CHAT_MODEL, FRAMES, CLIPS),
        reasons=("no_probes", *REASONS),
    )

    def asked(self, item: MetricItem, parameters: Mapping[str, Any]) -> dict[Name, Request] | str:
        pictures = seen(item, parameters) if item.probes else "no_probes"
        if isinstance(pictures, str):
            return pictures
        return {
            probe.key: words(item, ANSWER).request(
                model=str(parameters["model"]),
                inputs={"dimension": _dimension(probe), "question": probe.text},
                pictures=pictures,
            )
            for probe in item.probes
        }

    def rows(
        self, item: MetricItem, answers: Mapping[Name, Answer], parameters: Mapping[str, Any]
    ) -> Iterator[ScoreRow]:
        """Rows of every output overall, and of the shares by dimension."""
        own = [(probe, answers[probe.key]) for probe in item.probes]
        by_dimension: dict[str, list[tuple[ProbeText, Answer]]] = {d: [] for d in DIMENSIONS}
        for probe, answer in own:
            by_dimension.setdefault(_dimension(probe), []).append((probe, answer))
        shares: dict[str, float] = {}
        weighted: dict[str, float] = {}
        for name, pairs in by_dimension.items():
            good = [(probe.weight, _is_yes(answer)) for probe, answer in pairs if not answer.reason]
            if not good:
                reason = pairs[0][1].reason if pairs else "no_probes"
                yield ScoreRow(item.key, HEADLINE, name, None, reason, _evidence(pairs))
                continue
            share = fmean(yes for _, yes in good)
            yield ScoreRow(item.key, HEADLINE, name, share, "", _evidence(pairs))
            total = sum(weight for weight, _ in good)
            if name in DIMENSIONS:
                shares[name] = share
                if total > 0:
                    weighted[name] = sum(weight * yes for weight, yes in good) / total
        yield from _overall(item, own, shares, weighted)


def _dimension(probe: ProbeText) -> str:
    """Never empty: that is the name of the overall score."""
    name = probe.dimension.strip().casefold() or "none"
    return "behavior" if name == "behaviour" else name


def _overall(
    item: MetricItem,
    answers: Sequence[tuple[ProbeText, Answer]],
    shares: Mapping[str, float],
    weighted: Mapping[str, float],
) -> Iterator[ScoreRow]:
    answered = [_is_yes(answer) for _, answer in answers if not answer.reason]
    why = "" if answered else answers[0][1].reason
    counts = {
        "asked": len(answers),
        "answered": len(answered),
        "yes": sum(answered),
        "dimensions": len(shares),
    }
    values = {
        HEADLINE: fmean(shares.values()) if shares else None,
        POOLED: fmean(answered) if answered else None,
        WEIGHTED: fmean(weighted.values()) if weighted else None,
    }
    for output, value in values.items():
        # Without a positive weight among answered questions there is nothing to weigh.
        reason = "" if value is not None else why or "no_probes"
        yield ScoreRow(item.key, output, "", value, reason, counts)


def _is_yes(answer: Answer) -> bool:
    return bool(answer.value["answer"] == "Yes")


def _evidence(answers: Sequence[tuple[ProbeText, Answer]]) -> dict[str, Any]:
    return {"questions": [_told(probe, answer) for probe, answer in answers]}


def _told(probe: ProbeText, answer: Answer) -> dict[str, Any]:
    told: dict[str, Any] = {"probe": probe.key, "question": probe.text, "weight": probe.weight}
    if answer.reason:
        return {**told, "reason": answer.reason, "error": answer.sentence}
    rest = {name: value for name, value in answer.value.items() if value and name != "answer"}
    return {**told, "yes": _is_yes(answer), **rest}


CULTURESCORE = CultureScore()
