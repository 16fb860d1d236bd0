"""Arriving: the study's link, a personal one, or a sign-in. Each leads to where the person stands.

What says who somebody is comes in the address. It is answered by 303 to another address at once,
so that it stays neither in the address bar nor in the history.
"""

from django.contrib.auth import views as auth_views
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseRedirectBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import arrivals, entry
from annotation.arrivals import ArrivalRefused, Reason
from annotation.booth import BACK, State, booth, broken_link, step_url, was_away
from annotation.browser import from_prolific, next_screen, remember, remembered
from annotation.devices import screen_too_small
from annotation.forms import SignInForm
from annotation.invitations import invitation_of
from annotation.languages import guessed, interface_language
from annotation.models import Participation
from studies.models import Study
from studies.recruiting import recruitment_of


class SeeOther(HttpResponseRedirectBase):
    """303: whatever was asked for, the answer stands at another address."""

    status_code = 303


@never_cache
@require_safe
def door(request: HttpRequest, token: str) -> HttpResponse:
    """A study's link, or a person's own: both lead to where this person stands."""
    study = Study.objects.filter(entry_token=token).first()
    if study is None:
        return where_was_i(request, token)
    if study.is_draft:
        return broken_link(request)
    known = remembered(request, study)
    try:
        came = arrivals.read_parameters(request.GET)
        if came is not None:
            return _from_prolific(request, study, came, known)
        return _by_the_link(request, study, known)
    except ArrivalRefused as refusal:
        return turned_away(request, study, refusal.reason)


def _from_prolific(request, study: Study, came, known: Participation | None) -> HttpResponse:
    person = arrivals.arrive_from_prolific(
        study=study, came=came, known=known, language=_guessed(request, study)
    )
    response = SeeOther(_where(person, known))
    if person != known:
        remember(response, person, first=next_screen(person))
    return response


def _where(person: Participation, known: Participation | None) -> str:
    """The step they are at. Who was away, or comes on another device, is welcomed there."""
    begun = person.state == State.RATING
    return step_url(person) + (BACK if begun and (person != known or was_away(person)) else "")


def _by_the_link(request, study: Study, known: Participation | None) -> HttpResponse:
    """Nobody said who they are: an account that is signed in, a browser we know, or a stranger."""
    recruitment = recruitment_of(study)
    if recruitment.accounts and request.user.is_authenticated:
        person = arrivals.arrive_with_account(
            study=study, user=request.user, language=_guessed(request, study)
        )
        return _welcome(person, known)
    if known is not None:
        entry.come_again(participation=known)
        return redirect(_where(known, known))
    if recruitment.accounts and not recruitment.open_link:
        return redirect("annotation:sign_in", study.entry_token)
    arrivals.refuse_strangers(study)
    if screen_too_small(request, study.devices):
        return _needs_computer(request, study)
    return _welcome(entry.arrive(study=study, language=_guessed(request, study)), known)


def _welcome(person: Participation, known: Participation | None) -> HttpResponse:
    response = SeeOther(_where(person, known))
    if person != known:
        remember(response, person)
    return response


def _guessed(request: HttpRequest, study: Study) -> str:
    return guessed(study, request.headers.get("Accept-Language", ""))


@booth
def where_was_i(request: HttpRequest, person: Participation) -> HttpResponse:
    """A person's own link. On another device it goes on, and for Prolific's people only that."""
    known = remembered(request, person.study)
    response = redirect(_where(person, known))
    if known is None and from_prolific(person):
        remember(response, person, first=next_screen(person))
    return response


@never_cache
@require_safe
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """A personal invitation."""
    try:
        invited = invitation_of(token)
        if invited is None or invited.study.is_draft:
            return broken_link(request)
    except ArrivalRefused as refusal:
        return turned_away(request, None, refusal.reason)
    study = invited.study
    person = arrivals.arrive_by_invitation(invitation=invited, language=_guessed(request, study))
    return _welcome(person, remembered(request, study))


class SignIn(auth_views.LoginView):
    """For annotators with an account, who have no business in the researchers' rooms."""

    template_name = "annotation/sign_in.html"
    authentication_form = SignInForm

    def setup(self, request, *args, **kwargs):
        super().setup(request, *args, **kwargs)
        self.study = (
            Study.objects.exclude(state=Study.State.DRAFT)
            .filter(entry_token=kwargs["token"], recruitment__accounts=True)
            .first()
        )

    def dispatch(self, request, *args, **kwargs):
        if self.study is None:
            return broken_link(request)
        with translation.override(_interface(request, self.study)):
            response = super().dispatch(request, *args, **kwargs)
            return response.render() if hasattr(response, "render") else response

    def get_success_url(self):
        return reverse("annotation:door", args=[self.study.entry_token])

    def get_context_data(self, **kwargs):
        return super().get_context_data(study_title=self.study.public_title, **kwargs)


def _interface(request: HttpRequest, study: Study) -> str:
    return interface_language(_guessed(request, study) or study.base_language)


def _needs_computer(request: HttpRequest, study: Study) -> HttpResponse:
    """Before anybody is counted as arrived: on a computer the same link begins."""
    with translation.override(_interface(request, study)):
        context = {"study_title": study.public_title, "link": request.build_absolute_uri()}
        return render(request, "annotation/needs_computer.html", context)


# ---- not let in


def turned_away(request: HttpRequest, study: Study | None, reason: Reason) -> HttpResponse:
    """What is the matter with the link, and what to do now. No code: nothing has begun."""
    language = _interface(request, study) if study else translation.get_language()
    with translation.override(language):
        headline, sentences = _words(reason)
        context = {
            "study_title": study.public_title if study else "Concord",
            "headline": headline,
            "sentences": sentences,
            "contact": study.contact if study else "",
        }
        return render(request, "annotation/turned_away.html", context, status=403)


def _words(reason: Reason) -> tuple[str, list[str]]:
    match reason:
        case Reason.NOT_FILLED_IN:
            return _("This link is not complete."), [
                _("Your Prolific id did not come with it."),
                _("Open the study again from Prolific. Nothing is lost."),
            ]
        case Reason.OTHER_STUDY:
            return _("This link belongs to another study on Prolific."), [
                _("Open the study again from Prolific. Nothing is lost.")
            ]
        case Reason.NOT_THEIRS:
            return _("We cannot open this here."), [
                _("This browser or this link belongs to another person who takes part."),
                _("Open the study from Prolific, in the browser where you began."),
                _("What you sent is saved."),
            ]
        case Reason.NEEDS_PROLIFIC:
            return _("This study takes people from Prolific."), [
                _("Open it on Prolific. The link there brings you in.")
            ]
        case Reason.NEEDS_INVITATION:
            return _("This study is by invitation."), [
                _("Open the personal link in your invitation.")
            ]
        case Reason.REVOKED:
            return _("This invitation is no longer valid."), [
                _("Ask the person who invited you for a new link."),
                _("What you sent is saved."),
            ]
    raise LookupError(f"There are no words for {reason}.")
