"""Ratings as they stream in, checked one by one and kept as numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from annotation.external.scales import Declared
from studies.external.records import ExternalRating, ImportRefusedError
from studies.importing.countries import nearest_country, resolve_country
from studies.importing.tables import control_character, visible

LONGEST_ID = 200
LONGEST_NAME = 120
MOST_SCREENS = 32_767  # of one rater, as a screen's number has room
LINES = ("prompt",)


Places = npt.NDArray[np.int_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Screens:
    """What one person said of one item, all questions together. ``rater`` and ``item`` have an
    entry a screen, ``of_rating`` the number of its screen an entry a rating."""

    rater: Places
    item: Places
    of_rating: Places


@dataclass(slots=True)
class Collected:
    """``item``, ``rater``, ``question`` and ``value`` have one entry a rating; the first three are
    places in ``items``, ``raters`` and ``questions``, in the order of their first appearance."""

    items: dict[str, int] = field(default_factory=dict)
    facts: list[dict[str, str]] = field(default_factory=list)
    raters: dict[str, int] = field(default_factory=dict)
    questions: dict[str, int] = field(default_factory=dict)
    item: array = field(default_factory=lambda: array("l"))
    rater: array = field(default_factory=lambda: array("l"))
    question: array = field(default_factory=lambda: array("l"))
    value: array = field(default_factory=lambda: array("l"))

    def __len__(self) -> int:
        return len(self.value)

    def screens(self) -> Screens:
        """The ratings by who gave them of what, in the order of their first appearance."""
        rater, item = (np.frombuffer(one, dtype=np.int_) for one in (self.rater, self.item))
        pair = rater * len(self.items) + item
        _, first, slot = np.unique(pair, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        of_first = first[order]
        return Screens(rater=rater[of_first], item=item[of_first], of_rating=number[slot])


class Collector:
    """Takes ratings of several files; what is wrong is named once all are read."""

    def __init__(self, scales: Mapping[str, Declared], default: Declared | None) -> None:
        self.found = Collected()
        self._scales = scales
        self._default = default
        self._seen: set[tuple[int, int, int]] = set()
        self._problems: list[str] = []

    def take(self, ratings: Iterable[ExternalRating]) -> int:
        """How many ratings there were."""
        before = len(self.found)
        for one in ratings:
            if problem := self._taken(one):
                self._problems.append(f"{one.where}: {problem}")
        return len(self.found) - before

    def finish(self) -> Collected:
        """Raises ``ImportRefusedError`` for everything that was wrong."""
        found = self.found
        self._seen.clear()  # of a million ratings 150 MB, which the writing needs
        names = list(found.raters)
        self._problems += [
            f"The rater {visible(names[place])!r} has more than {MOST_SCREENS:,} items."
            for place in _with_too_many(found)
        ]
        if not self._problems and not len(found):
            self._problems.append("There is no rating in it.")
        if self._problems:
            raise ImportRefusedError(self._problems)
        return found

    def _taken(self, one: ExternalRating) -> str:
        for what, name, most in (
            ("item", one.item, LONGEST_ID),
            ("rater", one.rater, LONGEST_ID),
            ("question", one.question, LONGEST_NAME),
        ):
            if problem := _wrong_name(what, name, most):
                return problem
        scale = self._scales.get(one.question, self._default)
        if scale is None:
            return f"no scale is declared for the question {visible(one.question)!r}."
        value = scale.value(one.value)
        if value is None:
            pointed = one.value.replace(",", ".")
            hint = " Write decimals with a point." if scale.value(pointed) is not None else ""
            return f"{visible(one.value)!r} is no point of {one.question}: {scale.words}.{hint}"
        facts, problem = _facts(one.facts)
        if problem:
            return problem
        return self._kept(one, value, facts)

    def _kept(self, one: ExternalRating, value: int, facts: dict[str, str]) -> str:
        found = self.found
        item = found.items.setdefault(one.item, len(found.items))
        if item == len(found.facts):
            found.facts.append(facts)
        elif (other := found.facts[item]) != facts:
            name = next(n for n in {**other, **facts} if other.get(n, "") != facts.get(n, ""))
            said, earlier = visible(facts.get(name, "")), visible(other.get(name, ""))
            return f"the item {visible(one.item)!r} has the {name} {said!r}, earlier {earlier!r}."
        rater = found.raters.setdefault(one.rater, len(found.raters))
        question = found.questions.setdefault(one.question, len(found.questions))
        key = (item, rater, question)
        if key in self._seen:
            return (
                f"{visible(one.rater)!r} rated {visible(one.item)!r} on {one.question} before. "
                "Leave one of the two out."
            )
        self._seen.add(key)
        found.item.append(item)
        found.rater.append(rater)
        found.question.append(question)
        found.value.append(value)
        return ""


def _with_too_many(found: Collected) -> list[int]:
    """Raters with more items than screens have numbers."""
    if len(found) <= MOST_SCREENS:
        return []
    return np.flatnonzero(np.bincount(found.screens().rater) > MOST_SCREENS).tolist()


def _wrong_name(what: str, name: str, most: int) -> str:
    if not name:
        return f"no {what}."
    if len(name) > most:
        return f"the {what} {visible(name)!r} has more than {most} letters."
    if control := control_character(name, lines=False):
        return f"the {what} {visible(name)!r} holds {control}, which is no text. Take it out."
    return ""


def _facts(given: Mapping[str, str]) -> tuple[dict[str, str], str]:
    facts = {name: said for name, said in given.items() if said}
    for name, said in facts.items():
        if control := control_character(said, lines=name in LINES):
            return {}, f"the {name} {visible(said)!r} holds {control}, which is no text."
        if name not in LINES and len(said) > LONGEST_NAME:
            return {}, f"the {name} {visible(said)!r} has more than {LONGEST_NAME} letters."
    if "country" in facts:
        code = resolve_country(facts["country"])
        if code is None:
            near = nearest_country(facts["country"])
            hint = f" Did you mean {near}?" if near else ""
            return {}, f"{visible(facts['country'])!r} is no country.{hint}"
        facts["country"] = code
    return facts, ""
