"""The scenes of a study that descriptors are asked for: activities and countries of its items."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.coverage import plain
from scoring.metrics.base import ParameterError
from studies.importing.descriptor_rows import shown_scenes
from studies.models import Study
from studies.names import country_name


@dataclass(frozen=True, slots=True)
class WantedScene:
    """``country`` is a code."""

    activity: str
    country: str

    @property
    def country_name(self) -> str:
        return country_name(self.country)

    @property
    def words(self) -> str:
        return f"{self.activity}, {self.country_name}"


def scenes(study: Study, *, by: str) -> list[WantedScene]:
    """Every distinct scene of the study's items, ``by`` their category or their scenario."""
    rows = study.items.exclude(country="").exclude(**{by: ""}).order_by(by, "country")
    found: dict[tuple[str, str], WantedScene] = {}
    for activity, country in rows.values_list(by, "country").distinct():
        found.setdefault((plain(activity), country), WantedScene(activity.strip(), country))
    return list(found.values())


def closed_scenes(study: Study) -> set[tuple[str, str]]:
    """Scenes whose list people have judged: nothing may be added to it or changed."""
    return shown_scenes(study)


def is_closed(scene: WantedScene, closed: set[tuple[str, str]]) -> bool:
    return (plain(scene.activity), scene.country) in closed


def checked_by(study: Study, value: object) -> str:
    """``category`` (default) or ``scenario``; raises ``ParameterError`` where no item has one."""
    by = str(value or "category")
    if by not in ("category", "scenario"):
        raise ParameterError(f"Activities are the items' category or scenario, not {by!r}.")
    if not scenes(study, by=by):
        raise ParameterError(f"No item of the study has both a {by} and a country.")
    return by
