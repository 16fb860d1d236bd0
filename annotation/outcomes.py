"""What people read when something stops, in words that say what to do now."""

from django.utils.translation import gettext as _

from annotation.models import Participation

Outcome = Participation.Outcome


def out_page(person: Participation) -> dict:
    """Headline, sentences, and the code where somebody who had begun is to be paid."""
    headline, sentences = _words(person)
    paid = person.outcome in {"", Outcome.CLOSED} and person.assignments.filter(
        submitted_at__isnull=False
    )
    code = person.study.completion_code if paid and paid.exists() else ""
    return {"headline": headline, "sentences": sentences, "link": None, "code": code}


def _words(person: Participation) -> tuple[str, list[str]]:
    please_return = _("If you came from Prolific, please return the submission there.")
    match person.outcome:
        case Outcome.DOES_NOT_FIT:
            return _("Thank you. This study does not fit you."), [
                _("It needs people with another background, so it stops here."),
                please_return,
                _("We do not reject it. We keep your three answers and nothing else about you."),
            ]
        case Outcome.NO_CONSENT:
            return _("That is fine."), [please_return, _("We keep only that you said no.")]
        case Outcome.FULL:
            return _("All places in this study are taken."), [
                please_return,
                _("You have not lost time: nothing had started."),
            ]
        case Outcome.WITHDREW:
            return _("You have stopped. Your answers so far are kept."), [
                please_return,
                _("Or write to the researcher about the part you did."),
            ]
    # No outcome, or closed: the study ended while the person was in it, or before they came.
    if person.assignments.filter(submitted_at__isnull=False).exists():
        return _("The study has closed. What you sent is saved."), []
    return _("This study takes nobody new at the moment."), [please_return]
