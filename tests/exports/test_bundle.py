"""The bundle: it computes its report again, and names what was tampered with."""

from __future__ import annotations

import ast
import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command

from annotation.answers import Answers
from annotation.assignment import claim_next_unit
from annotation.kinds import Given
from annotation.models import Assignment, Participation
from annotation.responding import submit_unit
from scoring.analysis import compute
from scoring.exports.bundle import packing
from scoring.exports.bundle.calibrations import calibrations
from scoring.exports.bundle.comparing import count_numbers, differences
from scoring.exports.bundle.records import RECORDS
from scoring.exports.bundle.reproducing import UnreadableBundle, reproduce
from scoring.exports.bundle.scratch import scratch_database
from scoring.exports.jobs import job_path
from scoring.models import MetricRun, WorkState
from studies.models import Study
from studies.records import STUDY_FIELDS
from tests.annotation.people import somebody
from tests.exports.bundles import a_rated_study, names, read, tampered
from tests.exports.conftest import made
from tests.scoring.report_study import (
    a_run,
)

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def study(db) -> Study:
    return a_rated_study()


def test_a_bundle_holds_design_plan_ratings_scores_runs_and_report(bundle, packed):
    there = set(names(bundle))
    assert {
        "manifest.json",
        "SHA256SUMS",
        "README.txt",
        "report.json",
        "ratings.csv",
        "items.csv",
        "scores.csv",
        "runs.json",
        "codebook.csv",
        "calibrations.json",
        "design/study.json",
        "design/plan.json",
        "design/translations.json",
        "design/revision-1.json",
    } <= there
    manifest = json.loads(read(bundle, "manifest.json"))
    assert manifest["seeds"] == {"study": packed.seed, "replicates": 50}
    assert manifest["software"]["concord"] and manifest["software"]["numpy"]
    (run,) = json.loads(read(bundle, "runs.json"))
    assert run["model_id"] == "all-MiniLM-L6-v2"
    assert json.loads(read(bundle, "design/translations.json"))["fa"]["x"]["text"] == "سلام"


def test_everything_comes_out_again(bundle):
    outcome = reproduce(bundle)
    assert outcome.is_equal, [*outcome.sums, *map(str, outcome.wrong)]
    assert (outcome.numbers, outcome.warnings) == ((), ())
    assert outcome.n_numbers > 200
    assert outcome.n_lines > 100


def test_the_sites_own_database_is_not_touched(bundle, study):
    Study.objects.filter(pk=study.pk).update(title="Something else", seed=99)
    Assignment.objects.update(counted=False)
    users = get_user_model().objects.count()
    assert reproduce(bundle).is_equal
    assert Study.objects.get().title == "Something else"
    assert get_user_model().objects.count() == users


def answer_a_set(study: Study) -> Participation:
    """One screen of three items: probes of use, where they are seen, and an order."""
    person = somebody(study)
    screen = claim_next_unit(participation=person)
    ids = dict(study.questions.values_list("key", "id"))
    given = []
    for number, probe in enumerate(screen.unit.unit_probes.values_list("probe", flat=True)):
        given.append(Given(ids["useful"], probe=probe, value=1))
        for place, item in enumerate(screen.item_order):
            given.append(Given(ids["seen"], item=item, probe=probe, value=(place + number) % 2))
    for place, item in enumerate(screen.item_order, start=1):
        given.append(Given(ids["order"], item=item, value=place))
    submit_unit(assignment=screen, key=screen.key, answers=Answers(given), check=None)
    return person


def test_sets_rankings_probes_and_the_pilot_come_out_again(live_triplets, monkeypatch):
    monkeypatch.setattr(compute, "REPLICATES", 50)
    for _ in range(3):
        answer_a_set(live_triplets)
    Participation.objects.filter(pk=answer_a_set(live_triplets).pk).update(pilot=True)
    job = made(live_triplets, "bundle.zip")
    assert job.state == WorkState.DONE, job.error
    outcome = reproduce(job_path(job))
    assert outcome.is_equal, [*outcome.sums, *map(str, outcome.wrong)]
    assert outcome.numbers == ()
    report = json.loads(read(job_path(job), "report.json"))
    assert report["overview"]["left_out"]["pilot"] == 1


def test_a_number_of_the_report_that_was_changed_is_named(bundle):
    def better(text: str) -> str:
        report = json.loads(text)
        report["questions"][0]["groups"][1]["coefficients"][0]["value"] = 0.93
        return json.dumps(report, ensure_ascii=False, indent=1) + "\n"

    outcome = reproduce(tampered(bundle, {"report.json": better}, sums=True))
    assert outcome.sums == ()
    (wrong,) = outcome.wrong
    assert wrong.where.startswith("questions[faithfulness].groups[")
    assert ".coefficients[krippendorff_alpha" in wrong.where
    assert wrong.where.endswith("].value")
    assert wrong.said == "0.93"


