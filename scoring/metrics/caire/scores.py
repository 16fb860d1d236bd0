"""CAIRe: how relevant a picture is to each label of a set, from 1 to 5.

A picture is linked to entities of a knowledge base (``linking``); a chat model reads the article of
the first one, or the names of the first 20, with the picture or without it, and every label in a
call of its own, exactly as it was written. ``relevance`` has the formulas. The model answers with
one of five digits, whose probabilities are kept; read as free text, the same question is another
output, ``caire_free``. Without an article nothing is asked: ``no_article``.

Source: CAIRe (arXiv:2506.09109). Words of prompts and limits of length are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from scoring.backends.answer_options import OptionProbabilities, among
from scoring.backends.chat import Picture, Request
from scoring.metrics.base import (
    CHAT_MODEL,
    CellItems,
    Choice,
    Declaration,
    Descriptor,
    MetricItem,
    Needs,
    Output,
    Progress,
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
from scoring.metrics.caire.relevance import (
    POINTS,
    coverage,
    expected_point,
    mean_distance,
    most_probable_point,
    read_free,
    read_points,
)
from scoring.metrics.item_metric import one_by_one
from scoring.metrics.item_pictures import FIELDS, REASONS, SECONDS
from scoring.metrics.judged_media import words
from scoring.prompting.asking import Answer, Read

READING = Choice(
    name="reading",
    label="how the answer is read",
    help="Probabilities of the five digits need a model that tells them.",
    options=(("probabilities", "Probabilities of the five digits"), ("free", "The digit written")),
)


class CaireMetric(ArticleMetric):
    declaration = Declaration(
        key="caire",
        name="CAIRe",
        family="CAIRe",
        version="2",
        modality="image",
        source=SOURCE,
        needs=Needs(item_fields=FIELDS, backend="knowledge_base+chat"),
        outputs=(
            Output(key="caire", name="Relevance", low=1, high=5, better="higher"),
            Output(key="caire_expected", name="Expected relevance", low=1, high=5, better="higher"),
            Output(key="caire_free", name="Relevance as written", low=1, high=5, better="higher"),
            Output(
                key="caire_diversity",
                name="Diversity of the set",
                low=0,
                high=0.84,
                better="higher",
                of="cell",
            ),
            Output(
                key="caire_coverage",
                name="Coverage of the set",
                low=0,
                high=1,
                better="higher",
                of="cell",
            ),
        ),
        parameters=(CHAT_MODEL, LABELS, WAY, CONTEXT, SEES, READING, LETTERS, SECONDS),
        reasons=(
            "no_article",
            "no_labels",
            "too_few_pictures",
            "no_logprobs",
            "refused",
            "parse_failed",
            *REASONS,
        ),
        cells=("activity", "country", "system"),
    )

    def score_cells(
        self,
        *,
        cells: Sequence[CellItems],
        descriptors: Sequence[Descriptor],
        backend: Mapping[str, Any],
        parameters: Mapping[str, object],
        on_progress: Progress | None = None,
    ) -> Iterator[ScoreRow]:
        """Diversity and coverage of each cell's pictures; answers come from the store."""
        cleaned = self.declaration.clean_parameters(parameters)
        return self._cell_rows(cells, backend, cleaned, on_progress)

    def asked(
        self,
        item: MetricItem,
        context: Context,
        pictures: tuple[Picture, ...],
        model: str,
        parameters: Mapping[str, Any],
    ) -> Iterator[tuple[Asked, Request]]:
        """Every label in a call of its own."""
        name = "caire/titles" if parameters["context"] == TITLES else "caire/relevance"
        asked_with = words(item, name)
        for label in labels_of(item):
            inputs = {**context.inputs, "label": label}
            request = asked_with.request(model=model, inputs=inputs, pictures=pictures)
            yield (item.key, label), among(request, POINTS) if _by_points(parameters) else request

    def reader(self, parameters: Mapping[str, Any]) -> Read:
        read = read_points if _by_points(parameters) else read_free
        return lambda choice, _request: read(choice)

    def item_rows(
        self,
        item: MetricItem,
        context: Context,
        answers: Mapping[Asked, Answer],
        why: Mapping[str, str],
        parameters: Mapping[str, Any],
    ) -> Iterator[ScoreRow]:
        """The first label's row holds the list of linked entities too."""
        outputs = _outputs(parameters)
        labels = labels_of(item)
        if not labels:
            for output in outputs:
                yield ScoreRow(item.key, output, "", None, "no_labels", {})
        for place, label in enumerate(labels):
            evidence: dict[str, Any] = dict(context.evidence)
            if place == 0 and context.linked:
                evidence["linked"] = [one.stored() for one in context.linked]
            answer = answers.get((item.key, label))
            reason = why.get(item.key, "") if answer is None else answer.reason
            if answer is None or answer.reason:
                told = {} if answer is None else {"error": answer.sentence}
                for output in outputs:
                    yield ScoreRow(item.key, output, label, None, reason, {**evidence, **told})
                continue
            for output, value, found in _values(answer, outputs):
                yield ScoreRow(item.key, output, label, value, "", {**evidence, **found})

    def _cell_rows(
        self,
        cells: Sequence[CellItems],
        backend: Mapping[str, Any],
        parameters: Mapping[str, Any],
        on_progress: Progress | None,
    ) -> Iterator[ScoreRow]:
        first = _outputs(parameters)[0]
        for cell in one_by_one(cells, on_progress):
            rows = list(self._rows(cell.items, backend, parameters, None))
            yield from cell_rows(cell, [row for row in rows if row.metric == first])


def cell_rows(cell: CellItems, rows: Sequence[ScoreRow]) -> Iterator[ScoreRow]:
    """Diversity and coverage over the items that have a score for every label."""
    by_item: dict[str, list[float | None]] = {item.key: [] for item in cell.items}
    for row in rows:
        by_item[row.item_key].append(row.value)
    whole = [values for values in by_item.values() if values and None not in values]
    left_out = {row.item_key: row.reason for row in reversed(rows) if row.reason}
    evidence = {"n": len(whole), "left_out": left_out}
    reason = next((row.reason for row in rows if row.reason), "") or "no_labels"
    scores = np.array(whole, dtype=np.float64)
    diversity = mean_distance(scores) if len(whole) > 1 else None
    covered = coverage(scores) if whole else None
    too_few = "too_few_pictures" if whole else reason
    for output, value in (("caire_diversity", diversity), ("caire_coverage", covered)):
        why = "" if value is not None else too_few
        yield ScoreRow("", output, "", value, why, evidence, cell.cell)


def _outputs(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    return ("caire", "caire_expected") if _by_points(parameters) else ("caire_free",)


def _by_points(parameters: Mapping[str, Any]) -> bool:
    return bool(parameters["reading"] == "probabilities")


def _values(
    answer: Answer, outputs: Sequence[str]
) -> Iterator[tuple[str, float, Mapping[str, Any]]]:
    if isinstance(answer.value, OptionProbabilities):
        found: OptionProbabilities = answer.value
        evidence: dict[str, Any] = {"p": dict(found.of), "mass": found.mass}
        if found.unlisted:
            evidence["unlisted"] = list(found.unlisted)
        yield "caire", float(most_probable_point(found.of)), evidence
        yield "caire_expected", expected_point(found.of), evidence
    else:
        yield outputs[0], float(answer.value), {"answer": answer.texts[-1]}


CAIRE = CaireMetric()
