"""What speaks against somebody's rationales: short ones, and the same text again. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from annotation.quality.findings import Finding

LEAST_TEXTS = 5
LONG_ENOUGH = 20
"""Letters from which the same text twice says something: everybody writes "nothing is wrong"."""

_NOT_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Written:
    """One rationale: ``person`` and ``unit`` as codes, ``screen`` its number in the session."""

    person: int
    screen: int
    unit: int
    text: str


def normalised(text: str) -> str:
    """The letters and digits of a text, in one form and case: what copying leaves the same."""
    return _NOT_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


def short_texts(texts: Iterable[Written]) -> dict[int, Finding]:
    """The median length, in letters and digits, of what somebody wrote."""
    lengths: dict[int, list[int]] = defaultdict(list)
    for one in texts:
        lengths[one.person].append(len(normalised(one.text)))
    return {
        person: Finding(
            float(median(own)),
            f"Half of {len(own)} texts have {median(own):.0f} letters or fewer.",
            {"texts": len(own), "median_letters": float(median(own))},
        )
        for person, own in lengths.items()
        if len(own) >= LEAST_TEXTS
    }


def copied_texts(texts: Iterable[Written]) -> dict[int, Finding]:
    """The share, 0 to 1, of somebody's longer texts that they had written of another unit before.

    The same unit shown again may well get the same words.
    """
    seen: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    count: dict[int, int] = defaultdict(int)
    again: dict[int, list[int]] = defaultdict(list)
    for one in sorted(texts, key=lambda row: (row.person, row.screen)):
        words = normalised(one.text)
        if len(words) < LONG_ENOUGH:
            continue
        count[one.person] += 1
        if seen[one.person][words] - {one.unit}:
            again[one.person].append(one.screen)
        seen[one.person][words].add(one.unit)
    return {
        person: Finding(
            len(again[person]) / n,
            f"{len(again[person])} of {n} texts are the same as an earlier one of their own about "
            "another unit.",
            {"copied": len(again[person]), "texts": n},
            tuple(sorted(set(again[person]))),
        )
        for person, n in count.items()
        if n >= LEAST_TEXTS
    }


def shared_texts(texts: Iterable[Written]) -> dict[int, Finding]:
    """How many of somebody's longer texts are word for word those of somebody else."""
    writers: dict[str, set[int]] = defaultdict(set)
    own: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for one in texts:
        words = normalised(one.text)
        if len(words) >= LONG_ENOUGH:
            writers[words].add(one.person)
            own[one.person].append((one.screen, words))
    found = {}
    for person, written in own.items():
        shared = [(screen, words) for screen, words in written if len(writers[words]) > 1]
        others = {other for _, words in shared for other in writers[words]} - {person}
        people = "1 other person" if len(others) == 1 else f"{len(others)} other people"
        found[person] = Finding(
            float(len(shared)),
            f"{len(shared)} of {len(written)} texts are word for word those of {people}.",
            {"shared": len(shared), "texts": len(written), "people": len(others)},
            tuple(sorted({screen for screen, _ in shared})),
        )
    return found
