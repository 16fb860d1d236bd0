"""Background steps: asked for, claimed by one worker, done in pieces, taken up again.

The row is the truth. A worker owns a step while the row is RUNNING and carries the heartbeat that
it wrote last; what it makes is written piece by piece with the progress. A step taken up again
skips what is there, and asks a chat model nothing twice: answers are stored as they come.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string
from kombu.exceptions import ChannelError, OperationalError

from scoring.backends.chat import ChatError
from scoring.backends.text_embedder import EmbedderError
from scoring.metrics.ahead.calibration import NothingToCalibrateError
from scoring.metrics.base import MetricError
from scoring.models import ScoringStep, WorkState
from scoring.prompting.prompt import PromptError
from scoring.step_work import StepGoneError, StepPutBackError, Work
from studies.models import Study

logger = logging.getLogger("concord.steps")

STALE_AFTER = timedelta(minutes=15)  # one piece may ask a slow model a few dozen questions
UNHEARD_AFTER = timedelta(minutes=1)

Kind = ScoringStep.Kind
DOERS: dict[str, str] = {
    Kind.REFERENCES: "scoring.ahead.references",
    Kind.STEREOTYPES: "scoring.ahead.stereotypes",
    Kind.PREDICTIONS: "scoring.ahead.predictions",
    Kind.REAL_IMAGES: "scoring.ahead.choosing",
    Kind.CALIBRATION: "scoring.ahead.calibrating",
    Kind.ABLATIONS: "scoring.ahead.ablating",
    Kind.EDITS: "scoring.ahead.edits",
    Kind.PROBES: "scoring.culturescore.bank",
}
"""Kind -> module with ``checked(study, parameters) -> dict`` and ``do(work)``."""

_EXPECTED = (ChatError, EmbedderError, MetricError, PromptError, NothingToCalibrateError)


class StepError(Exception):
    """A step cannot be made or gone on with; the message says why and what to do."""


def request_step(
    *, study: Study, kind: str, parameters: Mapping[str, Any], by: Any, send: bool = True
) -> ScoringStep:
    """A queued step, sent to the workers once the transaction is committed (unless not ``send``).

    The same step asked for again while it waits or runs is that step. Raises ``ParameterError``
    or another ``MetricError`` where the parameters cannot be used.
    """
    checked = _module(kind, "checked")(study, dict(parameters))
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)  # two clicks at once
        for step in unfinished_steps(study).filter(kind=kind):
            if step.parameters == checked:
                return step
        step = ScoringStep.objects.create(
            study=study, kind=kind, parameters=checked, requested_by=by
        )
        if send:
            transaction.on_commit(lambda: _send_off(step.pk))
    return step


def unfinished_steps(study: Study):
    return study.scoring_steps.filter(state__in=[WorkState.QUEUED, WorkState.RUNNING])


def execute_step(
    *,
    step_id: int,
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[ScoringStep], None] = lambda step: None,
) -> None:
    """Do what is left of a waiting step; does nothing if it is not waiting.

    ``should_stop`` is asked between pieces: if true, the step goes back to the queue as it stands.
    Expected errors fail the step with their sentence, unexpected ones with their traceback too;
    what was made is kept.
    """
    step = claim_step(step_id=step_id)
    if step is None:
        return
    work = Work(step, should_stop, on_progress)
    try:
        _module(step.kind, "do")(work)
        work.save(state=WorkState.DONE, finished_at=timezone.now(), **work.spent())
    except StepGoneError:
        logger.info("Step %s is no longer this worker's", step.pk)
    except StepPutBackError:
        work.save(state=WorkState.QUEUED, **work.spent())
    except _EXPECTED as error:
        _fail(work, str(error), "")
    except Exception as error:  # the boundary of a step
        logger.exception("Step %s stopped on an unexpected error", step.pk)
        sentence = f"The step stopped on an unexpected error ({type(error).__name__}: {error})."
        _fail(work, f"{sentence} What it had made is kept.", traceback.format_exc())


def claim_step(*, step_id: int) -> ScoringStep | None:
    """The step, now RUNNING and ours; None if it is not waiting. Of two claimers one wins."""
    now = timezone.now()
    claimed = ScoringStep.objects.filter(pk=step_id, state=WorkState.QUEUED).update(
        state=WorkState.RUNNING, started_at=now, heartbeat_at=now, error="", traceback=""
    )
    return ScoringStep.objects.select_related("study").get(pk=step_id) if claimed else None


def cancel_step(*, step: ScoringStep) -> bool:
    """Whether the step was waiting or running and is now cancelled. What it made is kept."""
    waiting = ScoringStep.objects.filter(
        pk=step.pk, state__in=[WorkState.QUEUED, WorkState.RUNNING]
    )
    return bool(waiting.update(state=WorkState.CANCELLED, finished_at=timezone.now()))


def resume_step(*, step: ScoringStep, budget_calls: int | None) -> None:
    """Send off a step that failed or was cancelled again, with a new budget of calls.

    Raises ``StepError`` for one that is done, waits or runs.
    """
    parameters = {k: v for k, v in step.parameters.items() if k != "budget_calls"}
    if budget_calls is not None:
        parameters["budget_calls"] = budget_calls
    with transaction.atomic():
        over = ScoringStep.objects.filter(
            pk=step.pk, state__in=[WorkState.FAILED, WorkState.CANCELLED]
        )
        if not over.update(state=WorkState.QUEUED, parameters=parameters, finished_at=None):
            raise StepError("Only a step that failed or was cancelled can be gone on with.")
        transaction.on_commit(lambda: _send_off(step.pk))


def requeue_stale_steps(*, alone: bool = False) -> list[int]:
    """Send off the steps that lost their worker or their message; their primary keys."""
    now = timezone.now()
    running = ScoringStep.objects.filter(state=WorkState.RUNNING)
    lost = running if alone else running.filter(heartbeat_at__lt=now - STALE_AFTER)
    requeued = [
        pk
        for pk, heartbeat in list(lost.values_list("pk", "heartbeat_at"))
        if running.filter(pk=pk, heartbeat_at=heartbeat).update(state=WorkState.QUEUED)
    ]
    waiting = ScoringStep.objects.filter(state=WorkState.QUEUED).exclude(pk__in=requeued)
    if not alone:
        waiting = waiting.filter(requested_at__lt=now - UNHEARD_AFTER)
    if alone or not running.exists():
        requeued += waiting.order_by("requested_at", "pk").values_list("pk", flat=True)
    for pk in requeued:
        _send_off(pk)
    return requeued


def _module(kind: str, name: str) -> Callable[..., Any]:
    return import_string(f"{DOERS[kind]}.{name}")


def _send_off(step_id: int) -> None:
    from scoring.step_tasks import execute_step as task

    try:
        task.delay(step_id)
    except (OperationalError, ChannelError):
        # The row stays queued; a worker sends it off again as soon as there is a broker.
        logger.error("The broker took no message for step %s; it stays queued", step_id)


def _fail(work: Work, sentence: str, trace: str) -> None:
    try:
        work.save(
            state=WorkState.FAILED,
            finished_at=timezone.now(),
            error=sentence,
            traceback=trace,
            **work.spent(),
        )
    except StepGoneError:
        logger.info("Step %s was taken away before it failed: %s", work.step.pk, sentence)
