"""Bundles that somebody damaged, forged or made to hurt: refused in a sentence, or told of."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from scoring.analysis import compute
from scoring.exports.bundle import opening, reproducing
from scoring.exports.bundle.reproducing import UnreadableBundle, reproduce
from scoring.exports.jobs import job_path
from scoring.models import WorkState
from studies.models import Item, Study
from tests.exports.bundles import a_rated_study, read, tampered
from tests.exports.conftest import made

pytestmark = pytest.mark.django_db
RATINGS = "records/annotation.Rating.jsonl"


def told_in(name: str, *, to: object, path: list[str]) -> dict[str, Callable[[str], str]]:
    """A change of one fact of a JSON document."""

    def changed(text: str) -> str:
        whole = json.loads(text)
        inner = whole
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = to
        return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"

    return {name: changed}


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (["plan_fixed_at"], "2020-01-01T00:00:00+00:00"),
        (["title"], "Another study"),
        (["seeds", "study"], 1),
        (["seeds", "replicates"], 10_000),
        (["revisions"], 7),
        (["lines", "ratings.csv"], 1_000_000),
        (["lines", RATINGS], 3),
    ],
)
def test_what_the_manifest_says_of_the_study_is_held_against_the_rows(bundle, path, to):
    forged = tampered(bundle, told_in("manifest.json", to=to, path=path), sums=True)
    outcome = reproduce(forged)
    assert outcome.sums == ()
    (wrong,) = outcome.wrong
    assert wrong.where == f"manifest.json.{'.'.join(path)}"
    assert wrong.said == repr(to)


def test_texts_with_any_line_separator_and_of_any_length_come_out_again(db, monkeypatch):
    monkeypatch.setattr(compute, "REPLICATES", 20)
    study = a_rated_study()
    odd = "one\u2028two\x85three\u2029four\x0bfive\x0csix"
    Study.objects.filter(pk=study.pk).update(instructions=odd, title="Line\u2028separated")
    item = study.items.first()
    Item.objects.filter(pk=item.pk).update(prompt="long " * 40_000, metadata={"odd": odd})
    job = made(study, "bundle.zip")
    assert job.state == WorkState.DONE, job.error
    outcome = reproduce(job_path(job))
    assert outcome.is_equal, [*outcome.sums, *map(str, outcome.wrong)]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "null",
        '"text"',
        "[" * 100_000,
        '{"id": 1e400}',
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
)
def test_a_line_that_is_no_row_is_refused_with_its_file(bundle, line):
    broken = {RATINGS: lambda text: f"{line}\n{text}"}
    with pytest.raises(UnreadableBundle, match=RATINGS):
        reproduce(tampered(bundle, broken, sums=True))


@pytest.mark.parametrize(
    ("field", "value"),
    [("created_at", "yesterday"), ("value", 10**30), ("value", "many")],
)
def test_a_value_that_no_column_takes_is_refused_with_its_file(bundle, field, value):
    def other(text: str) -> str:
        first, _, rest = text.partition("\n")
        return json.dumps({**json.loads(first), field: value}) + "\n" + rest

    with pytest.raises(UnreadableBundle, match=RATINGS):
        reproduce(tampered(bundle, {RATINGS: other}, sums=True))


def test_rows_that_do_not_fit_together_are_refused_in_a_sentence(bundle):
    no_design = {"records/studies.DesignRevision.jsonl": lambda text: ""}
    with pytest.raises(CommandError, match="rows do not fit together"):
        call_command("reproduce", tampered(bundle, no_design, sums=True))


def rewritten(path: Path, change: Callable[[bytes], bytes]) -> Path:
    out = path.with_name("damaged.zip")
    out.write_bytes(change(path.read_bytes()))
    return out


def test_a_damaged_file_is_refused_or_told(bundle):
    """Bytes changed somewhere in the packed data: never a traceback, never "equal"."""
    with zipfile.ZipFile(bundle) as archive:
        starts = {one.filename: one.header_offset for one in archive.infolist()}
    for name in ("manifest.json", "SHA256SUMS", "report.json", "ratings.csv", RATINGS):
        at = starts[name] + 30 + len(name) + 60
        broken = rewritten(bundle, lambda data, at=at: data[:at] + b"\xff" * 20 + data[at + 20 :])
        with pytest.raises(UnreadableBundle, match=name):
            reproduce(broken)


def test_a_file_that_nobody_reads_and_is_damaged_is_told(bundle):
    with zipfile.ZipFile(bundle) as archive:
        start = archive.getinfo("README.txt").header_offset
    at = start + 30 + len("README.txt") + 60
    broken = rewritten(bundle, lambda data: data[:at] + b"\xff" * 20 + data[at + 20 :])
    assert reproduce(broken).sums == ("README.txt: it was changed",)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused(bundle):
    with zipfile.ZipFile(bundle, "a") as archive:
        archive.writestr("report.json", "{}")
    with pytest.raises(UnreadableBundle, match="two files called report.json"):
        reproduce(bundle)


def test_a_checksum_that_was_changed_names_its_file(bundle):
    digest = hashlib.sha256(read(bundle, "ratings.csv").encode()).hexdigest()
    other = {"SHA256SUMS": lambda text: text.replace(digest, digest[::-1])}
    assert reproduce(tampered(bundle, other, sums=False)).sums == ("ratings.csv: it was changed",)


def test_a_document_or_a_line_of_endless_length_is_refused(bundle, monkeypatch):
    monkeypatch.setattr(opening, "LONGEST_LINE", 50_000)
    endless = tampered(bundle, {RATINGS: lambda text: " " * 60_000 + text}, sums=True)
    with pytest.raises(UnreadableBundle, match="a line has more than"):
        reproduce(endless)
    monkeypatch.setattr(opening, "LARGEST_DOCUMENT", 1_000)
    with pytest.raises(UnreadableBundle, match=r"manifest\.json has more than"):
        reproduce(bundle)


def test_a_bundle_does_not_say_how_long_it_keeps_us(bundle, monkeypatch):
    monkeypatch.setattr(compute, "REPLICATES", 20)
    monkeypatch.setattr(reproducing, "MOST_REPLICATES", 40)
    endless = told_in("report.json", to=10**12, path=["method", "replicates"])
    wrong = {one.where: one.found for one in reproduce(tampered(bundle, endless, sums=True)).wrong}
    assert wrong["method.replicates"] == "20"
