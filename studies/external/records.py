"""One rating from elsewhere, and what may be wrong with a file of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

TOLD = 20  # problems that are named one by one
LONGEST = 600  # letters of a problem, whatever the file holds

FACTS = ("system", "country", "category", "aspect", "scenario", "prompt", "variant")
"""What else a file may say of an item."""


@dataclass(frozen=True, slots=True)
class ExternalRating:
    """One answer as it was written. ``where`` names its place in a problem, e.g. "line 12"."""

    item: str
    rater: str
    question: str
    value: str
    where: str
    facts: dict[str, str] = field(default_factory=dict, hash=False)


class ImportRefusedError(Exception):
    """Nothing was written. ``problems`` are sentences that name the place and the fix."""

    def __init__(self, problems: Sequence[str]) -> None:
        more = len(problems) - TOLD
        rest = [f"And {more:,} more."] if more > 0 else []
        self.problems = [*map(told, problems[:TOLD]), *rest]
        super().__init__(" ".join(self.problems))


def told(problem: str) -> str:
    """A sentence that can be shown and stored: files hold endless cells, halves of letters, NUL."""
    shown = problem.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
