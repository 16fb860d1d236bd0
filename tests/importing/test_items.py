"""The table of items: every mistake named by line, field and reason; nothing guessed."""

from pathlib import Path

import pytest

from studies.importing.items import ITEMS, ORIGINS, VARIANTS, parse_items
from studies.models import Item, System


def parse(text: str, **options):
    return parse_items(text.encode(), **options)


def found(text: str | bytes, **options) -> list[tuple[int, str, str]]:
    content = text if isinstance(text, bytes) else text.encode()
    parsed = parse_items(content, **options)
    return [(problem.line, problem.field, problem.wrong) for problem in parsed.problems]


def test_a_full_row_becomes_a_record():
    parsed = parse(
        "item_id,file,kind,prompt,country,category,system,scenario,variant,replicate,origin,"
        "parent,aspect,cultural_element,element_picture,sub_activities,has_audio,duration,note\n"
        "a,x/a.png,image,A dance,Nepal,dance,Model A,circle dance,Country removed,7,real,,steps,"
        "drum,drum.png,clap | turn; bow,no,4.5,mine\n"
    )
    assert parsed.problems == ()
    (record,) = parsed.records
    assert (record.line, record.item_id, record.file) == (2, "a", "x/a.png")
    assert (record.country, record.variant, record.origin) == ("NP", "country-removed", "real")
    assert record.sub_activities == ("clap", "turn", "bow")
    assert (record.has_audio, record.duration) == (False, 4.5)
    assert record.metadata == {"note": "mine"}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_delimiter_byte_order_mark_and_line_ends_are_recognised(delimiter, mark, ending):
    lines = [["item_id", "file", "prompt"], ["a", "a.png", '"one, two; three"'], ["b", "b.png", ""]]
    text = ending.join(delimiter.join(line) for line in lines) + ending
    parsed = parse_items(mark + text.encode())
    assert parsed.problems == ()
    assert [record.item_id for record in parsed.records] == ["a", "b"]
    assert parsed.records[0].prompt == "one, two; three"


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_line_that_names_the_delimiter_is_passed_over_and_counts(first, mark):
    content = mark + f"{first}\r\nitem_id;file\r\na;a.png\r\nb;\r\n".encode()
    parsed = parse_items(content)
    assert [record.item_id for record in parsed.records] == ["a"]
    assert found(content) == [(4, "file", "The cell is empty")]


def test_ids_that_differ_in_capitals_are_two_items():
    parsed = parse("item_id,file\na,a.png\nA,A.png\n")
    assert [record.item_id for record in parsed.records] == ["a", "A"]


def test_na_is_namibia_and_an_empty_country_stays_empty():
    parsed = parse("item_id,file,country\na,a.png,NA\nb,b.png,\n")
    assert [record.country for record in parsed.records] == ["NA", ""]


def test_other_headings_are_mapped_and_shown():
    parsed = parse("Item ID,Media File,Model,Seed,Activity,Colour\na,a.png,M,3,dance,red\n")
    assert [(c.heading, c.field) for c in parsed.columns] == [
        ("Item ID", "item_id"),
        ("Media File", "file"),
        ("Model", "system"),
        ("Seed", "replicate"),
        ("Activity", "scenario"),
        ("Colour", ""),
    ]
    assert parsed.records[0].metadata == {"Colour": "red"}


def test_a_fields_own_name_wins_over_another_word_for_it():
    parsed = parse("item_id,file,image,id\na,a.png,old.png,9\n")
    assert parsed.records[0].file == "a.png"
    assert parsed.records[0].metadata == {"image": "old.png", "id": "9"}


@pytest.mark.parametrize(
    ("header", "field", "wrong"),
    [
        ("file,prompt", "item_id", "There is no column item_id"),
        ("item_id,prompt", "file", "There is no column file"),
        ("item_id,file,note,note", "note", "This heading stands twice"),
        ("item_id,file,file", "file", "This heading stands twice"),
        ("item_id,image,picture", "picture", "“image” and “picture” both mean file"),
    ],
)
def test_a_wrong_header_is_named_at_line_1(header, field, wrong):
    row = ",".join("x" for _ in header.split(","))
    assert found(f"{header}\n{row}\n") == [(1, field, wrong)]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"  \r\n"])
