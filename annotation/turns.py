"""Turns: with SQLite, requests of annotators are dealt with one after the other in each process.

SQLite has one writer at a time, and who waits for it looks again now and then: under load some look
at the wrong moments for many seconds. Threads of one Python process do not run side by side either,
and take the processor from whoever is just writing. In turn everybody waits as long as those before
them need, and more is done. PostgreSQL queues by itself; there nothing is held back.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


class Line:
    """A lock that is given in the order in which it was asked for."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._taken = False

    def __enter__(self) -> None:
        with self._guard:
            if not self._taken:
                self._taken = True
                return
            gate = threading.Lock()
            gate.acquire()
            self._waiting.append(gate)
        gate.acquire()  # opened by whoever is done

    def __exit__(self, *_: object) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False


_LINE = Line()


@contextmanager
def in_turn() -> Iterator[None]:
    """Not to be nested. Costs nothing where nobody else is at work."""
    if connection.vendor == "sqlite":
        with _LINE:
            yield
    else:
        yield
