"""The life of a study: what stops a launch, and the verbs that change its state."""

from dataclasses import dataclass
from functools import partial

from django.core.files.storage import default_storage
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from studies.design import current_design
from studies.designs import people_needed
from studies.models import DesignRevision, Question, Study, UnitItem
from studies.models.item import delete_media


class LaunchRefused(Exception):
    """The check list has stops. ``stops`` are its lines."""

    def __init__(self, stops: list["LaunchCheck"]):
        self.stops = stops
        super().__init__("; ".join(f"{stop.name}: {stop.sentence}" for stop in stops))


class WrongState(Exception):
    """The study is not in a state from which this is possible. The text is for people."""


class DesignFrozen(Exception):
    """The study was launched: its design cannot be changed."""


@dataclass(frozen=True)
class LaunchCheck:
    """One line of the check list. ``mark`` is stop, warn or ok; ``url`` leads to the fix."""

    mark: str
    name: str
    sentence: str
    url: str


MAX_RATINGS = 200_000  # of a panel: each is a row, and all are made when the first person starts
MARK_ORDER = {"stop": 0, "warn": 1, "ok": 2}


def launch_checks(study: Study) -> list[LaunchCheck]:
    """What a launch needs, worst first, in the order of work inside each group."""
    page = reverse("admin:studies_study_change", args=[study.pk])
    checks = [
        *_texts(study, page),
        *_questions(study, page),
        *_items(study),
        *_panels(study, page),
        *_attention(study, page),
        *_completion(study, page),
    ]
    return sorted(checks, key=lambda check: MARK_ORDER[check.mark])


def counted(n: int, noun: str, plural: str = "") -> str:
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


Fault = tuple[str, str]
"""A sentence, and the address of what is to be mended."""


def _line(name: str, url: str, stops: list[Fault], warnings: list[Fault], ok: str):
    found = [LaunchCheck("stop", name, sentence, place) for sentence, place in stops]
    found += [LaunchCheck("warn", name, sentence, place) for sentence, place in warnings]
    return found or [LaunchCheck("ok", name, ok, url)]


def _at(url: str, sentences: list[str]) -> list[Fault]:
    return [(sentence, url) for sentence in sentences]


def _texts(study, page):
    stops, warnings = [], []
    design = current_design(study)
    consent, instructions = f"{page}#id_consent_summary", f"{page}#id_instructions"
    if not design.consent_lines:
        stops.append(("the consent in short is empty", consent))
    if not design.paragraphs and not design.rules:
        stops.append(("the instructions are empty", instructions))
    for words, limit, what, place in (
        (study.consent_summary, 120, "consent in short", consent),
        (f"{study.instructions} {study.instruction_points}", 150, "instructions", instructions),
    ):
        if (count := len(words.split())) > limit:
            warnings.append((f"{what}: {count} words; people read {limit}", place))
    if not study.contact:
        sentence = "no contact: people in trouble have nobody to write to"
        warnings.append((sentence, f"{page}#id_contact"))
    return _line("Consent and instructions", consent, stops, warnings, "all texts are there")


def _questions(study, page):
    url = f"{page}#questions"
    rows = list(study.questions.prefetch_related("points"))
    likert = [row for row in rows if row.kind == Question.Kind.LIKERT]
    stops = [] if likert else [("no Likert question yet", url)]
    stops += [fault for row in rows for fault in _question(row)]
    warnings = []
    if likert and len(likert) == len(rows):
        warnings.append(("no rationale is asked", url))
    ok = f"{counted(len(rows), 'question')}, every point labelled"
    return _line("Questions", url, stops, warnings, ok)


def _question(row: Question) -> list[Fault]:
    points = list(row.points.all())
    faults = []
    if row.kind == Question.Kind.LIKERT and len(points) < 2:
        faults.append("a scale needs at least two points")
    faults += [f"point {point.value} has no label" for point in points if not point.label]
    if row.required_when_id and (row.required_from is None or row.required_to is None):
        faults.append("give the range of answers that make it required")
    place = reverse("admin:studies_question_change", args=[row.pk])
    return [(f"{row.label}: {fault}", place) for fault in faults]


def _items(study):
    url = reverse("admin:studies_study_items", args=[study.pk])
    items = list(study.items.only("external_id", "media", "country"))
    stops = [] if items else [("no items yet", url)]
    missing = [item for item in items if not default_storage.exists(item.media.name)]
    if missing:
        stops.append((f"{len(missing)} of {len(items)} files are missing", url))
    return _line("Items", url, stops, [], f"{counted(len(items), 'item')}, all files present")


