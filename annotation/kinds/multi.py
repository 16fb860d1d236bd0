"""Select all items of the unit that ...: a tick an item, and one for "None of these"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.kinds.base import Asked, Fields, FormData, Given, Kind, Reading
from annotation.words import choose_among, choose_or_none, item_name, listed, none_and_some

NONE = "none"


@dataclass(frozen=True)
class TickView:
    value: str
    letter: str
    label: str
    checked: bool
    key: str


@dataclass(frozen=True)
class MultiView:
    ticks: tuple[TickView, ...]
    none_checked: bool
    none_value: str = NONE


class Multi(Kind):
    template = "annotation/_multi.html"
    names_what_is_shown = True

    def read(self, asked: Asked, fields: Fields, *, required: bool) -> Reading:
        marked = {text for text in fields.many(asked.name) if text}
        chosen = marked - {NONE}
        kind = asked.facts.item_kind
        if chosen - {item.public_id for item in asked.facts.items}:
            return Reading(errors={asked.name: choose_among(kind)})
        if chosen and NONE in marked:
            return Reading(errors={asked.name: none_and_some(kind)})
        if not marked:
            return Reading(errors={asked.name: choose_or_none(kind)} if required else {})
        return Reading(
            tuple(
                asked.given(item=item.pk, value=int(item.public_id in chosen))
                for item in asked.facts.items
            )
        )

    def view(self, asked: Asked, fields: Fields, errors: Mapping[str, str]) -> MultiView:
        marked = set(fields.many(asked.name))
        return MultiView(
            tuple(
                TickView(
                    value=item.public_id,
                    letter=asked.facts.letters[item.pk],
                    label=item_name(item.kind, asked.facts.letters[item.pk]),
                    checked=item.public_id in marked,
                    key=str(place),
                )
                for place, item in enumerate(asked.facts.items, 1)
            ),
            none_checked=NONE in marked,
        )

    def sent(self, asked: Asked, given: Sequence[Given]) -> FormData:
        if not given:
            return {}
        selected = {answer.item for answer in given if answer.value == 1}
        ids = [item.public_id for item in asked.facts.items if item.pk in selected]
        return {asked.name: ids or [NONE]}

    def summary(self, asked: Asked, fields: Fields) -> str:
        marked = set(fields.many(asked.name))
        letters = [
            asked.facts.letters[item.pk] for item in asked.facts.items if item.public_id in marked
        ]
        if letters:
            return listed(letters)
        return _("None of these") if NONE in marked else ""
