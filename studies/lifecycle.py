"""The life of a study: the verbs that change its state. Its check list is ``launch_checks``."""

import logging
from functools import partial

from django.db import transaction
from django.utils import timezone
from kombu.exceptions import ChannelError, OperationalError

from studies.blocks import make_blocks
from studies.copying import duplicate_study
from studies.launch_checks import LaunchCheck, launch_checks
from studies.models import DesignRevision, Study, UnitItem, UnitProbe
from studies.models.item import delete_media
from studies.previews import record_preview
from studies.refusals import (
    DesignFrozen,
    LaunchNoteMissing,
    LaunchRefused,
    WrongState,
    refuse_archived,
)
from studies.revisions import freeze_design, refuse_wrong_edits
from studies.unit_probes import sample_probes

logger = logging.getLogger("concord.studies")

__all__ = [
    "DesignFrozen",
    "LaunchCheck",
    "LaunchNoteMissing",
    "LaunchRefused",
    "WrongState",
    "archive_study",
    "delete_draft",
    "duplicate_study",
    "launch_checks",
    "launch_study",
    "move_study",
    "record_preview",
    "start_pilot",
    "unarchive_study",
]


@transaction.atomic
def start_pilot(*, study: Study, by) -> DesignRevision:
    """Freeze the design as revision 1 and let a few people of each panel in.

    Their answers never count: places of the pilot are their own, and the launch makes all the
    wanted ones anew. Raises WrongState for what is no draft, LaunchRefused with the stops.
    """
    locked = _locked(study)
    if not locked.is_draft:
        raise WrongState(f"“{locked.title}” is {locked.get_state_display().lower()} already.")
    _refuse_stops(locked)
    sample_probes(locked)
    _make_blocks(locked)
    revision = freeze_design(study=locked, by=by, note="Pilot")
    locked.state, locked.pilot_at = Study.State.PILOT, timezone.now()
    locked.save(update_fields=["revision", "state", "pilot_at"])
    transaction.on_commit(partial(_prepare_places, locked.pk), robust=True)
    return revision


@transaction.atomic
def launch_study(*, study: Study, by, note: str = "") -> DesignRevision:
    """Freeze the design and take arrivals; from a draft, or from a pilot that went well.

    Returns the revision in force: 1, or after a pilot the pilot's own where nothing was changed.
    Raises WrongState for what was launched (a second click), LaunchRefused with the stops,
    LaunchNoteMissing where there is no attention check and no note says why, EditRefused where the
    pilot's questions were changed in what their answers rest on.
    """
    locked = _locked(study)
    if not (locked.is_draft or locked.in_pilot):
        raise WrongState(f"“{locked.title}” is {locked.get_state_display().lower()} already.")
    checks = _refuse_stops(locked)
    unanswered = [check for check in checks if check.needs_note and check.mark == "warn"]
    if unanswered and not note.strip():
        raise LaunchNoteMissing(unanswered)
    if locked.is_draft:
        sample_probes(locked)
    else:
        refuse_wrong_edits(study=locked)
    _make_blocks(locked)
    revision = freeze_design(study=locked, by=by, note=note.strip())
    locked.state, locked.launched_at = Study.State.LIVE, timezone.now()
    locked.launch_note = note.strip()
    locked.save(update_fields=["revision", "state", "launched_at", "launch_note"])
    transaction.on_commit(partial(_prepare_places, locked.pk), robust=True)
    return revision or locked.revisions.get(number=locked.revision)


def _make_blocks(study: Study) -> None:
    if study.policy == Study.Policy.BLOCKS:
        make_blocks(study)


def _prepare_places(study_id: int) -> None:
    """Have a worker prepare the study for its first arrivals, who else would wait for it."""
    from studies.tasks import open_to_annotators

    try:
        open_to_annotators.delay(study_id)
    except (OperationalError, ChannelError):
        logger.warning("The broker took no message: the first arrival prepares study %s", study_id)


def _locked(study: Study) -> Study:
    locked = Study.objects.select_for_update().get(pk=study.pk)
    refuse_archived(locked)
    return locked


def _refuse_stops(study: Study) -> list[LaunchCheck]:
    checks = launch_checks(study)
    if stops := [check for check in checks if check.mark == "stop"]:
        raise LaunchRefused(stops)
    return checks


# ---- pauses and ends

_OPEN = (Study.State.LIVE, Study.State.PILOT)
_MOVES = {
    "pause": (_OPEN, Study.State.PAUSED),
    "resume": ((Study.State.PAUSED,), Study.State.LIVE),
    "close": ((*_OPEN, Study.State.PAUSED), Study.State.CLOSED),
    "reopen": ((Study.State.CLOSED,), Study.State.PAUSED),
}


@transaction.atomic
def move_study(*, study: Study, move: str) -> Study.State:
    """Pause (no new arrivals, people inside finish), resume, close or reopen; the new state.

    A pilot that was paused resumes as a pilot. Raises WrongState where the study is not where the
    move starts.
    """
    if move not in _MOVES:
        raise WrongState(f"There is no such step: {move}.")
    locked = _locked(study)
    starts, end = _MOVES[move]
    if locked.state not in starts:
        raise WrongState(
            f"“{locked.title}” is {locked.get_state_display().lower()}; reload the page."
        )
    if end == Study.State.LIVE and locked.in_pilot:
        end = Study.State.PILOT
    locked.state = end
    locked.save(update_fields=["state"])
    return end


@transaction.atomic
def archive_study(*, study: Study) -> None:
    """Take a study out of the lists; it is read-only until it comes back. Nothing is deleted.

    Raises WrongState for one that people may still be in.
    """
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.takes_answers:
        raise WrongState(f"People may still be in “{locked.title}”. Close it first.")
    if not locked.is_archived:
        locked.archived_at = timezone.now()
        locked.save(update_fields=["archived_at"])


@transaction.atomic
def unarchive_study(*, study: Study) -> None:
    """Bring it back to the lists, in the state it had."""
    Study.objects.filter(pk=study.pk).update(archived_at=None)


@transaction.atomic
def delete_draft(*, study: Study) -> None:
    """Remove a study that nobody could open yet, with all its parts and files.

    Raises WrongState for what was opened.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    if not study.is_draft:
        raise WrongState(f"“{study.title}” was launched. Close it instead: its data are kept.")
    media = [
        name
        for names in study.items.values_list("media", "silent_media", "poster")
        for name in names
        if name
    ]
    media += study.element_pictures.values_list("media", flat=True)
    uploads = list(study.uploads.all())
    # What protects other parts goes first; the rest goes with the study.
    UnitItem.objects.filter(unit__study=study).delete()
    UnitProbe.objects.filter(unit__study=study).delete()
    study.attention_checks.all().delete()
    study.contradictions.all().delete()
    study.items.update(parent=None, system=None)
    study.delete()
    transaction.on_commit(partial(delete_media, media), robust=True)
    for upload in uploads:
        transaction.on_commit(upload.discard_files, robust=True)
