"""Where a piece of background work stands."""

from django.db import models


class WorkState(models.TextChoices):
    """Where a piece of background work stands; the row is the only truth about it."""

    QUEUED = "queued", "Waiting for a worker"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"
