"""The composition root: settings, URLs, Celery. Importing it makes `shared_task` use our app."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
