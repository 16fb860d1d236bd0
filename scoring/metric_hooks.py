"""What a metric does itself on the side of the database, by its key; see ``scoring.gathering``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from django.utils.module_loading import import_string

from scoring.metrics.base import Cell
from studies.models import Item, Study

GATHERERS: dict[str, str] = {
    "ahead": "scoring.ahead.inputs.gather",
    "ahead_judge": "scoring.ahead.judging.AheadJudgeInputs",
    "caire": "scoring.caire_inputs.CaireInputs",
    "caire_chat": "scoring.caire_inputs.CaireChatInputs",
    "caire_likelihood": "scoring.caire_inputs.CaireLikelihoodInputs",
    "caire_probes": "scoring.caire_inputs.CaireProbesInputs",
    "culturescore": "scoring.asked_of_models.CultureScoreInputs",
    "culturevidbench": "scoring.asked_of_models.CultureVidBenchInputs",
    "culturevidbench_plain": "scoring.asked_of_models.CultureVidBenchPlainInputs",
    "judge": "scoring.asked_of_models.JudgeInputs",
    "triplet_judge": "scoring.asked_of_models.TripletInputs",
    "unified_reward": "scoring.asked_of_models.UnifiedRewardInputs",
    "viescore": "scoring.asked_of_models.VieScoreInputs",
    "vqascore": "scoring.caire_inputs.VqaScoreInputs",
}
"""Metric -> dotted path of ``gather(*, study, parameters) -> Gathered``."""

RESOLVERS: dict[str, str] = {
    "ahead": "scoring.ahead.inputs.resolve",
    "ahead_judge": "scoring.ahead.judging.resolve",
    "caire": "scoring.caire_inputs.resolve",
    "caire_chat": "scoring.caire_inputs.resolve",
    "caire_likelihood": "scoring.caire_inputs.resolve",
    "caire_probes": "scoring.caire_inputs.resolve",
}
"""Metric -> dotted path of ``resolve(*, study, parameters) -> Mapping``: parameters that follow
from the study, such as a stored threshold, filled in before they are judged. It may raise
``ParameterError`` or another ``MetricError``."""

MARKS: dict[str, str] = {
    "ahead": "scoring.ahead.inputs.mark",
    "caire": "scoring.caire_inputs.mark",
    "caire_chat": "scoring.caire_inputs.mark",
    "caire_likelihood": "scoring.caire_inputs.mark",
    "caire_probes": "scoring.caire_inputs.mark",
}
"""Metric -> dotted path of ``mark(*, study, parameters) -> str``, at most 80 characters: differs
as soon as the study's data would give other scores. Asked for by pages, so it must be quick."""


class Gathered(Protocol):
    """What a metric gathers itself. The mappings are JSON-serialisable and hold everything that
    the scores follow from beside the declared item fields: stored scores are found by them."""

    def item_inputs(self, item: Item) -> Mapping[str, Any]: ...

    def cell_inputs(self, cell: Cell, items: Sequence[Item]) -> Mapping[str, Any]: ...


class _Nothing:
    def item_inputs(self, item: Item) -> Mapping[str, Any]:
        return {}

    def cell_inputs(self, cell: Cell, items: Sequence[Item]) -> Mapping[str, Any]:
        return {}


def gathered(*, study: Study, metric: str, parameters: Mapping[str, object]) -> Gathered:
    """The metric's own gathering, or one that gives nothing."""
    if metric not in GATHERERS:
        return _Nothing()
    return import_string(GATHERERS[metric])(study=study, parameters=parameters)


def resolved(*, study: Study, metric: str, parameters: Mapping[str, object]) -> Mapping[str, Any]:
    """The parameters with what follows from the study."""
    if metric not in RESOLVERS:
        return parameters
    return import_string(RESOLVERS[metric])(study=study, parameters=parameters)


def own_mark(*, study: Study, metric: str, parameters: Mapping[str, object]) -> str | None:
    """The metric's own mark of its inputs; None where it has none."""
    if metric not in MARKS:
        return None
    return import_string(MARKS[metric])(study=study, parameters=parameters)