def test_a_rating_that_was_changed_in_the_rows_changes_the_numbers_and_is_named(bundle):
    def kinder(text: str) -> str:
        return text.replace('"value": 1, ', '"value": 5, ', 1)

    path = tampered(bundle, {"records/annotation.Rating.jsonl": kinder}, sums=True)
    wheres = [one.where for one in reproduce(path).wrong]
    assert any(where.startswith("ratings.csv, row ") for where in wheres)
    assert any(where.startswith("questions[faithfulness]") for where in wheres)


def test_a_cell_that_was_changed_in_the_readable_table_is_named(bundle):
    lines = read(bundle, "ratings.csv").split("\r\n")
    assert lines[1].count(",NP-01,") == 1

    def other(text: str) -> str:
        return text.replace(",NP-01,", ",NP-99,", 1)

    (wrong,) = reproduce(tampered(bundle, {"ratings.csv": other}, sums=True)).wrong
    assert wrong.where.startswith("ratings.csv, row 2, column ")
    assert (wrong.said, wrong.found) == ("'NP-99'", "'NP-01'")


def test_a_bundle_says_which_calibration_gave_a_run_its_tau(bundle):
    found = json.loads(read(bundle, "calibrations.json"))
    (stored,) = found["calibrations"]
    assert (stored["extractor"], stored["q3"], stored["n_images"]) == ("eye", 0.52, 2)
    (run,) = found["runs"]
    assert (run["tau"], run["calibration"], run["quartile"]) == (0.52, stored["id"], "q3")
    rows = read(bundle, "records/scoring.Calibration.jsonl")
    assert "svg" not in rows
    for label in ("studies.Description", "scoring.RealChoice"):
        assert len(read(bundle, f"records/{label}.jsonl").splitlines()) == 1


def test_a_tau_that_is_another_calibrations_is_named(bundle):
    def lower(text: str) -> str:
        return text.replace('"q3": 0.52', '"q3": 0.41', 1)

    path = tampered(bundle, {"records/scoring.Calibration.jsonl": lower}, sums=True)
    wrong = {one.where: (one.said, one.found) for one in reproduce(path).wrong}
    assert all(where.startswith("calibrations.json, row ") for where in wrong)
    said = " ".join(f"{said} {found}" for said, found in wrong.values())
    assert '"q3": 0.52' in said and '"q3": 0.41' in said
    assert '"quartile": "q3"' in said and '"quartile": null' in said


def test_a_tau_given_by_hand_or_before_its_calibration_is_no_calibrations(study):
    stored = study.calibrations.get()
    hand = a_run(study, {}, parameters={"tau": 0.6, "extractor": "eye"})
    other = a_run(study, {}, parameters={"tau": 0.52, "extractor": "nose"})
    median = a_run(study, {}, parameters={"tau": 0.44, "extractor": "eye"})
    early = a_run(study, {}, parameters={"tau": 0.52, "extractor": "eye"})
    long_ago = stored.created_at - timedelta(days=1)
    MetricRun.objects.filter(pk=early.pk).update(requested_at=long_ago)
    runs = {one["run"]: one for one in calibrations(study)["runs"]}
    assert [runs[run.pk]["calibration"] for run in (hand, other, early)] == [None, None, None]
    assert (runs[median.pk]["calibration"], runs[median.pk]["quartile"]) == (stored.pk, "median")


def test_a_changed_a_missing_and_an_added_file_are_told_by_their_checksums(bundle):
    path = tampered(bundle, {"README.txt": lambda text: text + "x"}, sums=False)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.txt", "x")
    assert set(reproduce(path).sums) == {"README.txt: it was changed", "more.txt: it was added"}


def test_the_last_digit_alone_is_told_apart(bundle):
    def nearly(text: str) -> str:
        report = json.loads(text)
        summary = report["questions"][0]["groups"][0]["summary"]
        summary["mean"] *= 1 + 1e-13
        return json.dumps(report, ensure_ascii=False, indent=1) + "\n"

    outcome = reproduce(tampered(bundle, {"report.json": nearly}, sums=True))
    assert outcome.is_equal
    assert [one.where.rsplit(".", 1)[1] for one in outcome.last_digits] == ["mean"]


def test_other_software_is_warned_of(bundle):
    def older(text: str) -> str:
        manifest = json.loads(text)
        manifest["software"]["concord"] = "0.0.9"
        return json.dumps(manifest, indent=1) + "\n"

    outcome = reproduce(tampered(bundle, {"manifest.json": older}, sums=True))
    assert outcome.is_equal
    (warning,) = outcome.warnings
    assert "made with concord 0.0.9" in warning


def test_the_command_says_that_all_is_equal_or_which_is_not(bundle):
    out = io.StringIO()
    call_command("reproduce", bundle, stdout=out)
    assert "Reproduced: weddings. Every one of " in out.getvalue()
    path = tampered(
        bundle, {"report.json": lambda text: text.replace('"items": 12', '"items": 120', 1)},
        sums=False,
    )  # fmt: skip
    out = io.StringIO()
    with pytest.raises(CommandError, match="Not reproduced: weddings. 1 files"):
        call_command("reproduce", path, stdout=out)
    assert "data.items: the bundle says 120, computed 12" in out.getvalue()
    assert "report.json: it was changed" in out.getvalue()


