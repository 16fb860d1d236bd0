"""By which ways people come into a study, and with which codes they leave it."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from studies.models import OutcomeCode, Recruitment, Study

PLACEHOLDERS = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"


def recruitment_of(study: Study) -> Recruitment:
    """The study's ways in, unsaved where it says nothing: then anybody with the link comes."""
    return Recruitment.objects.filter(study=study).first() or Recruitment(study=study)


def prolific_link(study: Study) -> str:
    """What is pasted into Prolific, with its own placeholders."""
    return f"{study.entry_link}?{PLACEHOLDERS}"


@transaction.atomic
def save_recruitment(*, recruitment: Recruitment, codes: Mapping[str, tuple[str, str]]) -> None:
    """Keep the ways in, and outcome -> (code, return address); '' takes a code away.

    An outcome that ``codes`` does not name keeps what it has.
    """
    recruitment.save()
    for outcome, (code, address) in codes.items():
        kept = OutcomeCode.objects.filter(study=recruitment.study, outcome=outcome)
        if code:
            OutcomeCode.objects.update_or_create(
                study=recruitment.study,
                outcome=outcome,
                defaults={"code": code, "return_address": address},
            )
        else:
            kept.delete()


def copy_recruitment(study: Study, new: Study) -> None:
    """The ways in of a copied study. Ids and codes of Prolific belong to one: they stay there."""
    kept = Recruitment.objects.filter(study=study).first()
    if kept is not None:
        Recruitment.objects.create(
            study=new,
            open_link=kept.open_link,
            uses_prolific=kept.uses_prolific,
            accounts=kept.accounts,
            erase_after_days=kept.erase_after_days,
        )
