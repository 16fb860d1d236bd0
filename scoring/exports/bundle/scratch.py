"""A database in memory that stands in for the site's own while a bundle is computed again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.sqlite3.base import DatabaseWrapper

from scoring.exports.bundle.records import NOBODY
from studies.design import frozen_design
from studies.words.design_language import frozen_design_in


@contextmanager
def scratch_database() -> Iterator[None]:
    """All queries of this thread go to an empty database of its own, with every table; afterwards
    the site's own is as it was. Frozen designs that are remembered belong to one of them only."""
    own = connections[DEFAULT_DB_ALIAS]
    scratch = DatabaseWrapper(_settings(own.settings_dict), alias=DEFAULT_DB_ALIAS)
    connections[DEFAULT_DB_ALIAS] = scratch
    _forget_designs()
    try:
        _make_tables(scratch)
        get_user_model().objects.create(pk=NOBODY, username="nobody", is_active=False)
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = own
        scratch.close()
        _forget_designs()


def _settings(own: dict) -> dict:
    """Those of the site's database, but for where and what it is."""
    return {
        **own,
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": ":memory:",
        "OPTIONS": {},
        "ATOMIC_REQUESTS": False,
        "AUTOCOMMIT": True,
        "CONN_MAX_AGE": None,
    }


def _make_tables(scratch: DatabaseWrapper) -> None:
    # Of a bundle's rows some point to what did not leave; nothing is checked here.
    with scratch.constraint_checks_disabled(), scratch.schema_editor() as editor:
        for model in apps.get_models():
            if model._meta.managed and not model._meta.proxy:
                editor.create_model(model)
    scratch.disable_constraint_checking()


def _forget_designs() -> None:
    frozen_design.cache_clear()
    frozen_design_in.cache_clear()
