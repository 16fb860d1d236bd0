"""Why a run cannot be made or goes no further, and what is done about it, in one place."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError

from scoring.backends.chat import ChatBusyError, ChatError
from scoring.backends.image_text import EncoderError
from scoring.backends.text_embedder import EmbedderError
from scoring.exchanges import BudgetReachedError
from scoring.knowledge.records import KnowledgeBaseError
from scoring.metrics.base import MetricError

ITEM_FAILED = "item_failed"  # a score's reason, beside those that metrics declare

TRANSIENT: tuple[type[Exception], ...] = (
    ChatBusyError,
    OperationalError,  # the database is locked, or its connection was lost
    InterfaceError,
    ConnectionError,
    TimeoutError,
)
"""Errors that pass: the chunk is tried again after each of ``WAITS``, then the run is stopped."""

WAITS = (5.0, 30.0, 120.0)  # seconds

STOPPING: tuple[type[Exception], ...] = (BudgetReachedError, *TRANSIENT)
"""Errors that leave a run stopped: it can be continued as it is."""

EXPECTED: tuple[type[Exception], ...] = (
    MetricError,
    EmbedderError,
    EncoderError,
    ChatError,
    KnowledgeBaseError,
)
"""Errors that hold for every item: the run fails with their sentence."""


class RunError(Exception):
    """A run cannot be made or continued; the message says why and what to do."""


class NothingToScoreError(RunError):
    """The study lacks what the metric reads."""


class RunOutdatedError(RunError):
    """A run that was interrupted can no longer be continued with the same method."""


class NoItemScoredError(RunError):
    """Every item failed."""

    def __init__(self, sentence: str, traceback: str) -> None:
        super().__init__(sentence)
        self.traceback = traceback


class ChunkLostError(RunError):
    """The run was cancelled, or its worker was thought lost: the chunk is given up."""


class RunUnderWayError(RunError):
    """What is asked for can only be done when the run is over."""


class SameRunError(RunError):
    """The run that is asked for is under way already, on other terms."""


class RunNotOverError(RunError):
    """A run without scores, or one that is not done, cannot be used like this."""


class WrongRowsError(Exception):
    """A metric gave score rows of something else than it was asked for."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether main memory or a GPU's was not enough: fewer items at once may fit."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and (
        "out of memory" in text or "can't allocate memory" in text
    )
