"""Writing probes, gold labels and the prompt book: new, changed and same by their keys.

Every verb comes in two steps: ``plan_*`` reads and compares outside any transaction, ``write_*``
writes the differences in short ones. Written once more, nothing is new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import models, transaction

from studies.importing.gold import GoldRecord
from studies.importing.probes import ProbeRecord
from studies.importing.problems import Problem
from studies.importing.scenarios import ScenarioRecord
from studies.importing.tables import visible
from studies.models import GoldLabel, Probe, Scenario, ScenarioPrompt, Study

BATCH = 1000
Progress = Callable[[int, int], None]


def no_progress(done: int, total: int) -> None:
    """For callers that show none."""


@dataclass
class RowPlan:
    """``new`` are unsaved rows, ``changed`` rows to be updated in ``fields``."""

    new: list[models.Model] = field(default_factory=list)
    changed: list[models.Model] = field(default_factory=list)
    n_same: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        return {"new": len(self.new), "changed": len(self.changed), "same": self.n_same}

    def take(self, row: models.Model | None, fresh: models.Model, fields: Sequence[str]) -> None:
        """Compare ``fresh`` with the row the study has, if any."""
        if row is None:
            self.new.append(fresh)
        elif any(getattr(row, name) != getattr(fresh, name) for name in fields):
            fresh.pk = row.pk
            self.changed.append(fresh)
        else:
            self.n_same += 1


def _write(
    model: type[models.Model], plan: RowPlan, fields: Sequence[str], on_progress: Progress
) -> None:
    total = len(plan.new) + len(plan.changed)
    done = 0
    manager: Any = model._default_manager
    for rows, write in (
        (plan.new, lambda part: manager.bulk_create(part, ignore_conflicts=True)),
        (plan.changed, lambda part: manager.bulk_update(part, fields)),
    ):
        for start in range(0, len(rows), BATCH):
            on_progress(done + start, total)
            with transaction.atomic():
                write(rows[start : start + BATCH])
        done += len(rows)
    on_progress(total, total)


# Probes

_PROBE = (
    "scenario",
    "country",
    "dimension",
    "text",
    "weight",
    "verified",
    "evidence",
    "source",
    "metadata",
)
_ASKED = ("scenario", "country", "dimension", "text")


def plan_probes(study: Study, records: Sequence[ProbeRecord]) -> RowPlan:
    """What probes are new, changed or the same; one that people were asked keeps its words."""
    have = {probe.external_id: probe for probe in study.probes.all()}
    asked: set[str] = set()
    if not study.is_draft:
        used = study.probes.filter(unit_probes__isnull=False)
        asked = set(used.values_list("external_id", flat=True))
    plan = RowPlan()
    for record in records:
        values = {name: getattr(record, name) for name in _PROBE}
        values["metadata"] = dict(record.metadata or {})
        fresh = Probe(study=study, external_id=record.probe_id, **values)
        row = have.get(record.probe_id)
        if row is not None and record.probe_id in asked:
            changed = [n for n in _ASKED if getattr(row, n) != getattr(fresh, n)]
            plan.problems += [
                Problem(
                    record.line,
                    name,
                    visible(values[name]),
                    "People were asked this probe as it was",
                    "Leave it, or bring the new one under an id of its own.",
                )
                for name in changed
            ]
            if changed:
                continue
        plan.take(row, fresh, _PROBE)
    return plan


def write_probes(plan: RowPlan, on_progress: Progress = no_progress) -> dict[str, int]:
    _write(Probe, plan, _PROBE, on_progress)
    return plan.counts


# Gold labels


def plan_gold(study: Study, records: Sequence[GoldRecord]) -> RowPlan:
    items = dict(study.items.values_list("external_id", "pk"))
    rows = study.gold_labels.values_list("pk", "item_id", "label_set", "label", "value")
    have = {
        (item, label_set, label): GoldLabel(pk=pk, value=value)
        for pk, item, label_set, label, value in rows.iterator(chunk_size=5000)
    }
    plan = RowPlan()
    for record in records:
        item = items[record.item_id]
        fresh = GoldLabel(
            study=study,
            item_id=item,
            label_set=record.label_set,
            label=record.label,
            value=record.value,
        )
        plan.take(have.get((item, record.label_set, record.label)), fresh, ("value",))
    return plan


def write_gold(plan: RowPlan, on_progress: Progress = no_progress) -> dict[str, int]:
    _write(GoldLabel, plan, ("value",), on_progress)
    return plan.counts


# The prompt book

_SCENARIO = ("country", "category", "aspect", "cultural_element", "sub_activities")


@dataclass
class BookPlan:
    """Scenarios, and the prompts of each by its key and variant."""

    scenarios: RowPlan
    prompts: dict[tuple[str, str], str]
    counts: dict[str, int]


def plan_book(study: Study, records: Sequence[ScenarioRecord]) -> BookPlan:
    """Counts are of prompts; a scenario whose own facts change counts with its prompts."""
    have = {scenario.key: scenario for scenario in study.scenarios.all()}
    rows = ScenarioPrompt.objects.filter(scenario__study=study)
    known = {
        (key, variant): text
        for key, variant, text in rows.values_list("scenario__key", "variant", "text")
    }
    plan = RowPlan()
    counts = {"new": 0, "changed": 0, "same": 0}
    prompts: dict[tuple[str, str], str] = {}
    for record in records:
        values = {name: getattr(record, name) for name in _SCENARIO}
        values["sub_activities"] = list(record.sub_activities)
        before = len(plan.changed)
        plan.take(
            have.get(record.scenario),
            Scenario(study=study, key=record.scenario, **values),
            _SCENARIO,
        )
        is_changed = len(plan.changed) > before
        for variant, text in record.prompts.items():
            old = known.get((record.scenario, variant))
            counts[
                "new" if old is None else "changed" if old != text or is_changed else "same"
            ] += 1
            if old != text:
                prompts[record.scenario, variant] = text
    return BookPlan(plan, prompts, counts)


def write_book(study: Study, plan: BookPlan, on_progress: Progress = no_progress) -> dict[str, int]:
    _write(Scenario, plan.scenarios, _SCENARIO, no_progress)
    keys = dict(study.scenarios.values_list("key", "pk"))
    rows = [
        ScenarioPrompt(scenario_id=keys[key], variant=variant, text=text)
        for (key, variant), text in plan.prompts.items()
    ]
    for start in range(0, len(rows), BATCH):
        on_progress(start, len(rows))
        with transaction.atomic():
            ScenarioPrompt.objects.bulk_create(
                rows[start : start + BATCH],
                update_conflicts=True,
                unique_fields=["scenario", "variant"],
                update_fields=["text"],
            )
    on_progress(len(rows), len(rows))
    return plan.counts
