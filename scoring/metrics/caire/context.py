"""What the chat model is told about a picture: an article of the knowledge base, or titles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.backends.image_text import Vector
from scoring.backends.pictures import MediaError
from scoring.knowledge.backend import KnowledgeBackend
from scoring.knowledge.base import KnowledgeBase
from scoring.knowledge.shelf import ShelvedEntity
from scoring.metrics.base import Choice, MetricItem, Parameter
from scoring.metrics.caire.linking import K, Linked, as_way, link
from scoring.metrics.item_pictures import media_reason, obstacle, picture_of

ARTICLE, TITLES, GOLD = "article", "titles", "gold"

WAY = Choice(
    name="way",
    label="how pictures are linked to entities",
    help="By the nearest pictures first, or by the texts of entities directly.",
    options=(
        ("picture_lemma", "Nearest pictures, then lemma"),
        ("picture_gloss", "Nearest pictures, then gloss"),
        ("picture_frequency", "Nearest pictures, then how often"),
        ("text_lemma", "Nearest lemma"),
        ("text_gloss", "Nearest gloss"),
        ("text_article", "Nearest article"),
    ),
)

CONTEXT = Choice(
    name="context",
    label="what the model is told",
    help="The upper bound takes the article of the entity that an item names as gold_entity.",
    options=(
        (ARTICLE, "The article of the first entity"),
        (TITLES, "The names of the first 20 entities"),
        (GOLD, "The article of the right entity (upper bound)"),
    ),
)

LETTERS = Parameter(
    name="letters",
    label="the letters of an article that are sent",
    help="A longer article is cut. Models read a limited number of words.",
    low=100,
    high=200_000,
    required=False,
    default=8000,
    whole=True,
)


@dataclass(frozen=True, slots=True)
class Context:
    """What is known about a picture, or the ``reason`` why nothing is. ``inputs`` fill a prompt."""

    reason: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict, hash=False)
    evidence: Mapping[str, Any] = field(default_factory=dict, hash=False)
    linked: tuple[Linked, ...] = ()


def contexts(
    items: Sequence[MetricItem], knowledge: KnowledgeBackend, parameters: Mapping[str, Any]
) -> dict[str, Context]:
    """By item: an article or titles; ``no_article`` where the knowledge base has none."""
    found: dict[str, Context] = {}
    for item in items:
        if reason := obstacle(item):
            found[item.key] = Context(reason=reason)
        elif parameters["context"] == GOLD:
            found[item.key] = _gold(item, knowledge.kb, int(parameters["letters"]))
    left = [item for item in items if item.key not in found]
    images = knowledge.encode_images([picture_of(i, float(parameters["seconds"])) for i in left])
    for item, image in zip(left, images, strict=True):
        found[item.key] = _linked(image, knowledge.kb, parameters)
    return found


def _linked(
    image: Vector | MediaError, kb: KnowledgeBase, parameters: Mapping[str, Any]
) -> Context:
    if isinstance(image, MediaError):
        return Context(reason=media_reason(image), evidence={"error": str(image)})
    linked = tuple(link(kb, image, way=as_way(str(parameters["way"])))[:K])
    if not linked:
        return Context(reason="no_article", evidence={"error": "No entity was found."})
    if parameters["context"] == TITLES:
        titles = [one.entity.lemma for one in linked]
        return Context(
            inputs={"titles": "\n".join(titles)}, evidence={"titles": titles}, linked=linked
        )
    return _article(linked[0].entity, int(parameters["letters"]), linked)


def _gold(item: MetricItem, kb: KnowledgeBase, letters: int) -> Context:
    """The first gold entity with an article."""
    named = list(item.inputs.get("gold_entities", ()))
    entities = [entity for name in named if (entity := kb.by_id(name)) is not None]
    with_article = [entity for entity in entities if entity.article]
    if with_article:
        return _article(with_article[0], letters, ())
    error = "The item names no gold_entity."
    if named:
        error = f"The knowledge base has no article of {', '.join(named)}."
    return Context(reason="no_article", evidence={"error": error})


def _article(entity: ShelvedEntity, letters: int, linked: tuple[Linked, ...]) -> Context:
    evidence: dict[str, Any] = {"entity": entity.id, "lemma": entity.lemma}
    if not entity.article:
        return Context(reason="no_article", evidence=evidence, linked=linked)
    evidence["article_letters"] = len(entity.article)
    evidence["article_cut"] = len(entity.article) > letters
    inputs = {"entity": entity.lemma, "article": entity.article[:letters]}
    return Context(inputs=inputs, evidence=evidence, linked=linked)
