"""Predicted descriptors: what a chat model sees in each picture, a dimension at a time.

It is told neither the activity nor the country. Every look is recorded, with nothing seen, refused
or unreadable as the outcome where it was so. A dimension of an item that this extractor has looked
at already is left alone; unreadable answers are asked for again only with ``again``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from scoring.ahead.asking import exchange_of, pieces, tokens_of
from scoring.backends.chat import Picture, Request
from scoring.backends.chat_pictures import sent_picture
from scoring.backends.media_images import MediaImage
from scoring.backends.pictures import MediaError
from scoring.backing import RunChat
from scoring.metrics.ahead.descriptors import DIMENSIONS
from scoring.metrics.base import ParameterError
from scoring.prompting.asking import Answer
from scoring.prompting.prompt import Prompt
from scoring.step_parameters import checked_budget, checked_model
from scoring.step_work import AT_ONCE, Work, prompt_mark
from studies.models import Description, Descriptor, Item, Study

PROMPT = "ahead/extract"
ITEMS = {"all": "all pictures", "generated": "generated and edited ones", "real": "real ones"}
ITEMS_AT_ONCE = AT_ONCE // len(DIMENSIONS)
Look = tuple[int, str]
"""An item's primary key and a dimension."""


def checked(study: Study, parameters: dict[str, Any]) -> dict[str, Any]:
    """The extractor, which items, and whether failed looks are repeated."""
    items = str(parameters.get("items") or "all")
    if items not in ITEMS:
        raise ParameterError(f"Items are {', '.join(ITEMS)}, not {items!r}.")
    if not _items(study, items).exists():
        raise ParameterError(f"The study has no such pictures ({ITEMS[items]}).")
    model = checked_model(parameters.get("model"), what="the extractor")
    again = bool(parameters.get("again"))
    return {"model": model, "items": items, "again": again, **checked_budget(parameters)}


def do(work: Work) -> None:
    chat, words = work.chat(work.parameters["model"]), work.prompt(PROMPT)
    source = extractor_name(chat.model_id, words)
    items = list(_items(work.study, work.parameters["items"]))
    done = _looked_at(work.study, source, again=bool(work.parameters["again"]))
    work.begin(len(items))
    left = [item for item in items if any((item.pk, d) not in done for d in DIMENSIONS)]
    work.skip(len(items) - len(left))
    unopened: list[str] = []
    for piece in pieces(left, ITEMS_AT_ONCE):
        pictures = {item.pk: _picture(item) for item in piece}
        unopened += [
            f"{one.external_id}: {pictures[one.pk]}" for one in piece if _failed(pictures, one)
        ]
        requests = {
            (item.pk, d): words.request(
                model=chat.model_id, pictures=(pictures[item.pk],), inputs={"dimension": d}
            )
            for item in piece
            if not _failed(pictures, item)
            for d in DIMENSIONS
            if (item.pk, d) not in done
        }
        answers = work.ask(chat, requests)
        _write(work.study, source, words, chat, requests, answers)
        if unopened:
            work.note(unopened=unopened)
        work.advance(len(piece), reasons=[answer.reason for answer in answers.values()])


def extractor_name(model: str, words: Prompt) -> str:
    """The source of its descriptors: another wording of the prompt is another extractor."""
    edited = "+" in words.version
    return f"{model}, prompt {words.version}"[:120] if edited else model[:120]


def _items(study: Study, which: str):
    items = study.items.filter(kind__in=(Item.Kind.IMAGE, Item.Kind.VIDEO)).order_by("pk")
    if which == "all":
        return items
    real = items.filter(origin=Item.Origin.REAL)
    return real if which == "real" else items.exclude(origin=Item.Origin.REAL)


def _looked_at(study: Study, source: str, *, again: bool) -> set[Look]:
    looks = Description.objects.filter(item__study=study, source=source)
    if again:
        looks = looks.filter(outcome=Description.Outcome.DESCRIBED)
    return set(looks.values_list("item_id", "dimension"))


def _picture(item: Item) -> Picture | MediaError:
    file = item.media.path if item.media else ""
    try:
        return sent_picture(MediaImage(file=file, kind=item.kind, sha256=item.sha256)())
    except MediaError as error:
        return error


def _failed(pictures: dict[int, Any], item: Item) -> bool:
    return isinstance(pictures[item.pk], MediaError)


@transaction.atomic
def _write(
    study: Study,
    source: str,
    words: Prompt,
    chat: RunChat,
    requests: dict[Look, Request],
    answers: dict[Look, Answer],
) -> None:
    """The looks and what was seen, in place of earlier ones of this extractor."""
    _remove(study, source, list(answers))
    seen, looks = [], []
    for (item, dimension), answer in answers.items():
        looks.append(
            Description(
                item_id=item,
                source=source,
                dimension=dimension,
                outcome=answer.reason or Description.Outcome.DESCRIBED,
                prompt=prompt_mark(words),
                exchange=exchange_of(chat, requests[item, dimension], answer),
            )
        )
        seen += [
            Descriptor(
                study=study,
                kind=Descriptor.Kind.PREDICTED,
                item_id=item,
                dimension=dimension,
                token=token,
                style=style,
                source=source,
            )
            for token, style in tokens_of(answer)
        ]
    Description.objects.bulk_create(looks)
    Descriptor.objects.bulk_create(seen)


def _remove(study: Study, source: str, looks: Sequence[Look]) -> None:
    for dimension in DIMENSIONS:
        items = [item for item, of in looks if of == dimension]
        own = {"item__in": items, "source": source, "dimension": dimension}
        study.descriptors.filter(kind=Descriptor.Kind.PREDICTED, **own).delete()
        Description.objects.filter(**own).delete()
