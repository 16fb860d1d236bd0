"""What AHEaD reads: descriptors by dimension, expected of a scene and seen in its pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scoring.metrics.base import Descriptor

DIMENSIONS = ("setting", "objects", "attire", "interaction", "layout")

DescriptorSets = Mapping[str, Sequence[str]]
"""Descriptor texts by dimension; a missing dimension is an empty list."""

Scene = tuple[str, str]
"""An activity and a country, without regard to case and outer blanks (``scene``)."""

DESCRIBED = "described"
"""Kind of a descriptor without a token: somebody looked, whatever was seen."""
NOT_LOOKED = {"refused", "parse_failed"}
"""Kinds of descriptors without a token: somebody looked and no description came of it."""
REAL = "real"
"""Kind of a descriptor that was seen in a real image of the scene."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen in one picture: the distinct texts of the dimensions that were looked at.

    An empty tuple is a dimension that was looked at with nothing seen; a dimension that was not
    looked at is absent from ``tokens``, and ``why`` may hold the reason (refused, parse_failed;
    else no_prediction).
    """

    tokens: Mapping[str, tuple[str, ...]]
    why: Mapping[str, str] = field(default_factory=dict)

    def reason(self, dimension: str) -> str:
        return self.why.get(dimension, "no_prediction")


NEVER_SEEN = Seen(tokens={})


def scene(activity: str, country: str) -> Scene:
    return activity.strip().casefold(), country.strip().casefold()


def distinct_sets(sets: DescriptorSets) -> dict[str, tuple[str, ...]]:
    """Every dimension's texts without outer blanks, exact duplicates once, in their order.

    Raises ``ValueError`` for an unknown dimension.
    """
    unknown = [dimension for dimension in sets if dimension not in DIMENSIONS]
    if unknown:
        raise ValueError(
            f"Unknown descriptor dimension {unknown[0]!r}; there are {', '.join(DIMENSIONS)}."
        )
    return {dimension: distinct(sets.get(dimension, ())) for dimension in DIMENSIONS}


def distinct(tokens: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token.strip() for token in tokens))


def seen_whole(sets: DescriptorSets) -> Seen:
    """A picture looked at in every dimension; a dimension without texts showed nothing."""
    return Seen(tokens=distinct_sets(sets))


def union(pictures: Sequence[Seen]) -> Seen:
    """What was seen in any of the pictures; a dimension counts as looked at if one of them was."""
    tokens: dict[str, tuple[str, ...]] = {}
    why: dict[str, str] = {}
    for dimension in DIMENSIONS:
        looked = [seen.tokens[dimension] for seen in pictures if dimension in seen.tokens]
        if looked:
            tokens[dimension] = tuple(dict.fromkeys(token for one in looked for token in one))
        else:
            why.update((dimension, s.why[dimension]) for s in pictures if dimension in s.why)
    return Seen(tokens=tokens, why=why)


def references_by_scene(
    references: Mapping[Scene, DescriptorSets],
) -> dict[Scene, dict[str, tuple[str, ...]]]:
    """Sets under spellings of one activity and country are joined."""
    merged: dict[Scene, dict[str, tuple[str, ...]]] = {}
    for (activity, country), sets in references.items():
        key = scene(activity, country)
        new = distinct_sets(sets)
        before = merged.get(key, {})
        merged[key] = {d: tuple(dict.fromkeys(before.get(d, ()) + new[d])) for d in DIMENSIONS}
    return merged


@dataclass(frozen=True, slots=True)
class Gathered:
    """The descriptors of a study as the scores need them.

    ``stereotypes`` hold (activity or '', token) by country; ``real`` what was seen in the real
    images of a scene.
    """

    references: dict[Scene, dict[str, tuple[str, ...]]]
    seen: dict[str, Seen]
    stereotypes: dict[str, tuple[tuple[str, str], ...]]
    real: dict[Scene, tuple[str, ...]]

    def stereotypes_of(self, activity: str, country: str) -> tuple[str, ...]:
        """Those of the country, and those written for this activity in it."""
        wanted = scene(activity, country)
        rows = self.stereotypes.get(wanted[1], ())
        return distinct(token for of, token in rows if of in ("", wanted[0]))

    def references_of(self, activity: str, country: str) -> dict[str, tuple[str, ...]]:
        return self.references.get(scene(activity, country)) or distinct_sets({})


def gather(descriptors: Iterable[Descriptor]) -> Gathered:
    """Descriptors of all kinds, sorted out.

    An item with predictions and without a row of kind ``described`` was looked at in every
    dimension (imported descriptors come without such rows). Raises ``ValueError`` for an unknown
    dimension.
    """
    references: dict[Scene, dict[str, list[str]]] = {}
    predicted: dict[str, dict[str, list[str]]] = {}
    looked: dict[str, dict[str, str]] = {}
    stereotypes: dict[str, list[tuple[str, str]]] = {}
    real: dict[Scene, list[str]] = {}
    for one in descriptors:
        of = scene(one.activity, one.country)
        if one.kind == "reference":
            references.setdefault(of, {}).setdefault(one.dimension, []).append(one.token)
        elif one.kind == "predicted":
            predicted.setdefault(one.item_key, {}).setdefault(one.dimension, []).append(one.token)
        elif one.kind == DESCRIBED or one.kind in NOT_LOOKED:
            looked.setdefault(one.item_key, {})[one.dimension] = one.kind
        elif one.kind == "stereotype":
            stereotypes.setdefault(of[1], []).append((of[0], one.token))
        elif one.kind == REAL:
            real.setdefault(of, []).append(one.token)
    return Gathered(
        references=references_by_scene(references),
        seen={
            key: _seen(predicted.get(key, {}), looked.get(key)) for key in {**predicted, **looked}
        },
        stereotypes={country: tuple(rows) for country, rows in stereotypes.items()},
        real={of: distinct(tokens) for of, tokens in real.items()},
    )


def _seen(sets: DescriptorSets, looked: Mapping[str, str] | None) -> Seen:
    if looked is None:
        return seen_whole(sets)
    known = distinct_sets(sets)
    described = {d for d in DIMENSIONS if known[d] or looked.get(d) == DESCRIBED}
    return Seen(
        tokens={d: known[d] for d in DIMENSIONS if d in described},
        why={d: why for d, why in looked.items() if d not in described},
    )
