"""CAIRe by likelihood: how probable the name of a label is as the answer, given the article.

    caire_raw      L = log P(label | article, picture, phrase)      sum over the label's tokens
    caire_base     B = log P(label | phrase alone)
    caire_debiased L - lambda max(B, T)

Natural logarithms; higher is more relevant. B is what the label's name is worth by itself: common
names are probable whatever is shown. T keeps a very improbable name from gaining without end. These
put labels in an order and are no points from 1 to 5. lambda and T are parameters, and their
defaults are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from scoring.backends.answer_options import continuation_logprob
from scoring.backends.chat import Picture, Request
from scoring.metrics.base import (
    CHAT_MODEL,
    Declaration,
    MetricItem,
    Needs,
    Output,
    Parameter,
    ScoreRow,
)
from scoring.metrics.caire.articles import (
    LABELS,
    SEES,
    SOURCE,
    ArticleMetric,
    Asked,
    labels_of,
)
from scoring.metrics.caire.context import CONTEXT, LETTERS, TITLES, WAY, Context
from scoring.metrics.item_pictures import FIELDS, REASONS, SECONDS
from scoring.metrics.judged_media import words
from scoring.metrics.rows import undefined_rows
from scoring.prompting.asking import Answer, Read

WITH_ARTICLE, ALONE = "caire/name", "caire/name_alone"
_LOWEST, _HIGHEST = -1e6, 1e6  # bounds must be named; log-probabilities have none

_CONTEXT = replace(  # names of entities tell nothing here
    CONTEXT, options=tuple(option for option in CONTEXT.options if option[0] != TITLES)
)
_LAMBDA = Parameter(
    name="lambda",
    label="how much of the base is taken off",
    help="0: nothing. 1: all of it.",
    low=0,
    high=10,
    required=False,
    default=1,
)
_FLOOR = Parameter(
    name="floor",
    label="the lowest base that is taken off",
    help="A natural logarithm. Names that are less probable by themselves count as this probable.",
    low=-1000,
    high=0,
    required=False,
    default=-20,
)


class CaireLikelihoodMetric(ArticleMetric):
    """Three rows a label."""

    declaration = Declaration(
        key="caire_likelihood",
        name="CAIRe by likelihood",
        family="CAIRe",
        version="2",
        modality="image",
        source=SOURCE,
        needs=Needs(item_fields=FIELDS, backend="knowledge_base+chat"),
        outputs=tuple(
            Output(key=key, name=name, low=_LOWEST, high=high, better="higher")
            for key, name, high in (
                ("caire_raw", "Log-probability of the name", 0.0),
                ("caire_base", "Log-probability of the name alone", 0.0),
                ("caire_debiased", "Log-probability, base taken off", _HIGHEST),
            )
        ),
        parameters=(CHAT_MODEL, LABELS, WAY, _CONTEXT, SEES, _LAMBDA, _FLOOR, LETTERS, SECONDS),
        reasons=("no_article", "no_labels", "no_logprobs", *REASONS),
    )

    def asked(
        self,
        item: MetricItem,
        context: Context,
        pictures: tuple[Picture, ...],
        model: str,
        parameters: Mapping[str, Any],
    ) -> Iterator[tuple[Asked, Request]]:
        """Every label with the article, and every label alone, which is of no item."""
        told = words(item, WITH_ARTICLE).request(
            model=model, inputs=context.inputs, pictures=pictures
        )
        alone = words(item, ALONE).request(model=model, inputs={})
        for label in labels_of(item):
            yield (item.key, label), replace(told, continuation=label)
            yield ("", label), replace(alone, continuation=label)

    def reader(self, parameters: Mapping[str, Any]) -> Read:
        return lambda choice, _request: continuation_logprob(choice)

    def item_rows(
        self,
        item: MetricItem,
        context: Context,
        answers: Mapping[Asked, Answer],
        why: Mapping[str, str],
        parameters: Mapping[str, Any],
    ) -> Iterator[ScoreRow]:
        labels = labels_of(item)
        if not labels:
            yield from _undefined(item, "", "no_labels", {})
        for label in labels:
            evidence = dict(context.evidence)
            if item.key in why:
                yield from _undefined(item, label, why[item.key], evidence)
            else:
                pair = answers[item.key, label], answers["", label]
                yield from _scored(item, label, pair, evidence, parameters)


def debiased(raw: float, base: float, *, weight: float, floor: float) -> float:
    """See the module."""
    return raw - weight * max(base, floor)


def _scored(
    item: MetricItem,
    label: str,
    answers: tuple[Answer, Answer],
    evidence: dict[str, Any],
    parameters: Mapping[str, Any],
) -> Iterator[ScoreRow]:
    failed = next((answer for answer in answers if answer.reason), None)
    if failed is not None:
        told = evidence | {"error": failed.sentence}
        yield from _undefined(item, label, failed.reason, told)
        return
    raw, base = (float(answer.value) for answer in answers)
    yield ScoreRow(item.key, "caire_raw", label, raw, "", evidence)
    yield ScoreRow(item.key, "caire_base", label, base, "", {})
    value = debiased(
        raw, base, weight=float(parameters["lambda"]), floor=float(parameters["floor"])
    )
    yield ScoreRow(item.key, "caire_debiased", label, value, "", {})


def _undefined(
    item: MetricItem, label: str, reason: str, evidence: Mapping[str, Any]
) -> Iterator[ScoreRow]:
    declared = CaireLikelihoodMetric.declaration
    return undefined_rows(
        declared, reason=reason, evidence=evidence, item_key=item.key, dimension=label
    )


CAIRE_LIKELIHOOD = CaireLikelihoodMetric()
