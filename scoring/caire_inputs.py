"""What CAIRe is given of a study: a label set, gold entities, the study's own prompts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from scoring.asked_of_models import Prompted
from scoring.metrics.base import ParameterError
from scoring.models import LabelSet
from studies.models import Item, Study

GOLD_ENTITY = "gold_entity"
GOLD_LABELS = "gold_labels"
"""Columns of the items' table that hold what is right, several with a bar between them."""


def resolve(*, study: Study, parameters: Mapping[str, object]) -> Mapping[str, Any]:
    """The study's only label set where none is named.

    Raises ``ParameterError`` where there is none, or several, or not the named one.
    """
    names = list(study.label_sets.values_list("name", flat=True))
    if not names:
        raise ParameterError(
            "This study has no label set. Write one in the admin, under Label sets, or import one: "
            "manage.py import_labels."
        )
    wanted = str(parameters.get("labels") or "").strip()
    if not wanted and len(names) == 1:
        return {**parameters, "labels": names[0]}
    if wanted not in names:
        said = f"There is no label set {wanted!r}" if wanted else "Name a label set"
        raise ParameterError(f"{said}. This study has: {', '.join(names)}.")
    return parameters


def mark(*, study: Study, parameters: Mapping[str, object]) -> str:
    """Differs as soon as the labels or the named gold entities do, or the label set is gone."""
    golds = study.items.order_by("pk").values_list(f"metadata__{GOLD_ENTITY}", flat=True)
    found = study.label_sets.filter(name=str(parameters.get("labels") or "")).first()
    told = json.dumps([found.lines if found else None, [gold or "" for gold in golds]])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def several(item: Item, column: str) -> list[str]:
    """What an item's column of the import holds, e.g. ``Q1 | Q2``."""
    written = str(item.metadata.get(column) or "")
    return [part.strip() for part in written.split("|") if part.strip()]


class CaireInputs(Prompted):
    metric = "caire"

    def __init__(self, *, study: Study, parameters: Mapping[str, object]) -> None:
        super().__init__(study=study, parameters=parameters)
        self._labels = _label_set(study, parameters).lines

    def own_inputs(self, item: Item) -> Mapping[str, Any]:
        return {"labels": self._labels, "gold_entities": several(item, GOLD_ENTITY)}


class CaireLikelihoodInputs(CaireInputs):
    metric = "caire_likelihood"


class CaireChatInputs(CaireInputs):
    metric = "caire_chat"

    def own_inputs(self, item: Item) -> Mapping[str, Any]:
        return {"labels": self._labels}


class CaireProbesInputs(CaireChatInputs):
    metric = "caire_probes"


class VqaScoreInputs(Prompted):
    metric = "vqascore"


def _label_set(study: Study, parameters: Mapping[str, object]) -> LabelSet:
    name = str(parameters.get("labels") or "")
    found = study.label_sets.filter(name=name).first()
    if found is None:
        raise ParameterError(f"This study has no label set {name!r} any more.")
    return found
