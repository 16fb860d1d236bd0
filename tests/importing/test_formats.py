"""CSV, TSV, XLSX and JSONL say the same; what is wrong with a file is named by its line."""

from __future__ import annotations

import datetime
import io
import json
import zipfile

import openpyxl
import pytest

from studies.importing.items import parse_items
from studies.importing.problems import Problem
from studies.importing.reports import group_problems

ROWS = [
    {"item_id": "a", "file": "a.png", "country": "NA", "replicate": 7, "has_audio": True},
    {"item_id": "b", "file": "b.png", "country": "NP", "replicate": 8.0, "has_audio": False},
]


def xlsx(rows: list[list], *, extra_sheet: bool = False) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(row)
    if extra_sheet:
        book.create_sheet("Notes").append(["nothing"])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def as_xlsx(rows: list[dict]) -> bytes:
    return xlsx([list(rows[0]), *[list(row.values()) for row in rows]], extra_sheet=True)


def as_jsonl(rows: list[dict]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def as_text(rows: list[dict], delimiter: str) -> bytes:
    lines = [list(rows[0]), *[[str(cell) for cell in row.values()] for row in rows]]
    return "\n".join(delimiter.join(line) for line in lines).replace("8.0", "8").encode()


@pytest.mark.parametrize(
    "content",
    [as_text(ROWS, ","), as_text(ROWS, "\t"), as_xlsx(ROWS), as_jsonl(ROWS)],
    ids=["csv", "tsv", "xlsx", "jsonl"],
)
def test_every_kind_of_table_gives_the_same_records(content):
    parsed = parse_items(content)
    assert parsed.problems == ()
    assert [(r.item_id, r.file, r.country, r.replicate, r.has_audio) for r in parsed.records] == [
        ("a", "a.png", "NA", "7", True),
        ("b", "b.png", "NP", "8", False),
    ]


def test_cells_of_a_spreadsheet_come_as_one_would_type_them():
    day = datetime.datetime(2026, 5, 1)
    parsed = parse_items(
        xlsx([["item_id", "file", "when", "size"], ["a", "a.png", day, 1.5], [1007, "b.png"]])
    )
    assert parsed.problems == ()
    assert parsed.records[0].metadata == {"when": "2026-05-01", "size": "1.5"}
    assert parsed.records[1].item_id == "1007"


def test_problems_of_a_spreadsheet_carry_its_own_line():
    parsed = parse_items(
        xlsx([["item_id", "file", "country"], [], ["a", "a.png", "Nepaal"], ["b", "", "NP"]])
    )
    found = [(p.line, p.field, p.wrong) for p in parsed.problems]
    assert found == [(3, "country", "Not a country"), (4, "file", "The cell is empty")]


def test_a_failed_formula_is_named():
    book = openpyxl.Workbook()
    book.active.append(["item_id", "file", "prompt"])
    book.active.append(["a", "a.png", "#N/A"])
    book.active["C2"].data_type = "e"
    buffer = io.BytesIO()
    book.save(buffer)
    (problem,) = parse_items(buffer.getvalue()).problems
    assert (problem.line, problem.field, problem.wrong) == (2, "prompt", "The formula fails here")


def test_text_outside_the_headings_is_named():
    (problem,) = parse_items(xlsx([["item_id", "file"], ["a", "a.png", "stray"]])).problems
    assert (problem.line, problem.wrong) == (2, "Column 3 holds text and has no heading")


def test_a_zip_that_is_no_spreadsheet_is_named():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.png", b"x")
    assert parse_items(buffer.getvalue()).problems[0].wrong == "This is a ZIP file, not a table"


def test_a_spreadsheet_bomb_is_refused_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr("studies.importing.formats._MAX_UNPACKED", 1000)
    (problem,) = parse_items(as_xlsx(ROWS)).problems
    assert problem.wrong == "The spreadsheet is too large to be read safely"


def test_lists_and_objects_of_json_become_text():
    row = {"item_id": "a", "file": "a.png", "sub_activities": ["clap", "turn"], "setup": {"cfg": 7}}
    (record,) = parse_items(as_jsonl([row])).records
    assert record.sub_activities == ("clap", "turn")
    assert record.metadata == {"setup": '{"cfg": 7}'}


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ('{"item_id": "b", ', "Not valid JSON"),
        ('["b"]', "The line is not a JSON object"),
        ('{"item_id": "b", "item_id": "c", "file": "b.png"}', "The key stands twice"),
        ('{"file": "b.png"}', "The cell is empty"),
    ],
)
def test_a_wrong_line_of_json_is_named_and_the_others_are_kept(line, wrong):
    parsed = parse_items(f'{{"item_id": "a", "file": "a.png"}}\n\n{line}\n'.encode())
    assert [(p.line, p.wrong) for p in parsed.problems] == [(3, wrong)]
    assert [record.item_id for record in parsed.records] == ["a"]


