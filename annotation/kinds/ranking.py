"""Put the items of the unit in order: each gets a place of its own, from 1."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.kinds.base import Asked, Fields, FormData, Given, Kind, Reading
from annotation.unit_facts import UnitFacts
from annotation.words import item_name, listed, place_all, share_a_place
from studies.models import Item


@dataclass(frozen=True)
class PlaceView:
    """``end`` words the first and the last place, as the study has it."""

    value: str
    label: str
    end: str


@dataclass(frozen=True)
class TileView:
    """One item: its field holds its place, '' for none yet."""

    name: str
    public_id: str
    letter: str
    label: str
    place: str


@dataclass(frozen=True)
class RankingView:
    places: tuple[PlaceView, ...]
    tiles: tuple[TileView, ...]


class Ranking(Kind):
    template = "annotation/_ranking.html"
    names_what_is_shown = True

    def applies(self, facts: UnitFacts) -> bool:
        return len(facts.items) > 1

    def names(self, asked: Asked) -> list[str]:
        return [_field(asked, item) for item in asked.facts.items]

    def read(self, asked: Asked, fields: Fields, *, required: bool) -> Reading:
        items = asked.facts.items
        places = {str(place): place for place in range(1, len(items) + 1)}
        raw = {item.pk: fields.one(_field(asked, item)).strip() for item in items}
        taken = {pk: places[text] for pk, text in raw.items() if text in places}
        if not any(raw.values()) and not required:
            return Reading()
        doubled = [(place, n) for place, n in sorted(Counter(taken.values()).items()) if n > 1]
        if doubled:
            kind = asked.facts.item_kind
            words = " ".join(share_a_place(kind, n, place) for place, n in doubled)
            return Reading(errors={asked.name: words})
        left = [asked.facts.letters[item.pk] for item in items if item.pk not in taken]
        if left:
            words = place_all(asked.facts.item_kind, listed(left))
            return Reading(errors={asked.name: words})
        return Reading(tuple(asked.given(item=pk, value=place) for pk, place in taken.items()))

    def view(self, asked: Asked, fields: Fields, errors: Mapping[str, str]) -> RankingView:
        items = asked.facts.items
        ends = {}
        if len(asked.question.points) > 1:
            ends = {1: asked.question.points[0].label, len(items): asked.question.points[-1].label}
        return RankingView(
            tuple(
                PlaceView(str(place), _ordinals()[place - 1], ends.get(place, ""))
                for place in range(1, len(items) + 1)
            ),
            tuple(
                TileView(
                    name=_field(asked, item),
                    public_id=item.public_id,
                    letter=asked.facts.letters[item.pk],
                    label=item_name(item.kind, asked.facts.letters[item.pk]),
                    place=fields.one(_field(asked, item)),
                )
                for item in items
            ),
        )

    def sent(self, asked: Asked, given: Sequence[Given]) -> FormData:
        place = {answer.item: str(answer.value) for answer in given}
        return {
            _field(asked, item): place[item.pk] for item in asked.facts.items if item.pk in place
        }

    def summary(self, asked: Asked, fields: Fields) -> str:
        """The letters from the first place to the last."""
        placed = sorted(
            (fields.one(_field(asked, item)), asked.facts.letters[item.pk])
            for item in asked.facts.items
        )
        return " · ".join(letter for place, letter in placed if place)


def _field(asked: Asked, item: Item) -> str:
    return f"{asked.name}_i{item.public_id}"


def _ordinals() -> list[str]:
    """The places of at most nine items."""
    return [
        _("1st"),
        _("2nd"),
        _("3rd"),
        _("4th"),
        _("5th"),
        _("6th"),
        _("7th"),
        _("8th"),
        _("9th"),
    ]
