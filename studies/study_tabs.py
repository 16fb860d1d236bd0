"""The pages of a study, in the order of the work: set up, run, analyse."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

from studies.models import Study


@dataclass(frozen=True, slots=True)
class Tab:
    """``page`` is the name of its address; those of the admin take the study's number."""

    key: str
    label: str
    page: str
    opens_group: bool = False
    opens_window: bool = False

    def address(self, study: Study) -> str:
        return reverse(self.page, args=[study.pk if self.page.startswith("admin:") else study.slug])


TABS = (
    Tab("design", "Design", "admin:studies_study_change"),
    Tab("items", "Items", "admin:studies_study_items"),
    Tab("words", "Words", "admin:studies_study_words"),
    Tab("preview", "Preview", "annotation:preview", opens_window=True),
    Tab("monitor", "Monitor", "annotation:monitor", opens_group=True),
    Tab("quality", "Quality", "annotation:quality"),
    Tab("arrivals", "Arrivals", "prolific:arrivals"),
    Tab("metrics", "Metrics", "scoring:metrics", opens_group=True),
    Tab("report", "Report", "scoring:report"),
    Tab("export", "Export", "scoring:exports"),
)


@dataclass(frozen=True, slots=True)
class Link:
    tab: Tab
    address: str


def links(study: Study) -> list[Link]:
    return [Link(tab, tab.address(study)) for tab in TABS]


def address_of(study: Study, key: str) -> str | None:
    """The address of the page with this key, None where there is none."""
    return next((tab.address(study) for tab in TABS if tab.key == key), None)