def _panels(study, page):
    stops, warnings, people, ratings = [], [], 0, 0
    panels = list(study.panels.all())
    if not panels:
        stops.append("no panel yet")
    for panel in panels:
        n_units = panel.units().count()
        if n_units == 0 and study.units.exists():
            stops.append(f"{panel}: no item belongs to this country")
        wanted = n_units * panel.ratings_per_unit
        if wanted > MAX_RATINGS:
            stops.append(f"{panel}: {wanted:,} ratings; a panel takes at most {MAX_RATINGS:,}")
        needed = people_needed(
            n_units=n_units,
            ratings_per_unit=panel.ratings_per_unit,
            units_per_session=study.units_per_session,
        )
        if panel.seats is not None and panel.seats < needed:
            per_person = min(study.units_per_session, n_units)
            stops.append(
                f"{panel}: {panel.seats} seats × {per_person} units cannot give {wanted} ratings"
                f" from {panel.ratings_per_unit} different people a unit; {needed} seats can"
            )
        if not panel.criteria:
            warnings.append(f"{panel}: anybody may rate, nothing is screened")
        people, ratings = people + needed, ratings + wanted
    countries = [panel.country for panel in panels]
    left_out = study.units.exclude(country="").exclude(country__in=countries)
    if panels and (n_left := left_out.count()):
        codes = sorted(set(left_out.values_list("country", flat=True)))
        stops.append(f"{counted(n_left, 'item')} without a panel (country {', '.join(codes)})")
    crowd = counted(people, "person", "people")
    ok = f"{counted(len(panels), 'panel')}: {crowd} for {counted(ratings, 'rating')} a question"
    url = f"{page}#panels-group"
    return _line("Panels and seats", url, _at(url, stops), _at(url, warnings), ok)


def _attention(study, page):
    stops, warnings = [], []
    checks = list(study.attention_checks.select_related("scale_of"))
    for check in checks:
        values = sorted(check.scale_of.points.values_list("value", flat=True))
        if check.expected not in values:
            stops.append(f"“{check.text}”: the scale has no point {check.expected}")
    if not checks:
        warnings.append("no attention check")
    elif study.units_per_session < 3:
        warnings.append("sessions under 3 units have no room: a check is never first or last")
    ok = f"{counted(len(checks), 'check')}, never first or last"
    url = f"{page}#attention_checks-group"
    return _line("Attention checks", url, _at(url, stops), _at(url, warnings), ok)


def _completion(study, page):
    stops, warnings = [], []
    code, address = f"{page}#id_completion_code", f"{page}#id_completion_url"
    if not study.completion_code.strip():
        stops.append(("there is no completion code", code))
    if study.completion_url and not study.completion_url.startswith("https://"):
        stops.append(("the return address does not start with https://", address))
    if study.completion_url and study.completion_code not in study.completion_url:
        warnings.append(("the return address does not carry the completion code", address))
    return _line("Completion", code, stops, warnings, "people get their code")


@transaction.atomic
def launch_study(*, study: Study, by) -> DesignRevision:
    """Freeze the design as revision 1 and take arrivals.

    Raises WrongState for what is no draft any more (a second click), LaunchRefused with the stops.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    if not study.is_draft:
        raise WrongState(f"“{study.title}” is {study.get_state_display().lower()} already.")
    if stops := [check for check in launch_checks(study) if check.mark == "stop"]:
        raise LaunchRefused(stops)
    study.revision = 1
    study.state = Study.State.LIVE
    study.launched_at = timezone.now()
    study.save(update_fields=["revision", "state", "launched_at"])
    return DesignRevision.objects.create(
        study=study, number=1, design=current_design(study).to_json(), created_by=by
    )


@transaction.atomic
def delete_draft(*, study: Study) -> None:
    """Remove a study that nobody could open yet, with all its parts and files.

    Raises WrongState for what was launched.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    if not study.is_draft:
        raise WrongState(f"“{study.title}” was launched. Close it instead: its data are kept.")
    media = list(study.items.values_list("media", flat=True))
    uploads = list(study.uploads.all())
    # What protects other parts goes first; the rest goes with the study.
    UnitItem.objects.filter(unit__study=study).delete()
    study.attention_checks.all().delete()
    study.items.update(parent=None, system=None)
    study.delete()
    transaction.on_commit(partial(delete_media, media), robust=True)
    for upload in uploads:
        transaction.on_commit(upload.discard_files, robust=True)


_MOVES = {
    "pause": (Study.State.LIVE, Study.State.PAUSED),
    "resume": (Study.State.PAUSED, Study.State.LIVE),
    "close": (None, Study.State.CLOSED),
    "reopen": (Study.State.CLOSED, Study.State.PAUSED),
}


def move_study(*, study: Study, move: str) -> Study.State:
    """Pause (no new arrivals, people inside finish), resume, close or reopen; the new state.

    Raises WrongState where the study is not where the move starts.
    """
    if move not in _MOVES:
        raise WrongState(f"There is no such step: {move}.")
    start, end = _MOVES[move]
    starts = [start] if start else [Study.State.LIVE, Study.State.PAUSED]
    if not Study.objects.filter(pk=study.pk, state__in=starts).update(state=end):
        raise WrongState(
            f"“{study.title}” is {study.get_state_display().lower()}; reload the page."
        )
    return end
