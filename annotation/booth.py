"""What all pages of the booth share: who is at the door, which words they get, where they stand."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation

from annotation import hearing
from annotation.addresses import address
from annotation.browser import from_prolific
from annotation.devices import screen_too_small
from annotation.languages import interface_language, language_of
from annotation.models import Assignment, Participation
from annotation.practice import due_practice
from annotation.prepared import SMALL, TEXT, Prepared
from annotation.turns import in_turn
from studies.design import Design, current_design
from studies.words.design_language import frozen_design_in, in_language

State = Participation.State
MOST_SCREENS = 32_767  # what the column of their number holds
SEEN_TO = timedelta(minutes=1)
PASSED = "?passed=1"  # on the way from a page that was passed: the next one says so
BACK = "?back=1"  # on the way of somebody who was away: the screen welcomes them
AWAY = timedelta(minutes=10)
AWAY_FROM_PROLIFIC = timedelta(minutes=5)  # where a time limit goes on meanwhile


_PERSON = Prepared(
    lambda token: (
        Participation.objects.select_related("study", "panel", "identity")
        .filter(token=token)
        .order_by()
    ),
    TEXT,
)


_SCREEN = Prepared(
    lambda token, n: (
        Assignment.objects.filter(participation__token=token, n=n)
        .select_related("participation__study", "participation__panel", "participation__identity")
        .only(
            *("n", "unit", "attention_check", "repeat_of", "gold", "item_order", "key"),
            *("submitted_at", "skipped_at", "timing", "draft", "draft_counter"),
            *(
                f"participation__{name}"
                for name in (
                    *("study", "panel", "token", "state", "revision", "language", "shortcuts"),
                    *("n_units", "n_repeats", "seed", "pilot", "last_seen_at"),
                    *("study__state", "study__sound", "identity__source"),
                    *("panel__country", "panel__language", "panel__more_languages"),
                )
            ),
        )
        .order_by()
    ),
    TEXT,
    SMALL,
)


def booth(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view ``(request, person, ...)`` under a participation's token, in the person's language."""

    @wraps(view)
    def opened(request: HttpRequest, token: str, *args, **kwargs) -> HttpResponse:
        with in_turn():
            return _let_in(request, _PERSON.first(token), lambda *who: view(*who, *args, **kwargs))

    return opened


def at_screen(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """As ``booth``, a view ``(request, person, assignment)`` of a person's n-th screen, both read
    at once. None where they have no such screen."""

    @wraps(view)
    def opened(request: HttpRequest, token: str, n: int) -> HttpResponse:
        if n > MOST_SCREENS:
            raise Http404("No session has so many screens.")
        with in_turn():
            assignment = _SCREEN.first(token, n)
            person = assignment.participation if assignment is not None else _PERSON.first(token)
            return _let_in(request, person, lambda *who: view(*who, assignment))

    return opened


def _let_in(
    request: HttpRequest, person: Participation | None, view: Callable[..., HttpResponse]
) -> HttpResponse:
    if person is None:
        return _not_kept(broken_link(request))
    _see(person)
    with translation.override(interface_language(language_of(person))):
        if not person.is_over and screen_too_small(request, design_of(person).devices):
            return _not_kept(needs_computer(request, person))
        return _not_kept(view(request, person))


def _not_kept(response: HttpResponse) -> HttpResponse:
    """As ``never_cache`` has it, for browsers of this century."""
    response.headers["Cache-Control"] = "max-age=0, no-cache, no-store, must-revalidate, private"
    return response


def was_away(person: Participation) -> bool:
    """Whether somebody in the middle was not seen for long, until this request."""
    if person.state != State.RATING or person.last_seen_at is None:
        return False
    long = AWAY_FROM_PROLIFIC if from_prolific(person) else AWAY
    return timezone.now() - person.last_seen_at >= long


def is_back(request: HttpRequest, person: Participation) -> bool:
    """Whether the page that is opened is to welcome somebody who was away."""
    return (
        request.method == "GET" and not request.htmx and ("back" in request.GET or was_away(person))
    )


def _see(person: Participation) -> None:
    """Note that the person is here: to the minute, so that a screen does not cost a write more.

    ``last_seen_at`` of the row in hand stays what it was before.
    """
    now = timezone.now()
    if person.last_seen_at is None or now - person.last_seen_at > SEEN_TO:
        Participation.objects.filter(pk=person.pk).update(last_seen_at=now)


def broken_link(request: HttpRequest) -> HttpResponse:
    return render(request, "annotation/broken_link.html", {"study_title": "Concord"}, status=404)


def needs_computer(request: HttpRequest, person: Participation) -> HttpResponse:
    """The study wants a computer. Nothing is taken or changed; the link goes on there."""
    link = request.build_absolute_uri(address("door", person.token))
    if request.htmx:
        return go(request, link)
    context = {"link": link, "begun": person.state == State.RATING}
    status = 200 if request.method in {"GET", "HEAD"} else 403
    return page(request, person, "needs_computer", context, status)


def page(request, person, name: str, context=None, status: int = 200) -> HttpResponse:
    """One booth page. ``lang`` and ``dir`` are those of the words on it."""
    design = design_of(person)
    common = {
        "study_title": design.public_title,
        "token": person.token,
        "contact": design.contact,
        "passed": "passed" in request.GET,
        "is_back": is_back(request, person),
        "has_time_limit": from_prolific(person),
        "steps": 4 if hearing.is_asked(person.study) else 3,
    }
    return render(request, f"annotation/{name}.html", common | (context or {}), status=status)


def design_of(person: Participation) -> Design:
    """The words this person was promised: those of the revision they arrived under."""
    if person.revision:
        return frozen_design_in(person.study_id, person.revision, language_of(person))
    return in_language(current_design(person.study), language_of(person))


def step_url(person: Participation) -> str:
    """The address of the step this person is at."""
    if person.state == State.COMPLETE:
        return address("end", person.token)
    if person.state == State.OUT or not person.study.takes_answers:
        return address("out", person.token)
    if person.state == State.RATING:
        n = due_practice(person)
        if n is not None:
            return address("practice", person.token, n)
        return address("unit_now", person.token)
    steps = [("consent", person.consented_at), ("about_you", person.screened_at)]
    if not person.study.consent_first:
        steps.reverse()
    if hearing.is_due(person):
        steps.append(("sound", None))
    todo = next((name for name, done in steps if done is None), "instructions")
    return address(todo, person.token)


def elsewhere(request: HttpRequest, person: Participation) -> HttpResponse | None:
    """Where to go if this address is not the person's current step (Back, an old tab)."""
    now = step_url(person)
    if request.path == now:
        return None
    back = request.method == "GET" and not person.is_over and _has_passed(request, person)
    return redirect(now + PASSED if back else now)


def _has_passed(request: HttpRequest, person: Participation) -> bool:
    """Whether this address is a page before the rating that the person has done with."""
    rating = person.state == State.RATING
    done = {
        "consent": person.consented_at,
        "about_you": person.screened_at,
        "sound": rating,
        "instructions": rating,
    }
    return bool(done.get(request.resolver_match.url_name))


def go(request: HttpRequest, url: str) -> HttpResponse:
    """To another page: htmx would swap a redirect's body into the form, so it is told apart."""
    if request.htmx:
        return HttpResponse(headers={"HX-Redirect": url})
    return redirect(url)
