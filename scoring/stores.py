"""The stores of what was computed or paid for once: how much is in them, and emptying them.

Scores of runs are not in here: they stand with their runs, from where reports read them. Emptying
a store costs work, or money where a chat model is asked again, and changes no number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Min, Model, QuerySet, Sum
from django.utils import timezone

from scoring.metrics import all_metrics
from scoring.models import CachedScore, ChatExchange, StoredVector

AT_ONCE = 1000  # rows deleted in one statement: others wait for the database no longer than that


@dataclass(frozen=True, slots=True)
class Store:
    """``named`` are the columns that say what made a row."""

    key: str
    name: str
    about: str
    rows: type[Model]
    named: tuple[str, ...]

    @property
    def may_be_seen_with(self) -> str:
        return f"scoring.view_{self.rows._meta.model_name}"

    @property
    def may_be_emptied_with(self) -> str:
        return f"scoring.delete_{self.rows._meta.model_name}"


@dataclass(frozen=True, slots=True)
class Kept:
    """What one model left in a store; ``metric`` is empty but for scores, both are where rows were
    stored before names were."""

    metric: str
    model: str
    n: int
    n_bytes: int
    oldest: datetime
    newest: datetime


@dataclass(frozen=True, slots=True)
class Which:
    """Rows of a store: of one metric or model (None: any), older than so many days (None: all)."""

    metric: str | None = None
    model: str | None = None
    days: int | None = None


STORES = {
    store.key: store
    for store in (
        Store(
            key="scores",
            name="Scores",
            about="Found again by the same metric on the same content, in any study. Without them "
            "the next run computes anew; runs that are there keep their scores.",
            rows=CachedScore,
            named=("metric", "model"),
        ),
        Store(
            key="vectors",
            name="Vectors",
            about="Embeddings of texts and pictures. Without them the model embeds anew.",
            rows=StoredVector,
            named=("model",),
        ),
        Store(
            key="exchanges",
            name="Exchanges",
            about="Questions to chat models with their answers: the record of what was asked, and "
            "what saves paying for the same question again.",
            rows=ChatExchange,
            named=("model",),
        ),
    )
}


class UnknownStoreError(Exception):
    """There is no store of this name; the message names them."""


def store_called(key: str) -> Store:
    """Raises ``UnknownStoreError``."""
    if key not in STORES:
        raise UnknownStoreError(f"There is no store {key!r}. There are: {', '.join(STORES)}.")
    return STORES[key]


def contents(store: Store, which: Which = Which()) -> list[Kept]:  # noqa: B008 (frozen)
    """What each model left, the largest number of rows first.

    Read from one index of the store: what rows hold is not looked at.
    """
    return [Kept(**({"metric": ""} | row)) for row in summed(store, which)]


def empty(store: Store, which: Which, *, at_most: int | None = None) -> int:
    """The number of rows that are gone, oldest first, ``at_most`` so many. What is stored while
    this goes on stays."""
    chosen = _chosen(store, which, timezone.now()).order_by("created_at", "pk")
    return sum(_deleted(store, chosen, at_most))


def _deleted(store: Store, chosen: QuerySet[Any], at_most: int | None) -> Iterator[int]:
    left = at_most
    while left is None or left > 0:
        keys = list(chosen.values_list("pk", flat=True)[: min(AT_ONCE, left or AT_ONCE)])
        if not keys:
            return
        yield store.rows._default_manager.filter(pk__in=keys).delete()[0]
        if left is not None:
            left -= len(keys)


def summed(store: Store, which: Which) -> QuerySet[Any, dict[str, Any]]:
    """What ``contents`` reads."""
    return (
        _chosen(store, which, timezone.now())
        .order_by()
        .values(*store.named)
        .annotate(
            n=Count("*"),
            n_bytes=Sum("size"),
            oldest=Min("created_at"),
            newest=Max("created_at"),
        )
        .order_by("-n", *store.named)
    )


def metric_name(key: str) -> str:
    """As pages call it; the key of a metric that is no longer there."""
    names = {metric.declaration.key: metric.declaration.name for metric in all_metrics()}
    return names.get(key, key)


def _chosen(store: Store, which: Which, now: datetime) -> QuerySet[Any]:
    until = now - timedelta(days=which.days or 0)
    rows = store.rows._default_manager.filter(created_at__lte=until)
    for name in store.named:
        wanted = getattr(which, name)
        if wanted is not None:
            rows = rows.filter(**{name: wanted})
    return rows
