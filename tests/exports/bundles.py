"""A study with a bundle of it, and copies of the bundle that somebody tampered with."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from annotation.models import Assignment, Exclusion, Identity
from scoring.exports.bundle import packing
from scoring.models import Calibration, RealChoice
from studies.models import AnalysisPlan, Description, Item, Study, Translation
from tests.scoring.report_study import (
    a_question,
    a_rater,
    a_researcher,
    a_run,
    a_study,
    an_item,
    freeze,
    rate,
)

SECRET = "5f3e1c77aa"


def a_rated_study() -> Study:
    """Two panels, three raters each, six items, a metric, one screen left out by a person."""
    study = a_study(owner=a_researcher("ana"))
    first, second = a_question(study, "faithfulness"), a_question(study, "realism")
    why = study.questions.create(key="why", kind="text", text="Why?", position=900)
    items = {
        country: [
            an_item(study, f"{country}-{n}", country=country, system=f"Model {n % 2}")
            for n in range(6)
        ]
        for country in ("NP", "IR")
    }
    for country, theirs in items.items():
        for person in range(3):
            rater = a_rater(study, f"{country}-0{person + 1}", country=country)
            Identity.objects.create(
                study=study, source="prolific", external_id=f"{SECRET}{person}{country}",
                participation=rater,
            )  # fmt: skip
            for n, item in enumerate(theirs):
                values = {first: 1 + (n + person) % 5, second: 1 + (n * person) % 5}
                rate(rater, item, values, texts={why: "عروسی, =1+1\r\n"})
    screen = Assignment.objects.filter(participation__code="NP-02").first()
    Assignment.objects.filter(pk=screen.pk).update(excluded="person")
    Exclusion.objects.create(participation=screen.participation, assignment=screen, reason="Slip.")
    everything = [item for theirs in items.values() for item in theirs]
    calibrated(study, everything)
    tau = {"parameters": {"tau": 0.52, "extractor": "eye", "references": "all"}}
    a_run(study, {"ALIGN": {item: n / 7 for n, item in enumerate(everything)}}, **tau)
    AnalysisPlan.objects.create(study=study, metrics=["ahead"])
    Translation.objects.create(study=study, language="fa", key="x", text="سلام", source="Hello")
    freeze(study)
    return study


def calibrated(study: Study, items: list[Item], *, q3: float = 0.52) -> Calibration:
    """What AHEaD's tau rests on: looks at pictures, a choice of real ones, and the quartiles."""
    Description.objects.create(item=items[0], source="eye", dimension="attire", outcome="described")
    RealChoice.objects.create(item=items[1], score=0.3, rank=1, kept=True)
    return Calibration.objects.create(
        study=study,
        extractor="eye",
        references="all",
        embedder="all-MiniLM-L6-v2",
        embedder_revision="1",
        values_of="best",
        n_images=2,
        n_values=9,
        q1=0.31,
        median=0.44,
        q3=q3,
        share_above_q3=0.25,
        align=0.25,
        plots={"wide": "<svg/>"},
    )


@dataclass(frozen=True)
class Packed:
    """A bundle made once; ``secrets`` stood in the database that it was made from."""

    path: Path
    seed: int
    secrets: tuple[str, ...]


def names(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def read(path: Path, name: str) -> str:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name).decode()


def tampered(path: Path, changes: dict[str, Callable[[str], str]], *, sums: bool) -> Path:
    """A copy with some files changed; ``sums``: whoever did it made the checksums again."""
    out = path.with_name("tampered.zip")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        listed = []
        for name in old.namelist():
            text = old.read(name).decode()
            if name in changes:
                changed = changes[name](text)
                assert changed != text, name
                text = changed
            if name == packing.SUMS and sums:
                text = "".join(sorted(listed, key=lambda line: line.split("  ")[1]))
            listed.append(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n")
            new.writestr(name, text)
    return out