def test_an_empty_file_is_named(content):
    assert [wrong for _, _, wrong in found(content)] == ["The file is empty"]


def test_a_header_alone_is_named():
    assert found("item_id,file\n") == [(0, "", "The file has a header and no rows")]


def test_a_damaged_spreadsheet_is_named():
    assert found(b"PK\x03\x04\x14\x00")[0][2] == "The spreadsheet is damaged"


def test_utf16_is_named_with_its_byte():
    (problem,) = parse_items("item_id,file\na,a.png\n".encode("utf-16")).problems
    assert problem.wrong == "The file is UTF-16, not UTF-8"
    assert problem.value == "byte 0xFF"
    assert "UTF-8" in problem.fix


def test_a_byte_that_is_not_utf8_is_named_by_cell():
    content = "item_id,file\na,a.png\nb,café.png\n".encode("cp1252")
    (problem,) = parse_items(content).problems
    assert (problem.line, problem.field, problem.value) == (3, "file", "café.png")
    assert problem.wrong == "Byte 0xE9 is not UTF-8"
    assert "UTF-8" in problem.fix


def test_a_nul_byte_is_named():
    assert found(b"item_id,file\na,a\0.png\n") == [(2, "file", "Contains a NUL byte")]


def test_ragged_rows_are_named_and_trailing_empty_cells_are_not():
    text = "item_id,file,prompt\na,a.png\nb,b.png,x,,\nc,c.png,x,y\n"
    assert found(text) == [
        (2, "", "The row has 2 cells, the header has 3"),
        (4, "", "The row has 4 cells, the header has 3"),
    ]


def test_a_line_is_where_the_record_starts_and_blank_lines_count():
    text = 'item_id,file,prompt,country\na,a.png,"one\ntwo\nthree",Nepaal\n\nb,b.png,,Nepaal\n'
    assert [(line, field) for line, field, _ in found(text)] == [(2, "country"), (6, "country")]


def test_an_unclosed_quotation_mark_is_named_where_it_opens():
    ((line, _, wrong),) = found('item_id,file\na,a.png\nb,"b.png\nc,c.png\n')
    assert line == 3
    assert "never closed" in wrong


def test_a_cell_of_endless_length_is_named():
    ((line, _, wrong),) = found("item_id,file,prompt\na,a.png," + "x" * 140_000 + "\n")
    assert line == 2
    assert "131,072" in wrong


def test_double_ids_name_each_others_line():
    assert found("item_id,file\na,a.png\nb,b.png\na,c.png\n") == [
        (2, "item_id", "Also on line 4"),
        (4, "item_id", "Also on line 2"),
    ]


def test_empty_required_cells_are_named():
    assert found("item_id,file,prompt\n,a.png,x\nb,,x\n") == [
        (2, "item_id", "The cell is empty"),
        (3, "file", "The cell is empty"),
    ]


@pytest.mark.parametrize(
    ("field", "value", "wrong", "fix"),
    [
        ("country", "Nepaal", "Not a country", "Did you mean Nepal (NP)?"),
        ("country", "Atlantis", "Not a country", "Give a two-letter code or an English name."),
        ("kind", "smell", "Not a known kind", "Write image, video or audio."),
        ("origin", "reel", "Not a known origin", "Did you mean real?"),
        ("variant", "basic", "Not a known variant", "Allowed: base, extended"),
        ("has_audio", "perhaps", "Neither yes nor no", "Write yes or no."),
        ("duration", '"4,5"', "Not a length in seconds", "4.5"),
        ("duration", "nan", "Not a length in seconds", "4.5"),
        ("duration", "-1", "Not a length in seconds", "4.5"),
        ("system", "x" * 121, "121 characters long; 120 are allowed", "Shorten it."),
        ("system", '"a\nb"', "Contains a line break", "Delete it."),
        ("scenario", "a\x07b", "Contains the character U+0007", "Delete it."),
        ("parent", "zz", "No item has this id", "Name an item"),
        ("parent", "a", "The item would be its own ancestor: a → a", "An original has no parent"),
    ],
)
def test_a_wrong_value_is_named_with_its_fix(field, value, wrong, fix):
    (problem,) = parse(f"item_id,file,{field}\na,a.png,{value}\n").problems
    assert (problem.line, problem.field, problem.wrong) == (2, field, wrong)
    assert fix in problem.fix


