"""Scores from elsewhere: all of a file or nothing, and then a metric like any other."""

import io
import math

import pytest

from scoring.chosen import runs_for_reports
from scoring.declared import run_declaration
from scoring.imported import ImportedRow, ImportedScoresError, import_metrics, import_scores
from scoring.imported_files import read_scores
from scoring.models import MetricRun, Score
from tests.conftest import add_item

pytestmark = pytest.mark.django_db
PAGE = "/studies/weddings/metrics/import/"


def imported(study, rows, **more) -> MetricRun:
    told = {
        "name": "VideoScore",
        "better": "higher",
        "low": 1.0,
        "high": 4.0,
        "source": "VideoScore 1.1",
        "by": None,
    }
    return import_scores(study=study, rows=rows, **told | more)


def test_imported_scores_are_a_run_that_is_done(draft_study):
    run = imported(
        draft_study,
        [
            ImportedRow("np-1", 2.5),
            ImportedRow("np-1", 3.0, dimension="visual quality"),
            ImportedRow("np-2", None, reason="refused"),
            ImportedRow("np-3", None, reason="the clip was too long"),
            ImportedRow("np-4", None),
        ],
    )
    assert (run.metric, run.state, run.n_items, run.n_done) == ("imported:VideoScore", "done", 6, 4)
    assert run.n_undefined == 3
    told = {
        (s.item.external_id, s.dimension): (s.value, s.reason, s.evidence)
        for s in run.scores.select_related("item")
    }
    assert told == {
        ("np-1", ""): (2.5, "", {}),
        ("np-1", "visual quality"): (3.0, "", {}),
        ("np-2", ""): (None, "refused", {}),
        ("np-3", ""): (None, "no_value", {"reason": "the clip was too long"}),
        ("np-4", ""): (None, "no_value", {}),
    }
    declaration = run_declaration(run)
    [output] = declaration.outputs
    assert (declaration.name, output.low, output.high, output.better) == (
        "VideoScore", 1.0, 4.0, "higher",
    )  # fmt: skip
    assert declaration.dimensions == ("visual quality",)


def test_an_open_range_is_open(draft_study):
    run = imported(draft_study, [ImportedRow("np-1", -77.0)], low=None, high=None)
    [output] = run_declaration(run).outputs
    assert (output.low, output.high) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (ImportedRow("np-9", 2.0, where="Line 7"), "Line 7: there is no item 'np-9'"),
        (ImportedRow("np-2", 4.1), "Row 2: 4.1 is outside of the declared range"),
        (ImportedRow("np-2", math.nan), "nan is not a finite number"),
        (ImportedRow("np-2", 2.0, reason="refused"), "a value or a reason, not both"),
        (ImportedRow("np-1", 2.0), "a second score of np-1"),
    ],
)
def test_one_wrong_row_refuses_all(draft_study, row, sentence):
    with pytest.raises(ImportedScoresError) as refused:
        imported(draft_study, [ImportedRow("np-1", 2.0), row])
    assert sentence in refused.value.problems[0]
    assert not MetricRun.objects.exists()
    assert not Score.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"name": "x" * 51},
        {"better": "blue"},
        {"low": 4.0, "high": 1.0},
        {"high": math.inf},
        {"source": ""},
    ],
)
def test_a_metric_has_to_say_what_it_is(draft_study, wrong):
    with pytest.raises(ImportedScoresError):
        imported(draft_study, [ImportedRow("np-1", 2.0)], **wrong)


def test_items_that_are_not_rated_are_left_out_and_counted(draft_study):
    add_item(draft_study, "gold-1", purpose="gold")
    run = imported(draft_study, [ImportedRow("np-1", 2.0), ImportedRow("gold-1", 2.0)])
    assert (run.n_done, run.declared["left_out"]) == (1, 1)
    with pytest.raises(ImportedScoresError, match="to be rated"):
        imported(draft_study, [ImportedRow("gold-1", 2.0)])


