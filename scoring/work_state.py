"""Where a piece of background work stands."""

from django.db import models


class WorkState(models.TextChoices):
    """Where a piece of background work stands; the row is the only truth about it."""

    QUEUED = "queued", "Waiting for a worker"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


class RunState(models.TextChoices):
    """Where a run stands: as ``WorkState``, and two states in which it waits for a person.

    A stopped run ended before its time for a reason that passes: a budget, a busy server, an
    interrupt. It can be continued, as a failed or a cancelled one can.
    """

    ESTIMATED = "estimated", "Waiting for your word"
    QUEUED = "queued", "Waiting for a worker"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    STOPPED = "stopped", "Stopped"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"
