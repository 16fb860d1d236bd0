"""What commands share: finding the study, reading files, a progress bar."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from django.core.management.base import CommandError, OutputWrapper

from studies.importing.problems import Problem
from studies.models import Study

_WIDTH = 30
_EVERY = 0.2  # seconds
PHASES = {"rows": "Checking rows", "files": "Looking at files", "writing": "Writing"}


def find_study(slug: str) -> Study:
    try:
        return Study.objects.get(slug=slug)
    except Study.DoesNotExist as missing:
        known = Study.objects.order_by("slug").values_list("slug", flat=True)
        slugs = ", ".join(known[:20]) or "none yet"
        raise CommandError(f"There is no study “{slug}”. Studies: {slugs}.") from missing


def read_file(path: Path | str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error


def refuse(problems: Iterable[Problem], stderr: OutputWrapper) -> None:
    """Print every problem and end the command, if there are any."""
    found = list(problems)
    for problem in found:
        stderr.write(str(problem))
    if found:
        noun = "problem" if len(found) == 1 else "problems"
        raise CommandError(f"{len(found)} {noun}; nothing was written.")


def counts_line(counts: dict[str, int]) -> str:
    words = {"new": "new", "changed": "changed", "same": "the same"}
    return ", ".join(f"{counts[name]} {word}" for name, word in words.items() if name in counts)


class ProgressBar:
    """One line that is drawn over, on a terminal only; a log gets nothing."""

    def __init__(self, out: OutputWrapper) -> None:
        self._out = out
        self._is_shown = out.isatty()
        self._last = 0.0
        self._phase = ""

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._is_shown or not total or (now - self._last < _EVERY and done < total):
            return
        self._last = now
        if self._phase not in ("", phase):
            self._out.write("", ending="\n")
        self._phase = phase
        full = _WIDTH * done // total
        bar = "█" * full + "░" * (_WIDTH - full)
        line = f"\r{PHASES[phase]:<18}{bar} {done:,} of {total:,}"
        self._out.write(line, ending="")
        self._out.flush()

    def close(self) -> None:
        if self._is_shown and self._phase:
            self._out.write("", ending="\n")
