"""For researchers: answers worth a conversation, what was asked, and what came of it."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Assignment, Conversation
from annotation.prolific.actions import ActionRefused
from annotation.prolific.client import NoToken
from annotation.quality.conversations import (
    NothingAsked,
    ask,
    close,
    reachable_on_prolific,
    send,
    sent_on_prolific,
)
from annotation.quality.disagreements import furthest_apart, score_against_rationale
from annotation.ratings import rating_counts
from studies.access import study_page
from studies.models import Study


@require_safe
@study_page
def disagreements(request: HttpRequest, study: Study) -> HttpResponse:
    conversations = Conversation.objects.filter(
        assignment__participation__study=study
    ).select_related("assignment__participation", "assignment__unit", "by")
    waiting = list(conversations.filter(closed_at=None))
    sent = sent_on_prolific(waiting)
    context = {
        "study": study,
        "tab": "quality",
        "simulated": rating_counts(study).simulated > 0,
        "odd": score_against_rationale(study),
        "apart": furthest_apart(study),
        "waiting": [(one, sent.get(one.pk)) for one in waiting],
        "on_prolific": reachable_on_prolific(study) if settings.PROLIFIC_TOKEN else set(),
        "closed": conversations.exclude(closed_at=None),
        "outcomes": [choice for choice in Conversation.Outcome.choices if choice[0]],
    }
    return render(request, "annotation/disagreements.html", context)


@require_POST
@study_page
def ask_about(request: HttpRequest, study: Study, screen: int) -> HttpResponse:
    """Keep what somebody is asked about a screen, and send it on Prolific where that is ticked."""
    assignment = get_object_or_404(Assignment, pk=screen, participation__study=study)
    try:
        asked = ask(assignment=assignment, text=request.POST.get("text", ""), by=request.user)
        if request.POST.get("send") == "prolific":
            message = send(conversation=asked, by=request.user)
            done = message.get_kind_display().lower()
            messages.info(request, f"{assignment.participation}: {done}. {message.result}".strip())
        else:
            messages.success(request, f"Kept. Now send it to {assignment.participation}.")
    except NothingAsked as refusal:
        messages.error(request, str(refusal))
    except (ActionRefused, NoToken) as refusal:
        messages.error(request, f"Kept, but not sent: {refusal}")
    return redirect("annotation:disagreements", study.slug)


@require_POST
@study_page
def close_conversation(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    conversation = get_object_or_404(
        Conversation, pk=pk, assignment__participation__study=study, closed_at=None
    )
    try:
        close(
            conversation=conversation,
            outcome=request.POST.get("outcome", ""),
            note=request.POST.get("note", "")[:2000],
        )
    except ValueError as refusal:
        raise Http404 from refusal
    messages.success(request, "The outcome is kept.")
    return redirect("annotation:disagreements", study.slug)
