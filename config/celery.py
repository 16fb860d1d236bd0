"""Celery, on the embedded broker by default and on Redis or RabbitMQ by CELERY_BROKER_URL.

Start a worker with

    celery -A config worker -c 1 --prefetch-multiplier 1 --without-gossip --without-mingle \\
        --without-heartbeat -n concord@localhost
"""

import os

from celery import Celery
from celery.signals import worker_ready
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES["embedded"] = "config.broker:Transport"

LOOK_EVERY = 60  # seconds between looks for work that lost its worker or its message
FORGET_EVERY = 60 * 60  # seconds between looks for ids of people whose days are over
REVIEW_EVERY = 600  # seconds between looks at what speaks against new answers

app = Celery("concord")
app.config_from_object("django.conf:settings", namespace="CELERY")
# One process: it holds the models once, a kill leaves nothing behind, and a run sees the wish to
# stop between two chunks. More at a time: start more workers, each with a name of its own (-n).
app.conf.worker_pool = "solo"
app.autodiscover_tasks()

_place = None  # the open lock file of an embedded worker


@worker_ready.connect
def take_up_what_was_left(sender, **kwargs):
    """Send off again what a killed worker, a lost message or a stopped broker has left behind."""
    from django.conf import settings

    from annotation import tasks as annotation_tasks
    from config.broker import lock_as_only_worker
    from scoring import tasks as scoring_tasks
    from studies import tasks as import_tasks

    global _place
    if settings.CELERY_BROKER_URL.startswith("embedded"):
        _place = lock_as_only_worker(settings.QUEUE_DIR)
    # Alone on the embedded broker, whatever runs by its row has lost its worker.
    for tasks in (import_tasks, scoring_tasks, annotation_tasks):
        tasks.take_up(alone=_place is not None)
        sender.timer.call_repeatedly(LOOK_EVERY, tasks.take_up)
    sender.timer.call_repeatedly(REVIEW_EVERY, annotation_tasks.review_studies)
    sender.timer.call_repeatedly(FORGET_EVERY, annotation_tasks.forget_who_people_are)
