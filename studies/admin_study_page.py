"""What the page of one study shows around its form: check list, life, cards, plan, origins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from studies.admin_cards import question_tiers
from studies.admin_checks import QUALITY_PREFIXES
from studies.admin_kinds import KIND_PAGES
from studies.admin_launch import launch_lines
from studies.admin_plan import plan_line, plan_rows
from studies.admin_recruitment import recruitment_context
from studies.admin_study_form import counted, study_sections
from studies.models import Question, Study
from studies.models.item import Purpose
from studies.plans import plan_of
from studies.presets import Difference, differences, preset_name


@dataclass(frozen=True)
class Move:
    """One step of a study's life, as a button that says what it does."""

    key: str
    words: str
    is_main: bool = False
    is_end: bool = False


def moves_of(study: Study) -> list[Move]:
    pilot = study.in_pilot
    name = "pilot" if pilot else "study"
    close = Move("close", f"Close the {name}", is_end=True)
    pause = Move("pause", "Pause arrivals (people inside can finish)")
    return {
        Study.State.PILOT: [pause, close],
        Study.State.LIVE: [pause, close],
        Study.State.PAUSED: [Move("resume", "Take arrivals again", is_main=not pilot), close],
        Study.State.CLOSED: [Move("reopen", "Reopen, paused")],
    }.get(study.state, [])


def life_line(study: Study) -> str:
    """E.g. "Live since 3 Nov 2026, 14:20. Revision 2."."""
    since = study.launched_at or study.pilot_at
    state = study.get_state_display()
    if study.in_pilot and study.state != Study.State.PILOT:
        state = f"Pilot, {state.lower()}"
    begun = f" since {since:%-d %b %Y, %H:%M} UTC" if since else ""
    if study.state not in (Study.State.LIVE, Study.State.PILOT) and since:
        begun = f", {'begun' if study.in_pilot else 'launched'} {since:%-d %b %Y, %H:%M} UTC"
    return f"{state}{begun}. Revision {study.revision}."


def origins_of(study: Study) -> dict[str, Difference]:
    """Where each setting comes from, by its flat name."""
    return {row.name: row for row in differences(study)}


def study_page_context(study: Study, context: dict[str, Any], *, may_change: bool) -> dict:
    form = context["adminform"].form
    origins = origins_of(study)
    questions = {
        name.partition(".")[2]: row
        for name, row in origins.items()
        if name.startswith("questions.")
    }
    tiers = question_tiers(study, questions)
    plan = plan_of(study)
    return {
        **_before_launch(study),
        "sections": study_sections(form, study, origins) if may_change else {},
        "origins": origins,
        "panel_origins": [
            row for name, row in origins.items() if name.partition(".")[0] == "panels"
        ],
        "made_from": preset_name(study),
        "n_changed": sum(row.changed for row in origins.values()),
        "tiers": tiers,
        "n_questions": sum(len(tier.cards) for tier in tiers),
        "retired": study.questions.filter(retired=True),
        "can_edit": may_change,
        "n_items": study.items.count(),
        "units_line": _units_line(study),
        "kinds": [
            (kind, Question.Kind(kind).label, page.about) for kind, page in KIND_PAGES.items()
        ],
        "life": life_line(study),
        "moves": moves_of(study),
        "quality_line": _quality_line(study),
        "quality_errors": any(
            formset.formset.prefix in QUALITY_PREFIXES and formset.formset.total_error_count()
            for formset in context["inline_admin_formsets"]
        ),
        **recruitment_context(study),
        "plan": plan,
        "plan_line": plan_line(plan),
        "plan_rows": plan_rows(plan, origins),
    }


def _before_launch(study: Study) -> dict[str, Any]:
    before = study.launched_at is None
    checks = launch_lines(study) if before else []
    names = {check.name for check in checks}
    return {
        "before_launch": before,
        "checks": checks,
        "stops": [check for check in checks if check.mark == "stop"],
        "n_ready": len(names - {check.name for check in checks if check.mark != "ok"}),
        "n_lines": len(names),
    }


def _units_line(study: Study) -> str:
    rated = study.units.filter(purpose=Purpose.RATED).count()
    special = study.items.exclude(purpose=Purpose.RATED).count()
    beside = f", {counted(special, 'item')} for practice, gold or examples" if special else ""
    return f"{counted(rated, 'unit')} to rate{beside}."


def _quality_line(study: Study) -> str:
    parts = [_attention_line(study)]
    if n := study.comprehension_questions.filter(active=True).count():
        parts.append(counted(n, "quick check"))
    if n := study.items.filter(purpose=Purpose.GOLD).count():
        parts.append(counted(n, "gold item"))
    if n := study.contradictions.filter(active=True).count():
        parts.append(counted(n, "contradiction"))
    return "; ".join(parts)


def _attention_line(study: Study) -> str:
    checks = list(study.attention_checks.all())
    in_use = sum(check.active for check in checks)
    line = counted(in_use, "attention check") if in_use else "no attention check"
    off = len(checks) - in_use
    return f"{line}, {off} switched off" if off else line