def test_every_mistake_of_a_row_is_named_and_right_rows_are_kept():
    parsed = parse("item_id,file,country,origin\na,,Nepaal,reel\nb,b.png,NP,real\n")
    assert [problem.field for problem in parsed.problems] == ["file", "country", "origin"]
    assert [record.item_id for record in parsed.records] == ["b"]
    assert parsed.n_rows == 2


def test_invisible_characters_of_a_wrong_value_are_made_visible():
    (problem,) = parse("item_id,file,country\na,a.png, Nepaal  \n").problems
    assert problem.value == "·Nepaal··"


def test_a_parent_may_stand_below_or_be_in_the_study_already():
    text = "item_id,file,parent\nb,b.png,a\na,a.png,\nc,c.png,old\n"
    parsed = parse(text, parents={"old": ""})
    assert parsed.problems == ()
    assert [record.origin for record in parsed.records] == ["edited", "generated", "edited"]


def test_a_circle_of_parents_is_refused_also_through_the_study():
    text = "item_id,file,parent\na,a.png,old\n"
    ((line, _, wrong),) = found(text, parents={"old": "a", "a": ""})
    assert (line, wrong) == (2, "The item would be its own ancestor: a → old → a")


def test_an_item_below_a_circle_is_not_blamed_for_it():
    text = "item_id,file,parent\na,a.png,b\nb,b.png,a\nc,c.png,a\n"
    assert [line for line, _, _ in found(text)] == [2, 3]


def test_spellings_that_differ_in_capitals_are_a_warning():
    parsed = parse("item_id,file,system\na,a.png,SDXL\nb,b.png,sdxl\nc,c.png,SDXL\n")
    assert parsed.problems == ()
    (warning,) = parsed.warnings
    assert "“SDXL” (2), “sdxl” (1)" in warning


def test_limits_and_choices_are_those_of_the_database():
    for name, limit in ITEMS.max_lengths.items():
        model, column = (System, "name") if name == "system" else (Item, name)
        column = {"item_id": "external_id", "file": "source_name", "url": "source_url"}.get(
            column, column
        )
        stored = model._meta.get_field(column).max_length
        assert stored is None or stored == limit, name
    assert set(Item.Origin.values) == set(ORIGINS)
    assert set(Item.Variant.values) == set(VARIANTS)
    assert set(ITEMS.max_lengths) - {"metadata"} <= set(ITEMS.headings)


def test_the_example_file_has_no_mistake():
    example = Path(__file__).parents[2] / "fixtures" / "example_items.csv"
    parsed = parse_items(example.read_bytes())
    assert parsed.problems == ()
    assert len(parsed.records) == 5


def test_an_id_is_the_same_however_its_letters_are_composed():
    table = "item_id,file\ncafe\u0301,a.png\ncaf\u00e9,b.png\n".encode()
    assert [p.wrong for p in parse_items(table).problems] == ["Also on line 3", "Also on line 2"]


def test_invisible_blanks_around_an_id_do_not_count():
    table = "item_id,file\n\u200ba\ufeff,\u00a0a.png\n".encode()
    (record,) = parse_items(table).records
    assert (record.item_id, record.file) == ("a", "a.png")


def test_ids_that_a_spreadsheet_has_changed_are_a_warning():
    parsed = parse_items(b"item_id,file\n1E+05,a.png\n01-Mar,b.png\n1e5,c.png\n")
    (warning,) = parsed.warnings
    assert warning.startswith("item_id: 1E+05 and 01-Mar may be")


def test_near_names_are_looked_for_in_the_first_rows_only():
    rows = "".join(f"i{n},a.png,Nepaal{n}\n" for n in range(600))
    problems = parse_items(f"item_id,file,country\n{rows}".encode()).problems
    assert len(problems) == 600
    assert problems[0].fix == "Did you mean Nepal (NP)?"
    assert problems[-1].fix == "Give a two-letter code or an English name."
