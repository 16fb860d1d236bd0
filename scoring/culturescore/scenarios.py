"""The scenarios of a study with their base prompts, from the prompt book or from its items."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from studies.models import Item, Scenario, ScenarioPrompt, Study
from studies.names import country_name

BASE_LIKE = (Item.Variant.BASE, Item.Variant.FREE, "")


@dataclass(frozen=True, slots=True)
class WantedScenario:
    """``row`` is the scenario in the prompt book, ``prompts`` its wordings by variant."""

    row: Scenario
    prompts: dict[str, str]

    @property
    def base(self) -> str:
        return self.prompts[Item.Variant.BASE]

    @property
    def country(self) -> str:
        return country_name(self.row.country) if self.row.country else ""


def wanted_scenarios(study: Study) -> list[WantedScenario]:
    """Every scenario with a base prompt, in the order of their names.

    A scenario that only items name is written into the book with the prompt of its first item of
    the base variant, or of none.
    """
    _into_the_book(study)
    rows = study.scenarios.prefetch_related("prompts").order_by("key")
    found = [WantedScenario(row, {p.variant: p.text for p in row.prompts.all()}) for row in rows]
    return [one for one in found if one.prompts.get(Item.Variant.BASE, "").strip()]


@transaction.atomic
def _into_the_book(study: Study) -> None:
    known = {row.key: row for row in study.scenarios.all()}
    items = study.items.exclude(scenario="").exclude(prompt="").filter(variant__in=BASE_LIKE)
    for item in items.select_related(None).order_by("scenario", "-variant", "external_id"):
        if item.scenario not in known:
            known[item.scenario] = Scenario.objects.create(
                study=study,
                key=item.scenario,
                country=item.country,
                category=item.category,
                aspect=item.aspect,
            )
        ScenarioPrompt.objects.get_or_create(
            scenario=known[item.scenario],
            variant=Item.Variant.BASE,
            defaults={"text": item.prompt},
        )


def write_prompt(scenario: WantedScenario, variant: str, text: str) -> None:
    """A wording that the book lacks; one that is there stays."""
    row, _ = ScenarioPrompt.objects.get_or_create(
        scenario=scenario.row, variant=variant, defaults={"text": text}
    )
    scenario.prompts[variant] = row.text
