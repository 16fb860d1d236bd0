"""How a participation ends: what people read, which code they get, and where they go with it.

Prolific is spoken of only to people who came from it. Whoever came by the open link may have come
from there all the same, with a link that did not carry their id: they read a sentence with an if.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from django.utils.translation import gettext as _

from annotation.models import Identity, Participation
from studies.models import OutcomeCode

Outcome = Participation.Outcome
PROLIFIC = "https://app.prolific.com/"


@dataclass(frozen=True, slots=True)
class Finish:
    """The code, and the address that takes it back to where the person came from."""

    code: str = ""
    url: str = ""
    on_prolific: bool = False


@dataclass(frozen=True, slots=True)
class OutPage:
    headline: str
    sentences: list[str]
    finish: Finish
    act: str = ""  # the one of the sentences that says what to do now
    home: str = ""  # where to return a submission; '' where there is none


@dataclass(frozen=True, slots=True)
class Traveller:
    """A person with what the words and the code depend on."""

    person: Participation
    source: str  # '' for the open link

    @property
    def is_from_prolific(self) -> bool:
        return self.source == Identity.Source.PROLIFIC

    @property
    def outcome(self) -> str:
        """How it ended; who was still in it when the study closed has none of their own."""
        here = Outcome.TAKEN_BACK if self.person.taken_back else Outcome.CLOSED
        return self.person.outcome or here

    @property
    def n_sent(self) -> int:
        return self.person.assignments.filter(submitted_at__isnull=False).count()


def traveller(person: Participation) -> Traveller:
    identity = getattr(person, "identity", None)
    return Traveller(person, identity.source if identity is not None else "")


def finish(person: Participation) -> Finish:
    """Of who has finished: the study's own code."""
    study = person.study
    return _finish(traveller(person), study.completion_code, study.completion_url)


def _finish(who: Traveller, code: str, url: str) -> Finish:
    """Who came from Prolific always finds the way back there, with the code."""
    if code and not url and who.is_from_prolific:
        url = f"{PROLIFIC}submissions/complete?{urlencode({'cc': code})}"
    host = urlsplit(url).hostname or ""
    on_prolific = who.is_from_prolific or host == "prolific.com" or host.endswith(".prolific.com")
    return Finish(code, url, on_prolific and bool(url))


def out_page(person: Participation) -> OutPage:
    """Headline, sentences, and the code where this way of ending has one."""
    who = traveller(person)
    finish = _code(who)
    headline, sentences = _words(who, has_code=bool(finish.code))
    home = PROLIFIC if who.is_from_prolific and not finish.code else ""
    lines = [line for line in sentences if line]
    return OutPage(headline, lines, finish, act=_please_return(who), home=home)


def _code(who: Traveller) -> Finish:
    """The outcome's own code. Who was in the middle when the study closed gets one in any case."""
    study, outcome = who.person.study, who.outcome
    if outcome == Outcome.CLOSED and not who.n_sent:
        return Finish()
    own = OutcomeCode.objects.filter(study=study, outcome=outcome).first()
    if own is not None:
        return _finish(who, own.code, own.return_address)
    if outcome == Outcome.CLOSED:
        return _finish(who, study.completion_code, study.completion_url)
    return Finish()


def _words(who: Traveller, *, has_code: bool) -> tuple[str, list[str]]:
    please_return = "" if has_code else _please_return(who)
    match who.outcome:
        case Outcome.DOES_NOT_FIT:
            return _("Thank you. This study does not fit you."), [
                _("It needs people with another background, so it stops here."),
                please_return,
                _what_is_kept(who),
            ]
        case Outcome.NO_CONSENT:
            return _("That is fine."), [please_return, _("We keep only that you said no.")]
        case Outcome.FAILED_CHECKS if has_code:
            return _("You have reached the end."), []
        case Outcome.FAILED_CHECKS:
            return _("The check was not passed."), [
                _("The study stops here."),
                please_return,
                _("We do not reject it.") if who.is_from_prolific else "",
            ]
        case Outcome.FULL:
            return _("All places in this study are taken."), [
                please_return,
                _("You have not lost time: nothing had started.")
                if who.person.seated_at is None
                else "",
            ]
        case Outcome.WITHDREW:
            return _withdrew(who, please_return)
        case Outcome.TAKEN_BACK:  # what there is to do has been done
            kept = _("You have stopped. Your answers so far are kept.")
            return kept if who.n_sent else _("You have stopped."), []
        case Outcome.WITHDREW_REMOVED:
            return _("You have stopped. Your answers are removed."), [
                please_return,
                _("We keep only how many they were."),
            ]
    # Closed: the study ended while the person was in it, or before they came.
    if who.n_sent:
        return _("The study has closed. What you sent is saved."), []
    return _("This study takes nobody new at the moment."), [please_return]


def _withdrew(who: Traveller, please_return: str) -> tuple[str, list[str]]:
    if not who.n_sent:
        return _("You have stopped."), [please_return]
    return _("You have stopped. Your answers so far are kept."), [
        please_return,
        _("Or write to the researcher about the part you did.")
        if please_return
        else _("You may write to the researcher about the part you did."),
    ]


def _please_return(who: Traveller) -> str:
    if who.is_from_prolific:
        return _("Please return the submission on Prolific.")
    if not who.source:
        return _("If you came from Prolific, please return the submission there.")
    return ""


def _what_is_kept(who: Traveller) -> str:
    if who.is_from_prolific:
        return _(
            "We do not reject it. We keep your answers here and your id, nothing else about you."
        )
    return _("We keep your answers here and nothing else about you.")
