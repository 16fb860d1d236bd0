"""Which entities of a knowledge base a picture shows: six ways, and how often they are right.

*Picture first*: the K nearest pictures give the candidates, all entities that stand with them; how
near the pictures were is then forgotten. Candidates are ranked by the cosine of the picture and
their lemma (the default) or gloss, or by how many of the K pictures they stand with. *Text
directly*: the K entities whose lemma, gloss or article is nearest. Higher scores come first. Equal
scores share a place, and an order by id is given to them so that it is always the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from scoring.backends.image_text import Vector
from scoring.knowledge.base import KnowledgeBase
from scoring.knowledge.shelf import ShelvedEntity

Way = Literal[
    "picture_lemma",
    "picture_gloss",
    "picture_frequency",
    "text_lemma",
    "text_gloss",
    "text_article",
]
WAYS: tuple[Way, ...] = get_args(Way)
K = 20
RECALL_AT = (1, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class Linked:
    """``place`` is 1 plus the number of entities with a higher score; equal scores share it."""

    entity: ShelvedEntity
    score: float
    place: int

    def stored(self) -> dict[str, Any]:
        return {
            "id": self.entity.id,
            "lemma": self.entity.lemma,
            "score": self.score,
            "place": self.place,
        }


def link(
    kb: KnowledgeBase, picture: Vector, *, way: Way = "picture_lemma", k: int = K
) -> list[Linked]:
    """The entities that ``picture``, a unit vector, may show, best first.

    Candidates without the text that a way ranks by are not among them. Picture first gives as many
    as stand with the ``k`` pictures, text directly gives ``k``.
    """
    family, by = way.split("_", 1)
    if family == "text":
        return ranked([(e, similarity) for e, similarity in kb.near_texts(by, picture, k)])
    found = kb.near_pictures(picture, k)
    times = Counter(row for near in found for row in near.entities)
    candidates = [kb.entity(row) for row in times]
    if by == "frequency":
        return ranked([(entity, float(times[entity.row])) for entity in candidates])
    scores = [(entity, kb.similarity(by, picture, entity)) for entity in candidates]
    return ranked([(entity, score) for entity, score in scores if score is not None])


def ranked(scores: Iterable[tuple[ShelvedEntity, float]]) -> list[Linked]:
    """Entities by falling score, equal ones by id, with the place that equal ones share."""
    order = sorted(scores, key=lambda pair: (-pair[1], pair[0].id))
    higher: dict[float, int] = {}
    for n, (_, score) in enumerate(order):
        higher.setdefault(score, n)
    return [Linked(entity, score, higher[score] + 1) for entity, score in order]


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A picture whose gold entity does not come first. ``place`` is None where it does not come."""

    key: str
    gold: tuple[str, ...]
    place: int | None
    first: tuple[Linked, ...]


@dataclass(frozen=True, slots=True)
class Recall:
    """``at`` maps k to the share of ``n`` pictures with a gold entity among the first k."""

    n: int
    at: Mapping[int, float]
    misses: tuple[NearMiss, ...]


def recall(
    linked: Mapping[str, Sequence[Linked]],
    gold: Mapping[str, Sequence[str]],
    *,
    at: Sequence[int] = RECALL_AT,
    shown: int = 5,
) -> Recall:
    """Recall over the pictures with gold, of which any entity counts.

    Entities of equal score count at the last of the places they share: no order of names makes a
    hit. Raises ``ValueError`` where no picture has gold.
    """
    keys = [key for key in linked if gold.get(key)]
    if not keys:
        raise ValueError("No picture has a gold entity.")
    places = {key: _place(linked[key], gold[key]) for key in keys}
    misses = [
        NearMiss(key, tuple(gold[key]), places[key], tuple(linked[key][:shown]))
        for key in keys
        if places[key] != 1
    ]
    misses.sort(key=lambda miss: (miss.place is None, miss.place or 0, miss.key))
    return Recall(
        n=len(keys),
        at={k: sum((places[key] or k + 1) <= k for key in keys) / len(keys) for k in at},
        misses=tuple(misses),
    )


def as_way(text: str) -> Way:
    if text not in WAYS:
        raise ValueError(f"There is no way {text!r} of linking. There are: {', '.join(WAYS)}.")
    return text


def _place(linked: Sequence[Linked], gold: Sequence[str]) -> int | None:
    """The best place of a gold entity, its equals before it."""
    return min(
        (
            sum(other.score >= one.score for other in linked)
            for one in linked
            if one.entity.id in gold
        ),
        default=None,
    )