def test_metrics_of_two_names_are_read_side_by_side_and_the_newest_of_each(draft_study):
    old = imported(draft_study, [ImportedRow("np-1", 2.0)])
    new = imported(draft_study, [ImportedRow("np-1", 3.0)])
    other = imported(draft_study, [ImportedRow("np-1", 3.0)], name="ViCLIP")
    assert runs_for_reports(draft_study) == [other, new]
    from scoring import runs

    runs.choose_run(run=old)
    assert runs_for_reports(draft_study) == [other, old]


def test_a_file_may_hold_several_metrics():
    rows = read_scores(
        b"\xef\xbb\xbfitem;metric;value;reason\r\nNA;a;1.5;\r\n\r\nb;;;refused\r\n", name="mine"
    )
    assert rows == {
        "a": [ImportedRow("NA", 1.5, where="Line 2")],
        "mine": [ImportedRow("b", None, reason="refused", where="Line 4")],
    }


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"item,score\na,1\n", "no column value"),
        (b"", "no column item and no column value"),
        (b"item,value\n", "no rows"),
        (b"item,value\na,high\n", "Line 2, value: 'high' is no number"),
        (b"item,value\na,1\nb,1_0\n", "Line 3, value: '1_0' is no number"),
        (b'item;value\na;"0,5"\n', "Write decimals with a point"),
        (b"item,value,value\na,1,2\n", "two columns called value"),
        (b"item,value\na\n", "another number of cells"),
        (b"item,value\n\xe9,1\n", "no text in UTF-8"),
    ],
)
def test_a_file_that_is_no_table_of_scores_is_refused(data, sentence):
    with pytest.raises(ImportedScoresError, match=sentence):
        read_scores(data, name="mine")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_scores_are_read_in_the_encoding_that_the_mark_names(encoding):
    rows = read_scores("item\tvalue\n日本\t1e-310\n".encode(encoding), name="m")
    assert rows == {"m": [ImportedRow("日本", 1e-310, where="Line 2")]}


def test_two_spellings_of_one_metric_are_refused(draft_study):
    by_metric = {"a b": [ImportedRow("np-1", 1.0)], "a  b": [ImportedRow("np-2", 1.0)]}
    with pytest.raises(ImportedScoresError, match="are one name"):
        import_metrics(
            study=draft_study,
            by_metric=by_metric,
            better="higher",
            low=None,
            high=None,
            source="a test",
            by=None,
        )
    assert not MetricRun.objects.exists()


def test_words_that_no_database_takes_are_refused(draft_study):
    for row in (
        ImportedRow("np-1", 2.0, dimension="a\0b"),
        ImportedRow("np-1", None, reason="a\0b"),
    ):
        with pytest.raises(ImportedScoresError, match=r"Row 1: .* holds U\+0000"):
            imported(draft_study, [row])


def test_a_file_is_uploaded_and_its_run_shown(client, draft_study, researcher):
    client.force_login(researcher)
    form = {"name": "VideoScore", "better": "higher", "low": "1", "high": "4", "source": "its card"}
    file = io.BytesIO(b"item,value,dimension\nnp-1,2.5,\nnp-1,3,motion\n")
    file.name = "scores.csv"
    response = client.post(PAGE, form | {"file": file}, follow=True)
    page = response.content.decode()
    assert response.redirect_chain[0][0].endswith(f"/metrics/{MetricRun.objects.get().pk}/")
    assert "Scores of 1 items are imported." in page
    assert "VideoScore" in page
    assert "2.50" in page
    assert "motion" in page.lower()
    bad = io.BytesIO(b"item,value\nnp-77,2.5\n")
    bad.name = "scores.csv"
    response = client.post(PAGE, form | {"file": bad})
    assert response.status_code == 422
    assert "there is no item &#x27;np-77&#x27;" in response.content.decode()
    assert MetricRun.objects.count() == 1
