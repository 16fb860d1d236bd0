"""A study's history in sentences: revisions with what they changed, and changes of the plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from studies.admin_plan import LABELS
from studies.design import frozen_design
from studies.design_changes import changes
from studies.models import Study

MAX_SAVES = 200


@dataclass(frozen=True)
class Event:
    """Something that happened to the study, with what changed as sentences."""

    at: datetime
    what: str
    by: str = ""
    note: str = ""
    sentences: list[str] = field(default_factory=list)


def history_page(request: HttpRequest, context: dict, study: Study) -> HttpResponse:
    context |= {"title": "History", "study": study, "tab": "design", "events": events_of(study)}
    return render(request, "admin/studies/study/history.html", context)


def events_of(study: Study) -> list[Event]:
    """Everything that is known, the latest first."""
    events = [*_milestones(study), *_revisions(study), *_plan(study), *_saves(study)]
    return sorted(events, key=lambda event: event.at, reverse=True)


def _milestones(study: Study) -> list[Event]:
    found = [Event(study.created_at, "The study was made", str(study.owner))]
    if study.pilot_at:
        found.append(Event(study.pilot_at, "The pilot began"))
    if study.launched_at:
        found.append(Event(study.launched_at, "The study went live", note=study.launch_note))
    if study.archived_at:
        found.append(Event(study.archived_at, "The study went into the archive"))
    return found


def _revisions(study: Study) -> list[Event]:
    rows = list(study.revisions.order_by("number").select_related("created_by"))
    found = []
    if rows:
        first = rows[0]
        found.append(Event(first.created_at, "Revision 1: the design was frozen", _name(first)))
    for old, new in pairwise(rows):
        sentences = changes(
            frozen_design(study.pk, old.number), frozen_design(study.pk, new.number)
        )
        what = f"Revision {new.number}"
        found.append(Event(new.created_at, what, _name(new), new.note, sentences))
    return found


def _name(revision) -> str:
    return str(revision.created_by) if revision.created_by else ""


def _plan(study: Study) -> list[Event]:
    plan = getattr(study, "plan", None)
    if plan is None:
        return []
    found = []
    if plan.fixed_at:
        by = str(plan.fixed_by) if plan.fixed_by else ""
        found.append(Event(plan.fixed_at, "The analysis plan was fixed", by))
    for row in plan.history:
        fixed = datetime.fromisoformat(row["fixed_at"])
        was = row["was"].items()
        sentences = [f"{LABELS.get(name, name)}: was {_told(value)}." for name, value in was]
        found.append(
            Event(
                datetime.fromisoformat(row["at"]),
                f"The plan that was fixed on {timezone.localtime(fixed):%-d %b %Y} was changed",
                row["by"],
                row["reason"],
                sentences,
            )
        )
    return found


def _told(value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    if isinstance(value, dict):
        pairs = (f"{metric}: {', '.join(keys)}" for metric, keys in value.items())
        return "; ".join(pairs) or "none"
    return str(value) or "none"


def _saves(study: Study) -> list[Event]:
    """Saves of the study's own page, as the admin recorded them."""
    rows = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(Study), object_id=str(study.pk)
    ).select_related("user")
    return [
        Event(row.action_time, row.get_change_message() or "Saved without a change", str(row.user))
        for row in rows.order_by("-action_time")[:MAX_SAVES]
    ]
