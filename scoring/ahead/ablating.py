"""The step that makes the table of AHEaD's ablations from a run and what else the study has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from annotation.ratings import likert_questions, mean_ratings
from scoring.ahead.inputs import AheadInputs, proposers, stored_calibration
from scoring.backing import Wanted, backend_of
from scoring.metrics.ahead.ablations import ByItem, Variant, ablation_table, part_variants
from scoring.metrics.ahead.alignment import ALIGN, ALIGN_HAL, HAL
from scoring.metrics.ahead.exaggeration import EXAG
from scoring.metrics.ahead.judge import HIGH, LOW, OUTPUTS
from scoring.metrics.ahead.metric import AHEAD
from scoring.metrics.base import MetricError, MetricItem, ParameterError
from scoring.models import MetricRun, WorkState
from scoring.step_work import Work
from studies.models import Item, Study

QUESTION = "faithfulness"
SOURCE_WORDS = {
    "stereotypes": "Stereotypes",
    "reference": "References",
    "real": "Seen in real images",
}


def checked(study: Study, parameters: dict[str, Any]) -> dict[str, Any]:
    """The run of AHEaD (default: the newest done) and the question, by its key."""
    done = study.metric_runs.filter(metric=AHEAD.declaration.key, state=WorkState.DONE)
    given = parameters.get("run")
    run = done.filter(pk=given).first() if given else done.first()
    if run is None:
        raise ParameterError("There is no run of AHEaD that is done. Start one in Metrics.")
    keys = [question.key for question in likert_questions(study)]
    if not keys:
        raise ParameterError("The study asks no question on a scale to hold the variants against.")
    named = parameters.get("question") or (QUESTION if QUESTION in keys else keys[0])
    if named not in keys:
        raise ParameterError(f"There is no such question: {named}. There are: {', '.join(keys)}.")
    return {"run": run.pk, "question": named}


def do(work: Work) -> None:
    run = work.study.metric_runs.filter(pk=work.parameters["run"]).first()
    if run is None:
        raise MetricError("The run was deleted. Ask for the ablations of another one.")
    work.begin(4)
    items = _scored_items(run)
    variants = part_variants(_parts(run))
    work.advance()
    variants += _recomputed(work, run, items)
    work.advance()
    variants += _of_candidates(run) + _of_forms(run)
    work.advance()
    lines = ablation_table(
        variants,
        _ratings(work.study, work.parameters["question"]),
        clusters={str(item.pk): item.prompt_cluster for item in items},
        seed=work.study.pk,
    )
    work.note(lines=[asdict(line) for line in lines], n_items=len(items))
    work.advance()


def _scored_items(run: MetricRun) -> list[Item]:
    scored = run.scores.filter(item__isnull=False).values("item_id")
    return list(Item.objects.filter(pk__in=scored).order_by("pk"))


def overall(run: MetricRun, output: str) -> dict[str, float | None]:
    """The overall values of a run's items, by item key."""
    rows = run.scores.filter(output=output, dimension="", item__isnull=False)
    return {str(item): value for item, value in rows.values_list("item_id", "value")}


def _parts(run: MetricRun) -> dict[str, dict[str, float | None]]:
    outputs = {"align": ALIGN, "hal": HAL, "exag": EXAG}
    values = {name: overall(run, output) for name, output in outputs.items()}
    return {
        item: {name: by_item.get(item) for name, by_item in values.items()}
        for item in values["align"]
    }


def _recomputed(work: Work, run: MetricRun, items: Sequence[Item]) -> list[Variant]:
    """ALIGN+HAL at other thresholds, and with each proposer's own list as the references."""
    study, own = work.study, run.parameters
    variants = [Variant("tau", f"{own['tau']:.3f} (the run)", overall(run, ALIGN_HAL), True)]
    calibration = stored_calibration(
        study, extractor=own["extractor"], references=own.get("references", "all")
    )
    if calibration is not None:
        for label, field in (("Q1", "q1"), ("Median", "median"), ("Q3", "q3")):
            tau = getattr(calibration, field)
            values = _align_hal(study, items, {**own, "tau": tau})
            variants.append(Variant("tau", f"{label} {tau:.3f}", values))
            work.advance(0)
    used = f"{own.get('references', 'all')} (the run)"
    variants.append(Variant("proposers", used, overall(run, ALIGN_HAL), True))
    for name in proposers(study):
        values = _align_hal(study, items, {**own, "references": name})
        variants.append(Variant("proposers", f"{name} alone", values))
        work.advance(0)
    return variants


def _align_hal(study: Study, items: Sequence[Item], parameters: Mapping[str, Any]) -> ByItem:
    without = {k: v for k, v in parameters.items() if k not in ("model", "candidates")}
    without["scorer"] = "none"
    inputs = AheadInputs(study, without)
    rows = AHEAD.score(
        items=[MetricItem(str(item.pk), {}, inputs=inputs.item_inputs(item)) for item in items],
        descriptors=[],
        backend=backend_of("text_embedder+{scorer}", Wanted(parameters=without)),
        parameters=without,
    )
    return {r.item_key: r.value for r in rows if r.metric == ALIGN_HAL and not r.dimension}


def _of_candidates(run: MetricRun) -> list[Variant]:
    """EXAG with other candidate sources: the newest done run of each, with the same image-text
    score."""
    found: dict[str, MetricRun] = {}
    for other in _done(run.study, AHEAD.declaration.key):
        same = all(other.parameters.get(k) == run.parameters.get(k) for k in ("scorer", "model"))
        if same and other.parameters.get("scorer") != "none":
            found.setdefault(other.parameters.get("candidates", "stereotypes"), other)
    if run.parameters.get("scorer") != "none":
        found[run.parameters.get("candidates", "stereotypes")] = run
    return [
        Variant("candidates", SOURCE_WORDS[name], overall(found[name], EXAG), found[name] == run)
        for name in SOURCE_WORDS
        if name in found
    ]


def _of_forms(run: MetricRun) -> list[Variant]:
    """Each part by descriptors and by the newest judge, the judge's 1-5 as (s - 1) / 4."""
    judges = _done(run.study, "ahead_judge")
    outputs = {"align": ALIGN, "hal": HAL, "exag": EXAG}
    variants = []
    for part, output in outputs.items():
        label = part.upper()
        variants.append(Variant("form", f"{label}, descriptors", overall(run, output), True))
        if judges:
            judged = overall(judges[0], OUTPUTS[part])
            values = {
                item: None if score is None else (score - LOW) / (HIGH - LOW)
                for item, score in judged.items()
            }
            variants.append(Variant("form", f"{label}, judge", values))
    return variants


def _done(study: Study, metric: str) -> list[MetricRun]:
    return list(study.metric_runs.filter(metric=metric, state=WorkState.DONE))


def _ratings(study: Study, key: str) -> dict[str, float]:
    question = next(one for one in likert_questions(study) if one.key == key)
    return {
        str(item): by_question[question.id][0]
        for item, by_question in mean_ratings(study).items()
        if question.id in by_question
    }
