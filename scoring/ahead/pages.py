"""What AHEaD's pages show, as plain values for the templates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone

from scoring.ahead.edits import item_feedback
from scoring.ahead.forms import FIELDS, StepForm
from scoring.ahead.inputs import extractors, name_of, proposers, reference_sources
from scoring.ahead.real_images import all_real_images
from scoring.ahead.scenes import closed_scenes
from scoring.ahead.verdicts import Tally, tallies
from scoring.cell_words import cell_words
from scoring.coverage import plain
from scoring.metrics.ahead.descriptors import DIMENSIONS
from scoring.metrics.ahead.diversity import DDIV
from scoring.metrics.ahead.feedback import Feedback, Matched, bottom, feedback, top
from scoring.metrics.ahead.metric import AHEAD
from scoring.models import MetricRun, Score, ScoringStep, WorkState
from scoring.stats.result import describe
from scoring.steps import UNHEARD_AFTER
from scoring.wording import reason_words
from studies.models import Description, Descriptor, Item, Study
from studies.names import country_name

Kind = ScoringStep.Kind
DescriptorKind = Descriptor.Kind

ABOUT = {
    Kind.REFERENCES: (
        "Several chat models list what people of the country would expect to see; another one "
        "makes one list of theirs and may add nothing. Each proposer’s own list is kept."
    ),
    Kind.STEREOTYPES: (
        "Visible clichés of each country, which exaggeration is looked for among. Look them over "
        "before you use them."
    ),
    Kind.PREDICTIONS: (
        "A chat model describes each picture, a dimension at a time, in five calls a picture."
    ),
    Kind.REAL_IMAGES: (
        "Of the real pictures of each activity and country, the nearest to their prompts are kept "
        "as the yardstick of exaggeration and of tau."
    ),
    Kind.CALIBRATION: (
        "How near what is seen in real pictures comes to what is expected. The third quartile is "
        "the tau of runs that give none."
    ),
    Kind.ABLATIONS: (
        "What each part, threshold, proposer, source of candidates and form does to the agreement "
        "with people."
    ),
}
TAGS = {WorkState.RUNNING: "on", WorkState.DONE: "ok", WorkState.FAILED: "bad"}
NAMES = {output.key: output.name for output in AHEAD.declaration.outputs}
NEED_CHAT = {Kind.REFERENCES, Kind.STEREOTYPES, Kind.PREDICTIONS}


# ---- the overview


def overview(study: Study, *, submitted: StepForm | None = None) -> dict[str, Any]:
    cards = [
        {
            "kind": kind.value,
            "title": kind.label,
            "about": ABOUT[kind],
            "there": _there(study, kind),
            "needs_chat": kind in NEED_CHAT and not _has_chat(),
            "form": submitted
            if submitted is not None and submitted.kind == kind
            else StepForm(study=study, kind=kind),
        }
        for kind in FIELDS
    ]
    steps = study.scoring_steps.select_related("requested_by")[:30]
    return {
        "study": study,
        "tab": "metrics",
        "cards": cards,
        "steps": [step_words(step) for step in steps],
        "calibrations": study.calibrations.all()[:6],
    }


def _has_chat() -> bool:
    return bool(settings.CHAT_BASE_URL or settings.CHAT_LOCAL_MODEL)


def _there(study: Study, kind: Kind) -> str:
    """What the study has of it, in words."""
    counts = study.descriptors.order_by().values("kind").annotate(n=Count("pk"))
    n = {row["kind"]: row["n"] for row in counts}
    if kind == Kind.REFERENCES:
        found = _counted(n.get("reference", 0), "reference descriptor")
        lists = proposers(study)
        sources = [one for one in reference_sources(study) if one not in lists]
        return _with(found, sources) + (f"; proposers: {', '.join(lists)}" if lists else "")
    if kind == Kind.STEREOTYPES:
        return _counted(n.get("stereotype", 0), "candidate")
    if kind == Kind.PREDICTIONS:
        looked = Q(descriptions__isnull=False) | Q(descriptors__isnull=False)
        items = study.items.filter(looked).distinct().count()
        of = f"{items} of {study.items.count()} items described"
        return _with(of, extractors(study))
    if kind == Kind.REAL_IMAGES:
        images = all_real_images(study)
        kept = images.filter(real_choice__kept=True).count()
        chosen = f", {kept} of them kept" if images.filter(real_choice__isnull=False) else ""
        return _counted(images.count(), "real picture") + chosen
    if kind == Kind.CALIBRATION:
        return _counted(study.calibrations.count(), "calibration")
    return ""


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _with(words: str, names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return f"{words}, by {listed}" if listed else words


# ---- one step


def step_words(step: ScoringStep) -> dict[str, Any]:
    now = timezone.now()
    waits = step.state == WorkState.QUEUED and now - step.requested_at > UNHEARD_AFTER
    return {
        "step": step,
        "tag": TAGS.get(WorkState(step.state), ""),
        "waits_long": waits,
        "parameters": ", ".join(
            f"{name.replace('_', ' ')} {_said(value)}"
            for name, value in step.parameters.items()
            if value not in (None, "", [], False)
        ),
    }


def _said(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def step_page(step: ScoringStep) -> dict[str, Any]:
    lines = step.result.get("lines", [])
    return {
        "study": step.study,
        "tab": "metrics",
        **step_words(step),
        "groups": _groups(lines),
        "exaggerated": _most_exaggerated(step) if lines else [],
        "calibration": step.study.calibrations.filter(pk=step.result.get("calibration")).first(),
        "can_resume": step.state in {WorkState.FAILED, WorkState.CANCELLED},
    }


GROUP_WORDS = {
    "parts": "Parts",
    "tau": "Threshold tau, ALIGN+HAL",
    "proposers": "Reference descriptors, ALIGN+HAL",
    "candidates": "Candidates of exaggeration, EXAG",
    "form": "Form",
}


def _groups(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        words = describe(line["rho_reason"] or None)
        found.setdefault(line["group"], []).append({**line, "reason_words": words})
    return [{"title": GROUP_WORDS[group], "lines": rows} for group, rows in found.items()]


TOP_EXAGGERATED = 3


def _most_exaggerated(step: ScoringStep) -> list[dict[str, Any]]:
    run = step.study.metric_runs.filter(pk=step.parameters.get("run")).first()
    return top_exaggerated(run) if run else []


def top_exaggerated(run: MetricRun) -> list[dict[str, Any]]:
    """By country and model, the three candidates with the largest mean excess over its items."""
    sums: dict[tuple[str, str], dict[str, float]] = {}
    counts: dict[tuple[str, str], int] = {}
    scores = Score.objects.filter(
        run=run, output="ahead_exag", dimension="", item__isnull=False, value__isnull=False
    ).select_related("item__system")
    for score in scores.order_by("pk"):
        system = score.item.system.name if score.item.system else ""
        group = (score.item.country, system)
        counts[group] = counts.get(group, 0) + 1
        for row in score.evidence.get("exaggerated", ()):
            tokens = sums.setdefault(group, {})
            tokens[row["token"]] = tokens.get(row["token"], 0.0) + row["excess"]
    return [
        {
            "country": country_name(country) if country else "none",
            "system": system or "none",
            "n": counts[country, system],
            "tokens": [
                (token, total / counts[country, system])
                for token, total in sorted(tokens.items(), key=lambda one: -one[1])[
                    :TOP_EXAGGERATED
                ]
            ],
        }
        for (country, system), tokens in sorted(sums.items())
    ]


# ---- descriptors


def descriptor_scenes(study: Study) -> list[dict[str, Any]]:
    """Every activity and country that has references, candidates or stereotypes."""
    kinds = (DescriptorKind.REFERENCE, DescriptorKind.CANDIDATE, DescriptorKind.STEREOTYPE)
    rows = (
        study.descriptors.filter(kind__in=kinds)
        .order_by("activity", "country")
        .values("activity", "country")
        .annotate(
            references=Count("pk", filter=Q(kind=DescriptorKind.REFERENCE)),
            candidates=Count("pk", filter=Q(kind=DescriptorKind.CANDIDATE)),
            stereotypes=Count("pk", filter=Q(kind=DescriptorKind.STEREOTYPE)),
        )
    )
    return [
        {**row, "name": country_name(row["country"]) if row["country"] else "no country"}
        for row in rows
    ]


def scene_page(study: Study, activity: str, country: str) -> dict[str, Any]:
    """The lists of one scene by dimension, each descriptor with its verdicts."""
    kinds = (DescriptorKind.REFERENCE, DescriptorKind.CANDIDATE, DescriptorKind.STEREOTYPE)
    rows = study.descriptors.filter(kind__in=kinds, activity=activity, country=country)
    verdicts = tallies(study)
    by_kind: dict[str, list[Descriptor]] = {}
    for row in rows.order_by("pk"):
        row.tally = verdicts.get(row.pk, Tally())
        row.source_name = name_of(row.source)
        by_kind.setdefault(row.kind, []).append(row)
    references = by_kind.get(DescriptorKind.REFERENCE, [])
    return {
        "activity": activity,
        "country": country,
        "country_name": country_name(country) if country else "no country",
        "closed": (plain(activity), country) in closed_scenes(study),
        "dimensions": [
            {
                "key": dimension,
                "references": [row for row in references if row.dimension == dimension],
                "candidates": [
                    row
                    for row in by_kind.get(DescriptorKind.CANDIDATE, [])
                    if row.dimension == dimension
                ],
            }
            for dimension in DIMENSIONS
        ],
        "stereotypes": by_kind.get(DescriptorKind.STEREOTYPE, []),
        "n_judged": sum(bool(row.tally.n) for row in references),
        "n_struck": sum(row.tally.is_struck for row in references),
    }


# ---- one cell in one run


def cell_page(run: MetricRun, key: str) -> dict[str, Any] | None:
    """The feedback on the pictures of a cell together, and which of them show what; None where the
    run has no such cell."""
    rows = list(run.scores.filter(item=None, cell=key).order_by("pk"))
    if not rows:
        return None
    told = feedback((row.output, row.dimension, row.evidence) for row in rows)
    expected = [*told.aligned, *told.missing]
    spread = {row.dimension: row.evidence for row in rows if row.output == DDIV}
    return {
        "run": run,
        "tab": "metrics",
        "name": cell_words(key),
        "scores": [_score_words(row) for row in rows if not row.dimension],
        "feedback": told,
        "dimensions": [
            _dimension(told, dimension)
            | {"shown_by": spread.get(dimension, {}).get("pictures", {}).items()}
            for dimension in DIMENSIONS
        ],
        "top": top(expected),
        "bottom": bottom(expected),
    }


# ---- one item in one run


def item_page(run: MetricRun, item: Item) -> dict[str, Any]:
    """The feedback on an item, its edits or what it was edited from, and edit instructions."""
    pictures = _family(item)
    told = item_feedback(run, pictures)
    scores = _scores(run, pictures)
    shown = [
        {
            "item": one,
            "role": _role(one, item),
            "scores": scores.get(one.pk, []),
            "is_here": one.pk == item.pk,
        }
        for one in pictures
    ]
    return {
        "run": run,
        "item": item,
        "tab": "metrics",
        "pictures": shown,
        "feedback": told[item.pk],
        "dimensions": [_dimension(told[item.pk], dimension) for dimension in DIMENSIONS],
        "top": top([*told[item.pk].aligned, *told[item.pk].missing]),
        "bottom": bottom([*told[item.pk].aligned, *told[item.pk].missing]),
        "instructions": item.edit_instructions.filter(run=run),
        "looks": Description.objects.filter(item=item).order_by("source", "dimension"),
    }


def _family(item: Item) -> list[Item]:
    """What it was edited from, the item, and its edits, in this order."""
    before = [item.parent] if item.parent else []
    return [*before, item, *item.edits.select_related("system").order_by("external_id")]


def _role(one: Item, item: Item) -> str:
    if one.pk == item.pk:
        return "This picture"
    return "Before the edit" if one.pk == item.parent_id else "After an edit"


def _scores(run: MetricRun, items: list[Item]) -> dict[int, list[dict[str, Any]]]:
    rows = run.scores.filter(item__in=items, dimension="").order_by("pk")
    found: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row.item_id, []).append(_score_words(row))
    return found


def _score_words(row: Score) -> dict[str, Any]:
    return {
        "name": NAMES.get(row.output, row.output),
        "value": row.value,
        "words": "" if row.value is not None else reason_words(row.reason),
        "why": row.evidence.get("why", ""),
    }


LISTS = (
    ("aligned", "Aligned: expected, and there"),
    ("missing", "Missing: expected, not there"),
    ("hallucinated", "Hallucinated: there, not expected"),
)


def _dimension(told: Feedback, dimension: str) -> dict[str, Any]:
    own = told.of(dimension)
    lists: list[dict[str, Any]] = []
    for key, label in LISTS:
        matches: tuple[Matched, ...] = getattr(own, key)
        lists.append({"label": label, "matches": matches})
    return {"key": dimension, "lists": [one for one in lists if one["matches"]]}
