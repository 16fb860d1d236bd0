"""Who was erased stays erased, though Prolific goes on listing the submission."""

from annotation.erasure import erase_identity
from annotation.models import Attempt, Identity, ProlificEvent
from annotation.prolific.export import read_export
from annotation.prolific.polling import poll_study, take_export
from annotation.prolific.receiving import receive
from annotation.prolific.reconciling import rows_csv, rows_of
from annotation.prolific.webhook import Event
from tests.prolific.conftest import NOON, came, finish


def test_neither_a_list_nor_a_file_nor_an_event_brings_an_id_back(prolific, study):
    person = came(study, "pid-of-somebody", "session-of-somebody")
    finish(study, person)
    prolific.add("session-of-somebody", pid="pid-of-somebody", study="st1", status="ACTIVE")
    poll_study(study=study)
    erase_identity(identity=Identity.objects.get())

    prolific.set("session-of-somebody", status="AWAITING REVIEW", study_code="DONE42")
    poll_study(study=study)
    table = "Submission id,Participant id,Status\nsession-of-somebody,pid-of-somebody,APPROVED\n"
    take_export(study=study, rows=read_export(table.encode()))
    word = ("submission.status.change", "session-of-somebody", "pid-of-somebody", "APPROVED")
    receive(event=Event("e1", *word, NOON))

    attempt = Attempt.objects.get()
    assert attempt.status == "APPROVED", "what was said of it is still heard"
    assert Identity.objects.count() == 1
    stored = [*Identity.objects.values_list(), *Attempt.objects.values_list()]
    stored += ProlificEvent.objects.values_list()
    assert "somebody" not in str(stored)
    assert "somebody" not in rows_csv(rows_of(study, with_ids=True), with_ids=True)


def test_each_submission_has_a_mark_of_its_own(study):
    for n in (1, 2):
        came(study, f"p{n}", f"s{n}")
    for identity in Identity.objects.all():
        erase_identity(identity=identity)
    assert len(set(Attempt.objects.values_list("session_id", flat=True))) == 2