@pytest.mark.parametrize("content", [b"", b"PK nothing", b"{}"])
def test_what_is_no_bundle_is_refused(tmp_path, content):
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(UnreadableBundle, match="no ZIP file"):
        reproduce(path)


def test_rows_that_cannot_be_read_are_named_by_their_file(bundle):
    broken = {"records/annotation.Rating.jsonl": lambda text: text.replace('"value"', '"v"', 1)}
    with pytest.raises(UnreadableBundle, match="records/annotation.Rating.jsonl"):
        reproduce(tampered(bundle, broken, sums=True))


def test_nothing_in_a_bundle_says_who_somebody_is(bundle, packed):
    with zipfile.ZipFile(bundle) as archive:
        content = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert "NP-01" in content
    assert len(packed.secrets) == 10
    for secret in packed.secrets:
        assert secret not in content


# Decided: what of the tables with people or secrets in them stays here. A new field belongs into
# one of the two lists: that of what leaves (studies/records.py, annotation/ratings/records.py,
# scoring/exports/bundle/records.py), or this one.
STAYS = {
    "studies.Study": {
        "owner_id", "contact", "completion_code", "completion_url", "previews", "entry_token",
        "is_whole",
    },
    "annotation.Participation": {
        "token", "nationality", "second_nationality", "residence", "first_language", "arrived_at",
        "consented_at", "screened_at", "seated_at", "instructed_at", "finished_at", "last_seen_at",
        "hearing", "hearing_tries", "shortcuts", "n_removed", "pool_ran_dry", "screening_answers",
    },
    "annotation.Assignment": {
        "attention_check_id", "key", "skipped_at", "skip_reason", "draft", "draft_counter",
    },
    "annotation.Rating": set(),
    "annotation.Flag": {"decided_by_id"},
    "annotation.Exclusion": {"by_id", "lifted_by_id"},
    "scoring.MetricRun": {
        "dry", "estimate", "budget", "spent", "attempt", "planned", "foreground", "error",
        "traceback", "requested_by_id", "heartbeat_at",
    },
    "scoring.Score": set(),
    "scoring.Calibration": {"plots"},
    "scoring.RealChoice": set(),
}  # fmt: skip


@pytest.mark.parametrize("label", STAYS)
def test_of_every_field_it_is_decided_whether_it_leaves(label):
    (records,) = [one for one in RECORDS if one.label == label]
    every = {field.attname for field in records.model._meta.concrete_fields}
    leaves = {field.attname for field in records.fields()}
    assert every - leaves == STAYS[label]
    assert not leaves & STAYS[label]


def test_every_model_that_a_report_reads_leaves_with_the_bundle():
    """A report that reads another table would not come out again."""
    folders = ("scoring/analysis", "annotation/ratings")
    read = set()
    for path in (file for folder in folders for file in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[-1] == "models":
                read |= {f"{str(node.module).split('.')[0]}.{alias.name}" for alias in node.names}
    models = {name for name in read if _is_model(name)}
    assert "annotation.Rating" in models
    assert models - {records.label for records in RECORDS} == set()


def _is_model(label: str) -> bool:
    try:
        return bool(apps.get_model(label))
    except LookupError:
        return False


def test_the_listed_fields_of_a_study_are_there():
    assert set(STUDY_FIELDS) <= {field.attname for field in Study._meta.concrete_fields}


def test_a_bundle_of_data_that_move_is_not_made(study, monkeypatch):
    states = iter(range(100))
    monkeypatch.setattr(packing, "_report", lambda study, alive: {"method": {"replicates": 1}})
    monkeypatch.setattr(packing, "_state", lambda study: next(states))
    job = made(study, "bundle.zip")
    assert job.state == WorkState.FAILED
    assert "quieter time" in job.error


def test_the_scratch_database_is_empty_and_leaves_no_trace(study):
    with scratch_database():
        assert Study.objects.count() == 0
        Study.objects.create(title="x", slug="x", public_title="x", owner_id=1)
        assert Study.objects.count() == 1
    assert list(Study.objects.values_list("slug", flat=True)) == ["weddings"]


def test_differences_are_named_by_keys_and_by_place():
    said = {"a": [{"key": "x", "v": 1}, {"key": "y", "v": [1, 2]}], "b": True, "c": None}
    found = {"a": [{"key": "y", "v": [1, 3, 4]}, {"key": "x", "v": 1}], "b": 1, "c": 0.0}
    told = {one.where: (one.said, one.found) for one in differences(said, found)}
    assert told == {
        "a[y].v[1]": ("2", "3"),
        "a[y].v[2]": ("nothing", "4"),
        "b": ("True", "1"),
        "c": ("None", "0.0"),
    }
    assert count_numbers(said) == 3
