"""Ratings of another tool become a closed study on which everything works, or nothing is."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import ExternalSource, Participation, Rating
from scoring.analysis.compute import analyse
from scoring.models import MetricRun
from studies.models import Item, Study

pytestmark = pytest.mark.django_db

LONG = """item,who,model,country,question,score
a,ana@example.org,SDXL,NA,faith,4
a,ben,SDXL,NA,faith,5
b,ana@example.org,Flux,NP,faith,1
b,ben,Flux,NP,faith,2
a,ben,SDXL,NA,harm,no
"""
LONG_OPTIONS = {
    "title": "Long",
    "owner": "ana",
    "item": "item",
    "rater": "who",
    "value": "score",
    "question": "question",
    "scale": ["faith=1-5", "harm=no,partly,yes"],
    "lower": "harm",
    "facts": "system=model,country=country",
}


def imported(*files: str, scale: list[str], **options) -> None:
    """The command; an option that is given several times is given as in a shell."""
    call_command("import_ratings", *files, *(f"--scale={one}" for one in scale), **options)


def written(tmp_path, content: str, name: str = "ratings.csv") -> str:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return str(path)


def test_a_long_table_becomes_a_closed_study(researcher, tmp_path, capsys):
    imported(written(tmp_path, LONG), **LONG_OPTIONS)
    assert "5 ratings of 2 items by 2 raters on faith, harm." in capsys.readouterr().out
    study = Study.objects.get(slug="long")
    assert study.state == Study.State.CLOSED and study.revisions.count() == 1
    assert "ratings.csv" in study.launch_note
    item = study.items.get(external_id="a")
    assert (item.system.name, item.country, item.media_url) == ("SDXL", "NA", "")
    assert list(study.questions.values_list("key", "direction")) == [
        ("faith", "higher"),
        ("harm", "lower"),
    ]
    harm = study.questions.get(key="harm")
    assert list(harm.points.values_list("value", "label")) == [(0, "no"), (1, "partly"), (2, "yes")]
    assert Rating.objects.get(question=harm).value == 0
    report = analyse(study, replicates=0)
    assert (report.data.items, report.data.raters, report.data.answers) == (2, 2, 5)


def test_raters_get_pseudonyms_and_their_own_names_are_nowhere(researcher, tmp_path):
    imported(written(tmp_path, LONG), **LONG_OPTIONS)
    people = Participation.objects.filter(study__slug="long")
    assert list(people.values_list("code", flat=True)) == ["R-01", "R-02"]
    source = ExternalSource.objects.get(study__slug="long")
    assert "ana@example.org" not in json.dumps([source.files, source.columns, source.scales])
    assert source.columns["rater"] == "who" and source.n_ratings == 5
    assert len(source.files[0]["sha256"]) == 64


def test_nobody_can_take_part_in_an_imported_study(researcher, tmp_path, client):
    imported(written(tmp_path, LONG), **LONG_OPTIONS)
    study = Study.objects.get(slug="long")
    page = client.get(study.entry_path, follow=True)
    assert "I agree and take part" not in page.content.decode()
    assert study.participations.filter(state=Participation.State.COMPLETE).count() == 2


def test_wide_tables_have_a_column_a_rater(researcher, tmp_path):
    content = "item,prompt,r1,r2,r3\na,tea,1,2,\nb,walk,5,5,4\n"
    imported(
        written(tmp_path, content),
        title="Wide",
        owner="ana",
        item="item",
        shape="raters",
        scale=["1-5"],
        facts="prompt=prompt",
    )
    assert Rating.objects.filter(assignment__participation__study__slug="wide").count() == 5
    assert Item.objects.get(study__slug="wide", external_id="a").prompt == "tea"


def test_wide_tables_by_system_take_a_file_for_a_rater(researcher, tmp_path):
    files = [
        written(tmp_path, f"uid\tAda\tBix\ns1\t[{v},1]\t[0,0.5]\n", f"r{n}.tsv")
        for n, v in enumerate(("1", "0.5"))
    ]
    imported(
        *files,
        title="Systems",
        owner="ana",
        item="uid",
        shape="systems",
        cell="SC,PQ",
        scale=["0,0.5,1"],
    )
    study = Study.objects.get(slug="systems")
    assert sorted(study.items.values_list("external_id", "system__name", "prompt")) == [
        ("s1/Ada", "Ada", "s1"),
        ("s1/Bix", "Bix", "s1"),
    ]
    found = Rating.objects.filter(question__key="sc", item__external_id="s1/Ada")
    assert sorted(found.values_list("value", flat=True)) == [1, 2]  # .5 and 1 by place


def test_nested_json_is_read_by_a_path(researcher, tmp_path):
    content = json.dumps({"data": {"x": {"votes": [1, 5]}, "y": {"votes": [2, None]}}})
    imported(
        written(tmp_path, content, "n.json"),
        title="Nested",
        owner="ana",
        records="data.*",
        item="@key",
        shape="list",
        value="votes",
        scale=["1-5"],
    )
    assert Rating.objects.filter(assignment__participation__study__slug="nested").count() == 3


def test_a_preview_writes_nothing_and_shows_what_was_read(researcher, tmp_path, capsys):
    imported(written(tmp_path, LONG), **{**LONG_OPTIONS, "preview": True})
    said = capsys.readouterr().out
    assert "line 2: ana@example.org gives a on faith 4 (system SDXL, country NA)" in said
    assert "Nothing was written" in said
    assert not Study.objects.filter(slug="long").exists()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("b,cy,Flux,NP,faith,6", "line 7: '6' is no point of faith: 1, 2, 3, 4, 5"),
        ("a,ben,SDXL,NA,faith,5", "line 7: 'ben' rated 'a' on faith before"),
        ("a,cy,Flux,NA,faith,5", "the system 'Flux', earlier 'SDXL'"),
        ("b,cy,Flux,Nepall,faith,5", "'Nepall' is no country. Did you mean Nepal"),
        (",cy,Flux,NP,faith,5", "line 7: no item"),
        ("b,cy,Flux,NP,fun,5", "no scale is declared for the question 'fun'"),
        ("b,cy,Flux,NP,faith", "line 7 has 5 cells; the header has 6"),
    ],
)
def test_one_wrong_row_is_named_and_nothing_is_written(researcher, tmp_path, row, said):
    with pytest.raises(CommandError) as refused:
        imported(written(tmp_path, LONG + row + "\n"), **LONG_OPTIONS)
    assert said in str(refused.value)
    assert not Study.objects.filter(slug="long").exists()
    assert not Participation.objects.exists()


def test_the_same_again_is_refused(researcher, tmp_path):
    imported(written(tmp_path, LONG), **LONG_OPTIONS)
    with pytest.raises(CommandError, match="a study 'long' already"):
        imported(written(tmp_path, LONG), **LONG_OPTIONS)
    assert Rating.objects.count() == 5


def test_every_page_of_the_report_opens_on_an_imported_study(researcher, tmp_path, client):
    from scoring.snapshots import execute_report, request_report

    imported(written(tmp_path, LONG), **LONG_OPTIONS)
    study = Study.objects.get(slug="long")
    execute_report(request_report(study).pk)
    client.force_login(researcher)
    for page in ("", "scores/", "agreement/", "automatic/", "metrics/", "sensitivity/"):
        reply = client.get(f"/studies/long/report/{page}")
        assert reply.status_code == 200, page
        assert 'src=""' not in reply.content.decode(), page


class TestScores:
    OPTIONS = {"better": "higher", "source": "a test", "item": "item"}

    @pytest.fixture
    def study(self, researcher, tmp_path):
        imported(written(tmp_path, LONG), **LONG_OPTIONS)
        return Study.objects.get(slug="long")

    def test_columns_are_metrics_of_their_own(self, study, tmp_path):
        file = written(tmp_path, "item,clip,vqa\na,.5,.9\nb,,.1\n", "scores.csv")
        call_command("import_scores", "long", file, columns="clip,vqa", **self.OPTIONS)
        assert sorted(MetricRun.objects.values_list("metric", flat=True)) == [
            "imported:clip",
            "imported:vqa",
        ]
        run = MetricRun.objects.get(metric="imported:clip")
        assert dict(run.scores.values_list("item__external_id", "value")) == {"a": 0.5, "b": None}
        report = analyse(study, replicates=0)
        assert {one.name for one in report.metrics} == {"clip", "vqa"}

    def test_a_share_of_answers_is_a_score(self, study, tmp_path):
        rows = "item,said\na,yes\na,no\na,\n"
        for blanks, expected in ((False, 1 / 2), (True, 1 / 3)):
            call_command(
                "import_scores",
                "long",
                written(tmp_path, rows, "answers.csv"),
                metric="qa",
                value="said",
                share="yes",
                blanks_count=blanks,
                absent=0.0,
                **self.OPTIONS,
            )
            run = MetricRun.objects.latest("pk")
            values = dict(run.scores.values_list("item__external_id", "value"))
            assert values == {"a": pytest.approx(expected), "b": 0}

    def test_an_unknown_item_and_a_wrong_number_are_named(self, study, tmp_path):
        for rows, said in (
            ("item,m\nzz,1\n", "no item 'zz'"),
            ("item,m\na,good\n", "line 2, m: 'good' is no number"),
            ("item,x\na,1\n", "No column m"),
        ):
            with pytest.raises(CommandError, match=said):
                file = written(tmp_path, rows, "scores.csv")
                call_command("import_scores", "long", file, columns="m", **self.OPTIONS)
        assert not MetricRun.objects.exists()

    def test_the_metric_may_stand_in_a_column(self, study, tmp_path):
        rows = "item,name,part,score\na,clip,,.5\na,clip,attire,.25\nb,vqa,,1e-300\n"
        file = written(tmp_path, rows, "scores.csv")
        told = {"metrics": "name", "value": "score", "dimension": "part", **self.OPTIONS}
        call_command("import_scores", "long", file, **told)
        found = {
            run.metric: dict(run.scores.values_list("dimension", "value"))
            for run in MetricRun.objects.all()
        }
        assert found == {"imported:clip": {"": 0.5, "attire": 0.25}, "imported:vqa": {"": 1e-300}}
        unnamed = written(tmp_path, "item,name,part,score\na,,,1\n", "unnamed.csv")
        with pytest.raises(CommandError, match=r"unnamed\.csv, line 2, name: no metric"):
            call_command("import_scores", "long", unnamed, **told)

    def test_of_several_metrics_all_come_in_or_none(self, study, tmp_path):
        file = written(tmp_path, "item,clip,vqa\na,.5,.9\nb,.1,7\n", "scores.csv")
        with pytest.raises(CommandError, match=r"scores\.csv, line 3, vqa: 7 is outside"):
            call_command(
                "import_scores", "long", file, columns="clip,vqa", high=1.0, **self.OPTIONS
            )
        assert not MetricRun.objects.exists()

    def test_every_wrong_number_is_named_with_its_row_and_column(self, study, tmp_path):
        file = written(tmp_path, 'item;m\na;"0,5"\nb;1_0\n', "scores.csv")
        with pytest.raises(CommandError) as refused:
            call_command("import_scores", "long", file, columns="m", **self.OPTIONS)
        assert "scores.csv, line 2, m: '0,5' is no number. Write decimals with a point." in str(
            refused.value
        )
        assert "scores.csv, line 3, m: '1_0' is no number." in str(refused.value)

    def test_a_preview_checks_all_shows_some_and_writes_nothing(self, study, tmp_path, capsys):
        file = written(tmp_path, "item,m\na,.5\nb,\n", "scores.csv")
        told = {"columns": "m", "preview": True, **self.OPTIONS}
        call_command("import_scores", "long", file, **told)
        out = capsys.readouterr().out
        assert "scores.csv, line 2, m: m gives a 0.5" in out
        assert "m: 1 scores of 2 rows" in out
        assert "Nothing was written" in out
        assert not MetricRun.objects.exists()
        wrong = written(tmp_path, "item,m\nzz,.5\n", "scores.csv")
        with pytest.raises(CommandError, match="no item 'zz'"):
            call_command("import_scores", "long", wrong, **told)

    def test_a_share_of_a_value_that_no_row_has_is_refused(self, study, tmp_path):
        file = written(tmp_path, "item,said\na,yes\nb,no\n", "answers.csv")
        told = {"metric": "qa", "value": "said", "share": "yess", **self.OPTIONS}
        with pytest.raises(CommandError, match=r"No row has 'yess' in said. There are: yes, no."):
            call_command("import_scores", "long", file, **told)
        assert not MetricRun.objects.exists()

    def test_rows_are_chosen_by_values_of_json_too(self, study, tmp_path):
        rows = [
            {"item": "a", "m": 1.5, "split": 3.0, "valid": True},
            {"item": "b", "m": 2.5, "split": 3, "valid": False},
        ]
        file = written(tmp_path, "\n".join(map(json.dumps, rows)), "scores.jsonl")
        for where, expected in (("split=3", {"a", "b"}), ("valid=true", {"a"})):
            call_command("import_scores", "long", file, columns="m", where=[where], **self.OPTIONS)
            run = MetricRun.objects.latest("pk")
            assert set(run.scores.values_list("item__external_id", flat=True)) == expected
        with pytest.raises(CommandError, match="None of the 2 rows has split=4"):
            call_command(
                "import_scores", "long", file, columns="m", where=["split=4"], **self.OPTIONS
            )


def test_a_name_that_no_study_may_have_is_refused(researcher, tmp_path):
    for title in ("x" * 201, " "):
        with pytest.raises(CommandError, match="a name of at most 200 letters"):
            imported(written(tmp_path, LONG), **LONG_OPTIONS | {"title": title, "slug": "long"})
    assert not Study.objects.exists()


def test_lower_on_a_question_that_is_not_there_is_refused(researcher, tmp_path):
    with pytest.raises(CommandError, match=r"Lower is better on 'harms'.* Questions are"):
        imported(written(tmp_path, LONG), **LONG_OPTIONS | {"lower": "harms"})
    assert not Study.objects.exists()
