"""Saying how far a long computation is, and stopping it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with (done, total) replicates."""

ShouldStop = Callable[[], bool]


class BootstrapStopped(Exception):
    """A bootstrap was stopped between two blocks of replicates; nothing was returned."""

    def __init__(self, *, done: int, total: int) -> None:
        self.done = done
        self.total = total
        super().__init__(f"The bootstrap was stopped after {done} of {total} replicates.")


class Watch:
    """Counts replicates of one computation; what a callback raises ends the computation."""

    def __init__(
        self, *, total: int, progress: Progress | None = None, should_stop: ShouldStop | None = None
    ) -> None:
        self.total = total
        self.done = 0
        self._progress = progress
        self._should_stop = should_stop

    def add(self, replicates: int) -> None:
        """So many more are done. Raises BootstrapStopped when asked to stop before the end."""
        self.done += replicates
        if self._progress is not None:
            self._progress(self.done, self.total)
        if self.done < self.total and self._should_stop is not None and self._should_stop():
            raise BootstrapStopped(done=self.done, total=self.total)