def test_a_mistake_in_the_first_line_of_json_is_its_own():
    parsed = parse_items(b'{"item_id": "a", "file": "a.png", "country": "Nepaal"}\n')
    assert [(p.line, p.field) for p in parsed.problems] == [(1, "country")]


def test_json_without_a_needed_key_is_named_for_the_whole_file():
    (problem,) = parse_items(b'{"file": "a.png"}\n').problems
    assert (problem.line, problem.wrong) == (0, "There is no column item_id")


@pytest.mark.parametrize(
    ("row", "field", "wrong"),
    [
        ("a,,ftp://x.org/a.png", "url", "Not a web address"),
        ("a,,https://", "url", "Not a web address"),
        ("a,,https://me:secret@x.org/a.png", "url", "The address holds a password"),
        ("a,a.png,https://x.org/a.png", "url", "Both a file and an address are given"),
        ("a,,", "file", "The cell is empty"),
    ],
)
def test_a_row_names_a_file_or_an_address(row, field, wrong):
    (problem,) = parse_items(f"item_id,file,url\n{row}\n".encode()).problems
    assert (problem.line, problem.field, problem.wrong) == (2, field, wrong)


def test_a_table_of_addresses_alone_is_fine():
    (record,) = parse_items(b"item_id,url\na,https://x.org/a.png\n").records
    assert (record.file, record.url) == ("", "https://x.org/a.png")
    assert record.source == record.url


@pytest.mark.parametrize(
    ("wrong", "label"),
    [
        ("Also on line 45", "item: Also on line …"),
        ("1,204 characters long; 300 are allowed", "item: … characters long; … are allowed"),
        ("HEVC (H.265) video: many browsers show no picture", "item: HEVC (H.265) video"),
        ("H.264 video in 10-bit (yuv420p10le): x", "item: H.264 video in 10-bit (yuv420p10le)"),
        ("H.264 video in 4:4:4 (yuv444p): x", "item: H.264 video in 4:4:4 (yuv444p)"),
        ("The picture has no area (0 × 12)", "item: The picture has no area"),
    ],
)
def test_problems_are_grouped_by_what_is_wrong_without_its_figures(wrong, label):
    (group,) = group_problems([Problem(1, "item", "", wrong, "")])
    assert group.label == label


def wrong(content: bytes) -> list[tuple[int, str, str]]:
    return [
        (problem.line, problem.field, problem.wrong) for problem in parse_items(content).problems
    ]


@pytest.mark.parametrize(
    ("line", "field", "what"),
    [
        (rb'{"item_id": "a\ud800", "file": "a.png"}', "item_id", "the character U+D800"),
        (rb'{"item_id": "a", "file": "a.png", "prompt": "\udfff"}', "prompt", "U+DFFF"),
        (rb'{"item_id": "a", "file": "a.png", "k\ud800": "x"}', "k\\ud800", "U+D800"),
        (rb'{"item_id": "a", "file": "a.png", "k\u0000": "x"}', "k\\u0000", "U+0000"),
    ],
)
def test_what_json_can_spell_and_nothing_can_store_is_named(line, field, what):
    ((_, at, sentence),) = wrong(line)
    assert at == field
    assert what in sentence


@pytest.mark.parametrize("depth", [60, 900, 100_000])
def test_a_value_nested_deeper_than_any_item_is_refused(depth):
    value = b"[" * depth + b"]" * depth
    ((_, _, sentence),) = wrong(b'{"item_id": "a", "file": "a.png", "m": ' + value + b"}")
    assert sentence == "Not valid JSON"


def saved(book: openpyxl.Workbook) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_merged_cells_of_a_sheet_are_named_since_all_but_one_would_be_empty():
    book = openpyxl.load_workbook(
        io.BytesIO(xlsx([["item_id", "file", "country"], ["a", "a.png", "NP"], ["b", "b.png"]]))
    )
    book.active.merge_cells("A1:A1")
    book.active.merge_cells("C2:C3")
    (problem,) = parse_items(saved(book)).problems
    assert (problem.line, problem.value) == (3, "C2:C3")
    assert "merged" in problem.wrong


def test_leading_zeros_that_a_sheet_shows_are_part_of_the_id():
    book = openpyxl.load_workbook(
        io.BytesIO(xlsx([["item_id", "file"], [42, "a.png"], [7, "b.png"]]))
    )
    book.active["A2"].number_format = "00000"
    assert [r.item_id for r in parse_items(saved(book)).records] == ["00042", "7"]


def test_an_empty_first_sheet_is_passed_over():
    book = openpyxl.Workbook()
    for row in (["item_id", "file"], ["a", "a.png"]):
        book.create_sheet("items") if len(book.sheetnames) == 1 else None
        book["items"].append(row)
    assert [r.item_id for r in parse_items(saved(book)).records] == ["a"]
