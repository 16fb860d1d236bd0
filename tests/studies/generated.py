"""Generated items of any number that share one file, and what presets need beside them."""

from __future__ import annotations

import itertools

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from studies.models import Descriptor, Item, Probe, Study, System
from studies.words.texts import study_texts
from studies.words.translating import save_translations, wanted_languages
from tests.conftest import picture

_numbers = itertools.count(1)


def add_items(study: Study, rows: list[dict]) -> list[Item]:
    """Items with these fields; ``system`` is a name. No units: those are made by the rule."""
    if not default_storage.exists("items/generated.png"):
        default_storage.save("items/generated.png", ContentFile(picture()))
    names = dict.fromkeys(row["system"] for row in rows if row.get("system"))
    systems = {
        name: System.objects.get_or_create(study=study, name=name, defaults={"position": place})[0]
        for place, name in enumerate(names)
    }
    return Item.objects.bulk_create(
        Item(
            study=study,
            media="items/generated.png",
            content_type="image/png",
            sha256=f"{next(_numbers):064x}",
            width=64,
            height=48,
            **row | {"system": systems.get(row.get("system"))},
        )
        for row in rows
    )


def add_triplets(
    study: Study, country: str, scenarios: list[str], systems: tuple[str, ...] = ("a", "b", "c")
) -> None:
    add_items(
        study,
        [
            {
                "external_id": f"{country}-{scenario}-{system}",
                "country": country,
                "scenario": scenario,
                "prompt": f"A scene of {scenario}",
                "system": system,
                "kind": "video",
            }
            for scenario in scenarios
            for system in systems
        ],
    )


def add_bank(
    study: Study,
    country: str,
    scenarios: list[str],
    dimensions: tuple[str, ...] = ("Identity", "Behavior", "Context"),
    each: int = 3,
) -> None:
    """A bank of verified probes for each scenario."""
    Probe.objects.bulk_create(
        Probe(
            study=study,
            external_id=f"{country}-{scenario}-{dimension}-{n}",
            scenario=scenario,
            country=country,
            dimension=dimension,
            text=f"Is {dimension} {n} of {scenario} there?",
        )
        for scenario in scenarios
        for dimension in dimensions
        for n in range(1, each + 1)
    )


def add_references(study: Study, activities: list[str], countries: list[str]) -> None:
    Descriptor.objects.bulk_create(
        Descriptor(study=study, kind="reference", activity=activity, country=country, token=token)
        for activity in activities
        for country in countries
        for token in ("a low table", "a red cloth")
    )


def translate_all(study: Study) -> None:
    """A translation of every text into every language of the panels."""
    for language in wanted_languages(study):
        texts = {text.key: text.source for text in study_texts(study)}
        changed, refused = save_translations(
            study=study, language=language, texts=texts, by=study.owner
        )
        if refused or not changed:
            raise ValueError(f"{language}: {refused}")
