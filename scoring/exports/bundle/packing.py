"""A study's bundle written as one ZIP, from data that stood still meanwhile."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.conf import settings
from django.utils import timezone

from annotation.ratings.screens import sent_mark
from scoring.exports.bundle.derived import Lines, derived_files, document
from scoring.exports.bundle.records import RECORDS, file_of, record_lines
from scoring.exports.jobs import ExportRefused
from scoring.snapshots import ANALYSIS_VERSION, fingerprint, finished_report
from studies.models import Study

SCHEMA = "concord.bundle/2"
SUMS = "SHA256SUMS"
MANIFEST = "manifest.json"
REPORT = "report.json"
READ_ME = "README.txt"
TRIES = 3
LIBRARIES = ("numpy", "scipy", "pandas", "krippendorff", "choix", "Django")

README = """\
A study of Concord, with everything that its report rests on.

  manifest.json   software, libraries, seeds, and when this was made
  SHA256SUMS      checksums; on most systems: sha256sum -c SHA256SUMS
  report.json     every number of the report, with full precision
  design/         the design of every revision as annotators saw it, its translations, and the
                  analysis plan with the moment it was fixed
  ratings.csv     every answer that was sent, one a row; which of them count in which layer of
                  exclusions stands in the columns counted, excluded, exclusion_layer and repeat
  items.csv       what was rated
  scores.csv      automatic scores; runs.json has each run's parameters, model and revision
  calibrations.json  what AHEaD's threshold tau was calibrated to, and which run took it
  codebook.csv    what every column means
  records/        the rows as they are stored, from which all of the above is made again

To compute the report again from records/ and hold every number against report.json, install the
same version of Concord and run

  python manage.py reproduce THIS_FILE.zip

Annotators are pseudonyms. Who they are, what they said of themselves and what Prolific knows of
them is not in here. Media are not in here either; items.csv has their SHA-256.
"""


def pack_bundle(study: Study, path: Path, alive: Callable[[], None]) -> None:
    """Write the bundle. ``alive`` is called between its steps.

    Raises ExportRefused where the data change faster than they can be read.
    """
    for _ in range(TRIES):
        study.refresh_from_db()
        before = _state(study)
        _write(study, path, _report(study, alive), alive)
        if _state(study) == before:
            return
    raise ExportRefused(
        f"Answers came in while the bundle was made, {TRIES} times in a row, so that its parts "
        "would not belong together. Pause the study, or make it at a quieter time."
    )


def _state(study: Study) -> list[Any]:
    return [fingerprint(study), sent_mark(study)]


def _report(study: Study, alive: Callable[[], None]) -> dict[str, Any]:
    """The report on the data as they are: the stored one, or one that is computed now."""
    from scoring.analysis.codec import to_json
    from scoring.analysis.compute import analyse

    stored = finished_report(study)
    if stored is not None and stored.fingerprint == fingerprint(study):
        return dict(stored.report)
    return to_json(analyse(study, on_step=alive))


def _write(study: Study, path: Path, report: dict[str, Any], alive: Callable[[], None]) -> None:
    files: dict[str, Lines] = {
        READ_ME: lambda: iter(README.splitlines(keepends=True)),
        REPORT: lambda: document(report),
        **derived_files(study),
        **{file_of(records): partial(record_lines, records, study) for records in RECORDS},
    }
    sums: dict[str, str] = {}
    rows: dict[str, int] = {}
    with ZipFile(path, "w", ZIP_DEFLATED) as bundle:
        for name, lines in files.items():
            sums[name], rows[name] = _add(bundle, name, lines(), alive)
        manifest = partial(document, _manifest(study, report, rows))
        sums[MANIFEST], _ = _add(bundle, MANIFEST, manifest(), alive)
        listed = (f"{digest}  {name}\n" for name, digest in sorted(sums.items()))
        _add(bundle, SUMS, listed, alive)


def _add(
    bundle: ZipFile, name: str, lines: Iterator[str], alive: Callable[[], None]
) -> tuple[str, int]:
    """(SHA-256, lines) of a file that was written into the bundle line by line."""
    digest, n = hashlib.sha256(), 0
    with bundle.open(name, "w", force_zip64=True) as file:
        for line in lines:
            raw = line.encode()
            digest.update(raw)
            file.write(raw)
            n += 1
            alive()
    return digest.hexdigest(), n


def _manifest(study: Study, report: dict[str, Any], rows: dict[str, int]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "made_at": timezone.now().isoformat(timespec="seconds"),
        "software": software(),
        **of_the_study(study, report),
        "lines": rows,
    }


def of_the_study(study: Study, report: dict[str, Any]) -> dict[str, Any]:
    """What the manifest says and the rows say again."""
    plan = getattr(study, "plan", None)
    return {
        "study": study.slug,
        "title": study.title,
        "plan_fixed_at": plan.fixed_at.isoformat() if plan and plan.fixed_at else None,
        "revisions": study.revisions.count(),
        "seeds": {"study": study.seed, "replicates": report["method"]["replicates"]},
    }


def software() -> dict[str, Any]:
    """What computes numbers here: this software, its analysis, Python and libraries."""
    return {
        "concord": settings.VERSION,
        "analysis": ANALYSIS_VERSION,
        "python": platform.python_version(),
        **{name: _installed(name) for name in LIBRARIES},
    }


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
