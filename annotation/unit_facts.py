"""What a unit is made of: its items in the order shown, its probes, its reference descriptors."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.prepared import INTEGERS, Prepared
from studies.design import Design
from studies.models import Descriptor, ElementPicture, Item, Probe, UnitItem, UnitProbe


@dataclass(frozen=True)
class UnitFacts:
    """Everything about a unit that a screen needs. ``seed`` orders lists the same way each time.

    ``words`` are translations of its texts by key, as the design holds them, and ``language`` is
    what they are in; '' where nobody has said.
    """

    items: tuple[Item, ...]
    probes: tuple[Probe, ...] = ()
    descriptors: tuple[Descriptor, ...] = ()
    seed: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    element_picture: ElementPicture | None = None
    language: str = ""

    @property
    def only_item(self) -> int | None:
        """The id of the unit's only item; None for a unit of several."""
        return self.items[0].pk if len(self.items) == 1 else None

    @property
    def media_kind(self) -> str:
        """What an annotator sees: image, video, audio; set where there are several."""
        return self.items[0].kind if len(self.items) == 1 else "set"

    @property
    def item_kind(self) -> str:
        """What the items are, alone or in a set; items of several kinds are named by the first."""
        return self.items[0].kind

    @property
    def activity(self) -> str:
        """What the items show, for {activity}, in the reader's language if it was translated."""
        activity = self.items[0].category or self.items[0].scenario
        return self.words.get(f"activity.{activity}", activity)

    @property
    def element(self) -> str:
        """The cultural element, where the items share one."""
        elements = {item.cultural_element for item in self.items}
        element = elements.pop() if len(elements) == 1 else ""
        return self.words.get(f"element.{element}", element)

    def probe_text(self, probe: Probe) -> str:
        return self.words.get(f"probe.{probe.external_id}", probe.text)

    def token(self, descriptor: Descriptor) -> str:
        return self.words.get(f"descriptor.{descriptor.token}", descriptor.token)

    @cached_property
    def letters(self) -> dict[int, str]:
        """Item id -> the letter of its place on this screen."""
        names = _("ABCDEFGHI")
        return {item.pk: names[place] for place, item in enumerate(self.items)}


def study_media_kind(study: int) -> str:
    """What a study's annotators see: image, video, audio, or sets of them."""
    unit = UnitItem.objects.filter(unit__study=study).order_by().values("unit_id")[:1]
    kinds = list(UnitItem.objects.filter(unit__in=unit).values_list("item__kind", flat=True))
    return "set" if len(kinds) > 1 else (kinds or ["image"])[0]


def shown_order(*, items: Sequence[int], seed: int, unit: int) -> list[int]:
    """The items in an order that is this person's for this unit, and the same at every draw."""
    order = sorted(items)
    random.Random(f"{seed}:{unit}").shuffle(order)
    return order


_SHOWN = ("study", "public_id", "kind", "sha256", "width", "height", "poster", "duration")
_SHOWN += ("has_audio", "prompt", "country", "category", "aspect", "scenario")
_SHOWN += ("cultural_element", "element_picture")
_ITEMS = Prepared(
    lambda unit: (
        Item.objects.filter(memberships__unit=unit).only(*_SHOWN).order_by("memberships__position")
    ),
    INTEGERS[0],
)


def load_facts(
    *, unit: int, design: Design, order: Sequence[int] = (), seed: str = ""
) -> UnitFacts:
    """Read a unit: one query, and one for each of probes, descriptors and a reference picture.

    ``order`` holds item ids; empty: as imported.
    """
    items = _in_order(_ITEMS.rows(unit), order)
    probes: tuple[Probe, ...] = ()
    if any(question.asked_of == "probe" for question in design.questions):
        given = Probe.objects.filter(unit_probes__unit=unit)
        probes = tuple(given.order_by("unit_probes__position", "unit_probes__id"))
    descriptors: tuple[Descriptor, ...] = ()
    if any(question.kind == "descriptors" for question in design.questions):
        descriptors = _references(items)
    picture = _element_picture(items) if design.show_element and items else None
    return UnitFacts(
        tuple(items), probes, descriptors, seed, design.words, picture, design.language
    )


def _in_order(items: Iterable[Item], order: Sequence[int]) -> list[Item]:
    """As shown; those that the order does not name (all of them where it is empty) come last."""
    place = {pk: number for number, pk in enumerate(order)}
    return sorted(items, key=lambda item: place.get(item.pk, len(place)))


def load_facts_of_many(
    *, shown: Mapping[int, tuple[int, Sequence[int], str]], design: Design
) -> dict[int, UnitFacts]:
    """Read many units in three queries. ``shown``: any key -> unit, order of its items, seed.

    As ``load_facts``, but without the reference picture of a cultural element.
    """
    units = {unit for unit, _, _ in shown.values()}
    items: dict[int, list[Item]] = {unit: [] for unit in units}
    for member in UnitItem.objects.filter(unit__in=units).select_related("item"):
        items[member.unit_id].append(member.item)
    probes: dict[int, list[Probe]] = {unit: [] for unit in units}
    if any(question.asked_of == "probe" for question in design.questions):
        given = UnitProbe.objects.filter(unit__in=units).select_related("probe")
        for one in given.order_by("position", "id"):
            probes[one.unit_id].append(one.probe)
    rows: list[Descriptor] = []
    if any(question.kind == "descriptors" for question in design.questions):
        rows = list(_reference_rows([item for members in items.values() for item in members]))
    return {
        key: UnitFacts(
            tuple(_in_order(items[unit], order)),
            tuple(probes[unit]),
            _of_scenes(items[unit], rows),
            seed,
            design.words,
            language=design.language,
        )
        for key, (unit, order, seed) in shown.items()
    }


def _element_picture(items: Sequence[Item]) -> ElementPicture | None:
    """The picture of the cultural element, where the items share one and it is there."""
    names = {item.element_picture for item in items}
    name = names.pop() if len(names) == 1 else ""
    wanted = ElementPicture.objects.filter(study=items[0].study_id, name=name)
    return wanted.first() if name else None


def _references(items: Sequence[Item]) -> tuple[Descriptor, ...]:
    """Reference descriptors of the items' scenarios; of their categories where those have none."""
    return _of_scenes(items, _reference_rows(items))


def _reference_rows(items: Sequence[Item]) -> QuerySet[Descriptor]:
    """All there are of the items' countries."""
    return Descriptor.objects.filter(
        study__in={item.study_id for item in items},
        kind=Descriptor.Kind.REFERENCE,
        country__in={item.country for item in items},
    )


def _of_scenes(items: Sequence[Item], rows: Iterable[Descriptor]) -> tuple[Descriptor, ...]:
    by_scene: dict[tuple[str, str], list[Descriptor]] = {}
    for row in rows:
        by_scene.setdefault((_plain(row.activity), row.country), []).append(row)
    found: dict[int, Descriptor] = {}
    for item in items:
        for activity in (item.scenario, item.category):
            scene = by_scene.get((_plain(activity), item.country)) if activity else None
            if scene:
                found |= {row.pk: row for row in scene}
                break
    return tuple(found.values())


def _plain(activity: str) -> str:
    return activity.strip().casefold()
