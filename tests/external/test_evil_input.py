"""Files as people and programs really write them: nothing is guessed, dropped or mangled."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.external import collecting
from annotation.external.gathering import Gathering
from annotation.external.scales import by_question
from studies.external.layouts import Columns
from studies.external.reading import Source
from studies.external.records import LONGEST, ImportRefusedError
from studies.external.sources import text
from studies.models import Item, Study

LONG = Columns(item=("item",), rater="rater", value="value", facts={"country": "country"})


@pytest.fixture
def gather(tmp_path):
    """The ratings of a file of these bytes, checked."""

    def gathered(content, *, name="ratings.csv", columns=LONG, records="", scale="1-5"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        gathering = Gathering(Source(columns, records=records), *by_question([scale]))
        gathering.take(path)
        return gathering.finish()

    return gathered


def table(*rows, header="item,rater,country,value"):
    return "\n".join([header, *rows]) + "\n"


def test_the_country_code_na_is_namibia(gather):
    found = gather(table("a,ana,NA,4"))
    assert found.facts == [{"country": "NA"}]


@pytest.mark.parametrize(
    "item",
    [
        "=1+1",
        "+SUM(A1)",
        "-2",
        "@cmd",
        '=HYPERLINK("x","y")',
        'say "hi"',
        "😀👩🏽‍🎤",
        "مهرجان النيل",
        "001",
    ],
)
def test_an_item_is_called_what_the_file_calls_it(gather, item):
    quoted = item.replace('"', '""')
    assert list(gather(table(f'"{quoted}",ana,,4')).items) == [item]


def test_a_study_holds_the_same_texts(tmp_path, researcher):
    path = tmp_path / "ratings.csv"
    path.write_text(table("=1+1,ana,NA,4", "مهرجان,ana,EG,2", "😀,ana,,1"), encoding="utf-8")
    call_command(
        "import_ratings",
        *(str(path), "--title", "Evil", "--owner", "ana", "--item", "item", "--rater", "rater"),
        *("--value", "value", "--facts", "country=country", "--scale", "1-5"),
        stdout=StringIO(),
    )
    kept = Item.objects.order_by("pk").values_list("external_id", "country")
    assert list(kept) == [("=1+1", "NA"), ("مهرجان", "EG"), ("😀", "")]


def test_breaks_within_a_prompt_stay_and_lines_are_counted_as_an_editor_does(gather):
    columns = Columns(item=("item",), rater="rater", value="value", facts={"prompt": "prompt"})
    good = 'item,rater,prompt,value\r\na,ana,"two\r\nlines",4\r\n'
    assert gather(good, columns=columns).facts == [{"prompt": "two\r\nlines"}]
    with pytest.raises(ImportRefusedError, match="line 4: '9' is no point"):
        gather(f"{good}b,ana,,9\r\n", columns=columns)


@pytest.mark.parametrize("cell", ["a\0b", "a\nb", "a\x1bb"])
def test_an_item_with_a_control_character_is_refused_with_its_place(gather, cell):
    with pytest.raises(ImportRefusedError, match=r"line 2: the item .* holds U\+00"):
        gather(table(f'"{cell}",ana,,4'))


def test_a_zero_byte_as_a_value_is_no_point_of_the_scale(gather):
    with pytest.raises(ImportRefusedError, match="line 2: .* is no point"):
        gather(table("a,ana,,4\0"))


def test_ten_thousand_letters_are_refused_in_a_few_words(gather):
    for row in (f"{'x' * 10_000},ana,,4", f"a,ana,,{'9' * 10_000}", f"a,ana,{'y' * 10_000},4"):
        with pytest.raises(ImportRefusedError, match="line 2") as refused:
            gather(table(row))
        assert len(str(refused.value)) < LONGEST


def test_a_prompt_of_ten_thousand_letters_is_kept(gather):
    columns = Columns(item=("item",), rater="rater", value="value", facts={"prompt": "country"})
    assert (
        len(gather(table(f"a,ana,{'é' * 10_000},4"), columns=columns).facts[0]["prompt"]) == 10_000
    )


def test_the_same_person_and_item_twice_is_refused(gather):
    with pytest.raises(ImportRefusedError, match="line 3: 'ana' rated 'a' on rating before"):
        gather(table("a,ana,,4", "a,ana,,4"))


def test_a_rater_has_as_many_items_as_screens_have_numbers(gather, monkeypatch):
    """Several questions of an item are one screen."""
    monkeypatch.setattr(collecting, "MOST_SCREENS", 3)
    asked = Columns(item=("item",), rater="rater", value="value", question="country")
    rows = [f"i{n},ana,{question},4" for n in range(3) for question in ("x", "y")]
    screens = gather(table("i9,ben,x,1", *rows), columns=asked).screens()
    assert list(zip(screens.rater, screens.item, strict=True)) == [(0, 0), (1, 1), (1, 2), (1, 3)]
    assert list(screens.of_rating) == [0, 1, 1, 2, 2, 3, 3]
    with pytest.raises(ImportRefusedError, match=r"The rater 'ana' has more than 3 items\."):
        gather(table(*rows, "i4,ana,x,4"), columns=asked)


def test_a_missing_column_is_named_beside_those_that_are_there(gather):
    with pytest.raises(ImportRefusedError, match="no column 'value'. There are: item, rater"):
        gather(table("a,ana,,4", header="item,rater,country,score"))


@pytest.mark.parametrize(
    "value", ["6", "0", "4.5", "four", "nan", "inf", "1e999", "3.9999999", "1_0"]
)
def test_a_value_off_the_scale_is_refused(gather, value):
    with pytest.raises(ImportRefusedError, match="line 2: .* is no point of rating: 1, 2, 3"):
        gather(table(f"a,ana,,{value}"))


@pytest.mark.parametrize("value", ["4", " 4 ", "4.0", "4,0"])
def test_a_whole_number_may_be_written_as_programs_do(gather, value):
    if "," in value:
        with pytest.raises(ImportRefusedError, match="'4,0' is no point"):
            gather(table(f'a,ana,,"{value}"'))
    else:
        assert list(gather(table(f"a,ana,,{value}")).value) == [4]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-mark", "utf-16-be-mark"]
)
def test_a_file_is_read_in_the_encoding_that_its_mark_names(gather, encoding):
    content = table("Ünter,ana,EG,4")
    if encoding.endswith("-mark"):
        content = f"\ufeff{content}"
        encoding = encoding.removesuffix("-mark")
    assert list(gather(content.encode(encoding)).items) == ["Ünter"]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16-le"])
def test_another_encoding_is_refused_and_not_guessed(gather, encoding):
    with pytest.raises(ImportRefusedError, match="ratings.csv is no text in UTF-8"):
        gather(table("Ünter,ana,EG,4").encode(encoding))


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
def test_the_delimiter_is_what_the_header_has(gather, delimiter):
    assert len(gather(table("a,ana,NA,4").replace(",", delimiter))) == 1


@pytest.mark.parametrize(("row", "n"), [("a,ana,4", 3), ("a,ana,,4,5", 5)])
def test_a_ragged_row_is_refused(gather, row, n):
    with pytest.raises(ImportRefusedError, match=f"line 2 has {n} cells; the header has 4"):
        gather(table(row))


def test_two_columns_of_one_name_are_refused(gather):
    with pytest.raises(ImportRefusedError, match="two columns called 'value'"):
        gather(table("a,ana,4,5", header="item,rater,value,value"))


def test_empty_columns_of_a_spreadsheet_and_a_number_of_rows_are_no_columns(gather):
    header = ",item,rater,country,value,,"
    assert list(
        gather(table("0,a,ana,NA,4,,", "1,b,ana,NA,2,,", header=header).encode()).items
    ) == [
        "a",
        "b",
    ]
    with pytest.raises(ImportRefusedError, match="line 2: column 7 has no name .* holds '5'"):
        gather(table("0,a,ana,NA,4,,5", header=header))


def test_a_quote_left_open_is_refused(gather):
    with pytest.raises(ImportRefusedError, match="Is a quote left open"):
        gather(table('"a,ana,,4'))


@pytest.mark.parametrize("content", ["", "\n\n", "item,rater,country,value\n"])
def test_an_empty_file_is_refused(gather, content):
    with pytest.raises(ImportRefusedError, match="is empty|has no rows"):
        gather(content)


def test_a_path_that_is_not_in_the_json_is_named(gather):
    content = json.dumps({"data": {"items": [{"item": "a"}]}})
    with pytest.raises(ImportRefusedError, match="At data there is no 'rows'"):
        gather(content, name="ratings.json", records="data.rows.*")
    with pytest.raises(ImportRefusedError, match="At data/items/1/item there is nothing to list"):
        gather(content, name="ratings.json", records="data.items.*.item.*")


def test_a_record_without_the_column_is_named_wherever_it_stands(gather):
    rows = [{"item": "a", "rater": "r", "country": "", "value": 4}, {"item": "b", "rater": "r"}]
    content = "\n".join(json.dumps(row) for row in rows)
    with pytest.raises(ImportRefusedError, match="line 2: no column 'country', 'value'"):
        gather(content, name="ratings.jsonl")


@pytest.mark.parametrize(
    "value", ["NaN", "Infinity", "9" * 5000, "[" * 100_000, "{", '"\\ud800"', "1e999"]
)
def test_json_that_no_program_should_write_is_refused_with_its_place(gather, value):
    line = f'{{"item": "a", "rater": "r", "country": "", "value": {value}}}'
    with pytest.raises(ImportRefusedError, match=r"ratings.jsonl, line 1") as refused:
        gather(line, name="ratings.jsonl")
    assert str(refused.value).encode("utf-8")
    assert len(str(refused.value)) < LONGEST + 10


def test_a_name_that_stands_twice_in_an_object_is_refused(gather):
    """A reader keeps the last of the two: a rating would be lost without a word."""
    row = '{"item": "a", "rater": "r", "country": "", "value": 4, "value": 2}'
    with pytest.raises(ImportRefusedError, match=r"line 1: .* 'value' stands twice"):
        gather(row, name="ratings.jsonl")


def test_what_stands_for_no_answer_is_declared_left_out_and_counted(tmp_path):
    """R writes NA, Qualtrics -99: without a word of it they are no points of the scale."""
    path = tmp_path / "wide.csv"
    path.write_text("item,ana,ben\na,4,NA\nb,-99,NA\nc,,2\n")
    wide = Columns(item=("item",), shape="raters")
    with pytest.raises(ImportRefusedError, match="'NA' is no point"):
        gathering = Gathering(Source(wide), *by_question(["1-5"]))
        gathering.take(path)
        gathering.finish()
    gathering = Gathering(Source(wide, missing=("NA", "-99")), *by_question(["1-5"]))
    gathering.take(path)
    assert list(gathering.finish().value) == [4, 2]
    assert dict(gathering.reasons) == {
        "cells with NA, which stands for no answer": 2,
        "cells with -99, which stands for no answer": 1,
    }


def test_a_decimal_comma_is_refused_with_what_to_write(gather):
    content = 'item;rater;country;value\na;ana;;"0,5"\n'
    with pytest.raises(ImportRefusedError, match=r"'0,5' is no point .* Write decimals with"):
        gather(content, scale="0,0.5,1")
    assert list(gather(content, scale="0|0,5|1").value) == [1]


def test_a_surrogate_in_a_name_can_be_told(gather):
    line = '{"item": "a\\ud800", "rater": "r", "country": "", "value": 4}'
    with pytest.raises(ImportRefusedError, match=r"holds U\+D800"):
        gather(line, name="ratings.jsonl")


def test_a_number_as_a_name_keeps_every_digit():
    assert [text(one) for one in (1234567.0, 0.1, 1e300, 12345678901234)] == [
        "1234567",
        "0.1",
        "1e+300",
        "12345678901234",
    ]


def test_scores_of_records_without_the_column_are_refused_with_their_place(tmp_path, researcher):
    answers = tmp_path / "ratings.csv"
    answers.write_text(table("a,ana,,4", "b,ana,,2"))
    call_command(
        "import_ratings",
        *(str(answers), "--title", "Evil", "--owner", "ana", "--item", "item"),
        *("--rater", "rater", "--value", "value", "--scale", "1-5"),
        stdout=StringIO(),
    )
    scores = tmp_path / "scores.jsonl"
    scores.write_text('{"item": "a", "score": 1.5}\n{"item": "b"}\n')
    with pytest.raises(CommandError, match="No column score in scores.jsonl, line 2"):
        call_command(
            "import_scores",
            *("evil", str(scores), "--item", "item", "--metric", "m", "--value", "score"),
            *("--better", "higher", "--source", "a test"),
        )
    scores.write_text('{"item": "a", "score": 1.5}\n{"item": "b", "score": "nan"}\n')
    with pytest.raises(CommandError, match="line 2"):
        call_command(
            "import_scores",
            *("evil", str(scores), "--item", "item", "--metric", "m", "--value", "score"),
            *("--better", "higher", "--source", "a test"),
        )


def test_nothing_is_written_when_one_row_of_two_files_is_wrong(tmp_path, researcher):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(table("a,ana,,4"))
    bad.write_text(table("b,ana,,4", "c,ana,,7", "d,ana,Atlantis,1"))
    with pytest.raises(CommandError) as refused:
        call_command(
            "import_ratings",
            *(str(good), str(bad), "--title", "Evil", "--owner", "ana", "--item", "item"),
            *("--rater", "rater", "--value", "value", "--facts", "country=country"),
            *("--scale", "1-5"),
        )
    assert "bad.csv, line 3: '7' is no point" in str(refused.value)
    assert "bad.csv, line 4: 'Atlantis' is no country" in str(refused.value)
    assert not Study.objects.exists()


def test_a_tool_s_counts_are_told_by_the_command(tmp_path, researcher):
    path = tmp_path / "answers.jsonl"
    rows = [{"q": {"4": "4"}}, {"q": {}}]
    path.write_text(
        "\n".join(
            json.dumps({"instance_id": f"i{n}", "user_id": "u", "labels": labels})
            for n, labels in enumerate(rows)
        )
    )
    told = StringIO()
    call_command(
        "import_ratings",
        *(str(path), "--from", "potato", "--title", "P", "--owner", "ana", "--scale", "1-5"),
        stdout=told,
    )
    assert "1 ratings of 1 items by 1 raters on q." in told.getvalue()
    assert "Left out: 1 questions without an answer." in told.getvalue()
    assert Study.objects.get().external_source.columns["from"] == "potato"
