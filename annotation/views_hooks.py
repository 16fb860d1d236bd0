"""Where Prolific sends its events. No sign-in: the signature says who it is."""

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation.models import ProlificEvent
from annotation.prolific.receiving import receive, send_off
from annotation.prolific.webhook import BadSignature, EventRefused, StaleEvent, read_event
from annotation.tasks import place_prolific_event

LARGEST_EVENT = 64 * 1024


def _text(words: str, status: int) -> HttpResponse:
    return HttpResponse(f"{words}\n", status=status, content_type="text/plain; charset=utf-8")


@csrf_exempt
@require_POST
def prolific_event(request: HttpRequest) -> HttpResponse:
    """One address for all studies: an event names its submission, not its study."""
    if not settings.PROLIFIC_WEBHOOK_SECRETS:
        return _text("No PROLIFIC_WEBHOOK_SECRET is set: no event can be believed.", 503)
    if len(request.body) > LARGEST_EVENT:
        return _text("An event is smaller than that.", 413)
    try:
        event = read_event(
            headers=request.headers,
            body=request.body,
            secrets=settings.PROLIFIC_WEBHOOK_SECRETS,
            now=timezone.now(),
        )
    except (BadSignature, StaleEvent) as refusal:
        return _text(str(refusal), 401)
    except EventRefused as refusal:
        return _text(str(refusal), 400)
    row = receive(event=event)
    if row.result == ProlificEvent.Result.WAITING:
        transaction.on_commit(lambda: send_off(place_prolific_event, row.pk))
    return _text(row.get_result_display(), 200)
