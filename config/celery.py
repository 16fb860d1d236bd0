"""Celery, on the embedded broker by default and on Redis or RabbitMQ by CELERY_BROKER_URL."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES["embedded"] = "config.broker:Transport"

app = Celery("concord")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
