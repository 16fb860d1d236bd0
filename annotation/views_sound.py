"""The sound check: how many beeps? Only where the study has sound judged."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation import entry, hearing
from annotation.beeps import beeps_wav
from annotation.booth import booth, elsewhere, page, step_url
from annotation.models import Participation
from studies.byte_ranges import UnsatisfiableRange, read_range


@booth
@require_http_methods(["GET", "HEAD", "POST"])
def sound(request: HttpRequest, person: Participation) -> HttpResponse:
    """Two tries; then how to hear better, and once more from the beginning."""
    if away := elsewhere(request, person):
        return away
    error = ""
    if request.method == "POST":
        if "again" in request.POST:
            entry.check_hearing_again(participation=person)
            return redirect(step_url(person))
        answer = request.POST.get("beeps", "")
        if answer in hearing.CHOICES:
            before = person.hearing_tries
            number = request.POST.get("try", "")
            entry.record_hearing(
                participation=person,
                beeps=int(answer),
                number=int(number) if number.isdecimal() and len(number) < 5 else 0,
            )
            if person.hearing or person.hearing_tries == before:
                return redirect(step_url(person))
            error = _("Not quite. Listen once more: the number has changed.")
        else:
            error = _("Choose how many beeps you heard.")
    context = {
        "step": 3,
        "choices": hearing.CHOICES,
        "error": error,
        "not_heard": person.hearing == Participation.Hearing.NOT_HEARD,
        "tries": person.hearing_tries,
        "try_number": person.hearing_tries + 1,
    }
    return page(request, person, "sound", context, 422 if error else 200)


@booth
@require_safe
def beeps(request: HttpRequest, person: Participation) -> HttpResponse:
    """The sound of this try. Some players ask for parts of it, and play nothing else."""
    data = beeps_wav(hearing.beeps_of(person))
    try:
        part = read_range(request.headers.get("Range", ""), len(data))
    except UnsatisfiableRange as refused:
        return HttpResponse(str(refused), status=416, content_type="text/plain")
    if part is None:
        response = HttpResponse(data, content_type="audio/wav")
    else:
        body = data[part.first : part.last + 1]
        response = HttpResponse(body, status=206, content_type="audio/wav")
        response["Content-Range"] = f"bytes {part.first}-{part.last}/{len(data)}"
    response["Accept-Ranges"] = "bytes"
    return response
