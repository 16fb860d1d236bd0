"""What questions say in the second header row of Qualtrics becomes the text of the study's."""

from __future__ import annotations

from collections import Counter

import pytest
from django.core.management import call_command

from studies.external.layouts import Columns
from studies.external.question_texts import common, plain
from studies.external.reading import Source, read
from studies.models import Study


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("How good is it?", "How good is it?"),
        ("How good is it? - Selected Choice", "How good is it?"),
        ("How <b>good</b> is<br>it?", "How good is it?"),
        ("<div>How&nbsp;good</div><p>is it &amp; why?</p>", "How good is it & why?"),
        ("un<em>believ</em>able", "unbelievable"),
        ("<style>p {color: red}</style><script>x()</script>Why?", "Why?"),
        ("a < b and b > c", "a < b and b > c"),
        ("  two\r\nlines ", "two lines"),
        ("Is it so - Selected Choice - really?", "Is it so - Selected Choice - really?"),
        ("خوب است؟ - Selected Choice", "خوب است؟"),
        ("<p></p>", ""),
    ],
)
def test_a_text_loses_its_tags_and_the_tail_of_choices(written, said):
    assert plain(written) == said


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["How good is it?"], "How good is it?"),
        (["How good is it?", "How good is it?"], "How good is it?"),
        (
            ["How good is picture 1 here?", "How good is picture 2 here?"],
            "How good is picture … here?",
        ),
        (["cup: is it good?", "old hat: is it good?"], "… is it good?"),
        (["Is it a cup", "Is it a"], "Is it a …"),
        (["One", "Two"], ""),
    ],
)
def test_what_columns_of_several_items_share_is_the_text(texts, said):
    assert common(texts) == said


HEADER = "ResponseId,Status,Finished,1_Q1,2_Q1,1_Q2,2_Q2,1_Q3\n"
TEXTS = (
    'Id,Status,Finished,<b>How</b> good?,How good? - Selected Choice,"Is 1, the cup, real?",'
    '"Is 2, the hat, real?",<p></p>\n'
)
IDS = ",".join(
    '"{""ImportId"":""' + one + '""}"'
    for one in ("_recordId", "status", "finished", "1_QID1", "2_QID1", "1_QID2", "2_QID2", "1_QID3")
)
EXPORT = f"{HEADER}{TEXTS}{IDS}\nR_1,0,1,4,5,2,3,1\nR_2,0,1,1,1,5,5,2\n"


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(EXPORT, "utf-8")
    return path


def test_the_second_row_of_qualtrics_tells_the_texts_by_question(export):
    texts: dict[str, str] = {}
    ratings = list(read(export, Source(Columns(item=()), tool="qualtrics"), Counter(), texts))
    assert {one.question for one in ratings} == {"Q1", "Q2", "Q3"}
    assert texts == {"Q1": "How good?", "Q2": "Is … real?"}


def test_the_texts_become_the_studys_and_columns_stay_its_keys(export, researcher):
    tool = {"tool": "qualtrics", "title": "Q", "owner": "ana", "scale": ["1-5"]}
    call_command("import_ratings", str(export), **tool)
    rows = Study.objects.get().questions.order_by("position")
    told = [(row.key, row.reported_as, row.text) for row in rows]
    assert told == [("q1", "Q1", "How good?"), ("q2", "Q2", "Is … real?"), ("q3", "Q3", "Q3")]


def test_a_very_long_text_is_cut_where_it_is_stored(export, researcher):
    export.write_text(EXPORT.replace("good?", "good " * 200), "utf-8")
    tool = {"tool": "qualtrics", "title": "Q", "owner": "ana", "scale": ["1-5"]}
    call_command("import_ratings", str(export), **tool)
    text = Study.objects.get().questions.get(key="q1").text
    assert len(text) == 400
    assert text.endswith("…")
