"""Settings of ``tests.worker_site``: the product's own; tables are made from the models."""

from config.settings import *  # noqa: F403

MIGRATION_MODULES = dict.fromkeys(
    ("accounts", "studies", "annotation", "scoring", "admin", "auth", "contenttypes", "sessions")
)
