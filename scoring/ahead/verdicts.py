"""What people said of single reference descriptors, and the set that is left after it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from annotation.ratings import descriptor_verdicts
from studies.models import Study


@dataclass(frozen=True, slots=True)
class Tally:
    """How many counted verdicts called a descriptor right, and how many wrong."""

    right: int = 0
    wrong: int = 0

    @property
    def n(self) -> int:
        return self.right + self.wrong

    @property
    def is_struck(self) -> bool:
        """Most people called it wrong. A tie, or no verdict at all, leaves it in (ours)."""
        return self.wrong > self.right


def tallies(study: Study) -> dict[int, Tally]:
    """By descriptor id, of those that have verdicts."""
    right: dict[int, int] = {}
    wrong: dict[int, int] = {}
    for verdict in descriptor_verdicts(study):
        side = right if verdict.right else wrong
        side[verdict.descriptor] = side.get(verdict.descriptor, 0) + 1
    return {pk: Tally(right.get(pk, 0), wrong.get(pk, 0)) for pk in {**right, **wrong}}


def struck(study: Study) -> set[int]:
    """The ids of the descriptors that the cleaned set is without."""
    return {pk for pk, tally in tallies(study).items() if tally.is_struck}


def struck_mark(study: Study) -> str:
    """Differs as soon as another set is struck; 12 letters."""
    listed = ",".join(map(str, sorted(struck(study))))
    return hashlib.sha256(listed.encode()).hexdigest()[:12]
