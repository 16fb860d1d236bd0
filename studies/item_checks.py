"""The lines of the launch check list about items, their media and the screens they stand on."""

from __future__ import annotations

from collections import Counter

from django.core.files.storage import default_storage
from django.db.models import Q
from django.urls import reverse

from studies.check_lines import Fault, LaunchCheck, at, counted, line
from studies.models import Item, Study, UnitItem
from studies.models.item import Purpose
from studies.units import TooManySets, plan_units, unit_sizes

HEAVY_BYTES = 8_000_000
SHOWN = 12


def item_checks(study: Study) -> list[LaunchCheck]:
    """Whether there are items, and their files."""
    url = reverse("admin:studies_study_items", args=[study.pk])
    items = list(study.items.only("external_id", "media", "country", "sha256"))
    stops = [] if items else [("no items yet", url)]
    missing = [item for item in items if not default_storage.exists(item.media.name)]
    if missing:
        stops.append((f"{len(missing)} of {len(items)} files are missing", url))
    stops += [(fault, url) for fault in _unnamed(study)]
    alike = sum(n for n in Counter(item.sha256 for item in items).values() if n > 1)
    warnings = [(f"{alike} files are the same as another one", url)] if alike else []
    if lacking := _lacking_elements(study):
        what = counted(lacking, "reference picture")
        warnings.append((f"{what} of elements named and not brought: only the name shows", url))
    return line("Items", url, stops, warnings, f"{counted(len(items), 'item')}, all files present")


def _unnamed(study: Study) -> list[str]:
    """Items that leave a gap where a question names their country or what they show."""
    asked = study.questions.filter(retired=False)
    asked_about = study.items.exclude(purpose=Purpose.EXAMPLE)
    faults = []
    for placeholder, gap, what in (
        ("{country}", {"country": ""}, "no country"),
        ("{activity}", {"category": "", "scenario": ""}, "neither category nor scenario"),
    ):
        says = Q(text__contains=placeholder) | Q(help__contains=placeholder)
        names = [row.label for row in asked.filter(says)]
        if names and (n := asked_about.filter(**gap).count()):
            have = "has" if n == 1 else "have"
            faults.append(f"{counted(n, 'item')} {have} {what}, and {names[0]} says {placeholder}")
    return faults


def _lacking_elements(study: Study) -> int:
    """Names of reference pictures that items have and nobody brought, where elements are shown."""
    if not study.show_element:
        return 0
    there = study.element_pictures.values("name")
    rows = study.items.exclude(element_picture="").exclude(element_picture__in=there)
    return rows.order_by().values("element_picture").distinct().count()


def media_checks(study: Study) -> list[LaunchCheck]:
    """Only where there are clips: the import took none that some browser does not play."""
    url = reverse("admin:studies_study_items", args=[study.pk])
    clips = list(study.items.exclude(kind=Item.Kind.IMAGE))
    if not clips:
        return []
    stops: list[Fault] = []
    if study.sound == Study.Sound.OFF:
        heard = [item for item in clips if item.has_audio and not item.silent_media]
        if heard:
            sentence = f"{counted(len(heard), 'clip')} with sound, and sound is off"
            stops.append((f"{sentence}: import them again for a copy without it", url))
    storage = default_storage
    there = [item.media.name for item in clips if storage.exists(item.media.name)]
    heavy = sum(storage.size(name) > HEAVY_BYTES for name in there)
    warnings = [(f"{counted(heavy, 'clip')} over 8 MB: slow on phones", url)] if heavy else []
    return line("Media", url, stops, warnings, "all play in common browsers")


def screen_checks(study: Study) -> list[LaunchCheck]:
    """Only where a screen shows several items, some are on none, or the settings moved on."""
    url = reverse("admin:studies_study_items", args=[study.pk])
    sizes, size = unit_sizes(study), study.items_per_unit
    stops = at(url, _size_faults(study, sizes))
    warnings: list[Fault] = []
    if size > 1 and not study.units_by_hand:
        try:
            warnings = at(url, _few(plan_units(study).problems))
        except TooManySets as refusal:
            stops.append((str(refusal), url))
    shown = UnitItem.objects.filter(unit__study=study).values("item_id")
    loose = study.items.exclude(purpose=Purpose.EXAMPLE).exclude(pk__in=shown).count()
    if loose and (size == 1 or study.units_by_hand):
        warnings.append((f"{counted(loose, 'item')} on no screen", url))
    if not stops and not warnings and size == 1:
        return []
    n_sets = counted(sum(sizes.values()), "screen")
    return line("Screens", url, stops, warnings, f"{n_sets} of {size} items, all complete")


def _size_faults(study: Study, sizes: Counter[int]) -> list[str]:
    size = study.items_per_unit
    faults = []
    if small := sum(n for members, n in sizes.items() if members < size):
        faults.append(f"{counted(small, 'screen')} of fewer than {size} items")
    if large := sum(n for members, n in sizes.items() if members > size):
        faults.append(f"{counted(large, 'screen')} of more than {size} items")
    bound = study.units.exclude(country="").count() if study.every_panel_rates_all else 0
    if bound:
        faults.append(f"{counted(bound, 'screen')} of one panel, where every panel rates all")
    if size > 1 and study.items.exists() and not sizes:
        faults.append(f"no prompt has items of {size} models: there is no screen")
    return faults


def _few(problems: tuple[str, ...]) -> list[str]:
    """The first ones, how many more there are, and the last one, which sums them up."""
    shown = list(problems)
    if len(problems) > SHOWN:
        first = SHOWN - 2
        shown = [*problems[:first], f"and {len(problems) - first - 1} more", problems[-1]]
    return [problem.rstrip(".") for problem in shown]
