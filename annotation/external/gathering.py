"""Files read one after the other and checked: what a preview shows and an import writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from annotation.external.collecting import Collected, Collector
from annotation.external.scales import Declared
from studies.external.reading import Source, read
from studies.external.records import ExternalRating
from studies.external.sources import sha256

PREVIEWED = 10
STEP = 1000  # ratings


def _quiet(n: int) -> None:
    """Nobody looks on."""


class Gathering:
    """``first`` are the first ratings as they were read, ``left_out`` what was passed over and why,
    ``texts`` what a file says of its questions, ``files`` the name, the count and the SHA-256 of
    each file that was taken whole. With ``most`` it takes the first so many ratings only, and
    ``is_full`` says that there are more. ``on_step`` is told now and then how many were read."""

    def __init__(
        self,
        source: Source,
        scales: Mapping[str, Declared],
        default: Declared | None,
        *,
        most: int | None = None,
        on_step: Callable[[int], None] = _quiet,
    ) -> None:
        self.first: list[ExternalRating] = []
        self.left_out: Counter[str] = Counter()
        self.texts: dict[str, str] = {}
        self.files: list[dict[str, Any]] = []
        self.is_full = False
        self._most = most
        self._on_step = on_step
        self._n = 0
        self._source = source
        self._collector = Collector(scales, default)

    def take(self, path: Path) -> None:
        """Raises ``ImportRefusedError`` for a file that cannot be read as it was described."""
        if self.is_full:
            return
        ratings = read(path, self._source, self.left_out, self.texts)
        n = self._collector.take(self._remembered(ratings))
        if not self.is_full:
            self.files.append({"name": path.name, "ratings": n, "sha256": sha256(path)})

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Why something was passed over, and how often."""
        return list(self.left_out.items())

    def finish(self) -> Collected:
        """Raises ``ImportRefusedError`` for every rating that was wrong."""
        return self._collector.finish()

    def _remembered(self, ratings: Iterable[ExternalRating]) -> Iterator[ExternalRating]:
        for one in ratings:
            if self._n == self._most:
                self.is_full = True
                return
            if len(self.first) < PREVIEWED:
                self.first.append(one)
            self._n += 1
            if self._n % STEP == 0:
                self._on_step(self._n)
            yield one
