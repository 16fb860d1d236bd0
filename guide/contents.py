"""Which documents there are, in the order in which somebody would want them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

FOLDER = Path(settings.BASE_DIR) / "docs"
_TITLE = re.compile(r"^# +(.+?) *#*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A document: its file without ``.md``, and what a reader gets from it, in one sentence."""

    name: str
    says: str


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of the page that lists them, under the document's own title."""

    name: str
    title: str
    says: str


CHAPTERS: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    (
        "Begin here",
        (
            Entry("first-study", "From an empty site to the first report, step by step."),
            Entry(
                "tutorial",
                "Three public data sets, the commands that read them, and the numbers that must "
                "come out.",
            ),
        ),
    ),
    (
        "Design a study",
        (
            Entry("presets", "The published protocols, what they fix, and how to save your own."),
            Entry("importing", "Bringing items, units, probes and descriptors as tables."),
            Entry("checks", "Quick check, practice, attention checks, gold units and blocks."),
            Entry("languages", "The languages of annotators, and how a text is translated."),
        ),
    ),
    (
        "Collect ratings",
        (
            Entry("prolific", "Recruiting on Prolific: link, codes, statuses and lists compared."),
            Entry("prolific-statuses", "What each status there changes here."),
            Entry("monitoring", "How a collection stands, and what needs you."),
            Entry("quality", "Rules, flags, exclusions, and talking with annotators."),
            Entry("rating-screen", "How the page behaves on which annotators answer."),
        ),
    ),
    (
        "Score items automatically",
        (
            Entry("metrics", "What the metrics are, and which models they read."),
            Entry("runs", "Starting, watching, continuing, comparing and importing scores."),
            Entry("model-metrics", "Metrics that read models, and how each is computed."),
            Entry("chat-models", "Connecting a chat model, and what it costs."),
            Entry("judges", "Models that answer the questions people are asked."),
            Entry("ahead", "AHEaD: from descriptors to ALIGN, HAL, EXAG and diversity."),
            Entry("caire", "CAIRe: knowledge base, labels and scores."),
            Entry("culturescore", "CultureScore: from prompts to a bank of probes to scores."),
        ),
    ),
    (
        "Analyse and publish",
        (
            Entry("report", "What each page of the report shows, and which answers count."),
            Entry("metrics-against-humans", "How a metric is held against people's ratings."),
            Entry("correlation", "Which correlation is which, from files."),
            Entry("analysis", "Agreement between raters, from files."),
            Entry("intervals", "How intervals are made, and how often they hold."),
            Entry("exports", "Every file that leaves, and recomputing a report from one."),
        ),
    ),
    (
        "Run the site",
        (
            Entry("production", "Server, database, settings, backups and updates."),
            Entry("api", "The REST API, with examples."),
        ),
    ),
)


def chapters() -> list[tuple[str, list[Listed]]]:
    """Chapters with the documents that are there; what no chapter names comes last."""
    titles = {path.stem: title_of(path) for path in sorted(FOLDER.glob("*.md"))}
    listed = [
        (head, [Listed(e.name, titles.pop(e.name), e.says) for e in entries if e.name in titles])
        for head, entries in CHAPTERS
    ]
    if titles:
        listed.append(("More", [Listed(name, title, "") for name, title in titles.items()]))
    return [(head, entries) for head, entries in listed if entries]


def title_of(path: Path) -> str:
    found = _TITLE.search(path.read_text(encoding="utf-8"))
    return found.group(1) if found else path.stem


def document(name: str) -> Path | None:
    """The file of a document, None where there is none of this name."""
    return _member(FOLDER, f"{name}.md", "*.md")


def picture(name: str) -> Path | None:
    """A picture of the documents by its path under ``docs/img``."""
    return _member(FOLDER / "img", name, "**/*.png")


def _member(folder: Path, name: str, pattern: str) -> Path | None:
    """Only what a listing of the folder holds, so that no name leads out of it."""
    there = {path.relative_to(folder).as_posix(): path for path in folder.glob(pattern)}
    return there.get(name)
