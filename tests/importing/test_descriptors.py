"""Reading descriptors from JSONL: what is accepted, and how every mistake is named."""

from __future__ import annotations

import json

import pytest

from studies.importing.countries import country_names, nearest_country, resolve_country
from studies.importing.descriptors import DescriptorRecord, parse_descriptors

ITEMS = frozenset({"np-001", "np-002", "de-001"})
REFERENCE = {
    "kind": "reference",
    "activity": "greeting",
    "country": "NP",
    "dimension": "attire",
    "token": "woven cap",
}
PREDICTED = {"kind": "predicted", "item_id": "np-001", "dimension": "objects", "token": "oil lamp"}
STEREOTYPE = {"kind": "stereotype", "country": "Nepal", "token": "snowy peak"}


def jsonl(*objects: dict[str, object]) -> str:
    return "\n".join(json.dumps(one) for one in objects) + "\n"


def parse(*objects: dict[str, object]):
    return parse_descriptors(jsonl(*objects), item_ids=ITEMS)


def only_problem(*objects: dict[str, object]):
    parsed = parse(*objects)
    assert len(parsed.problems) == 1, parsed.problems
    return parsed.problems[0]


def test_each_kind_is_read_with_the_fields_it_needs_and_blanks_for_the_rest():
    parsed = parse(REFERENCE, PREDICTED, STEREOTYPE)
    assert parsed.problems == ()
    assert parsed.records[0] == DescriptorRecord(
        1, "reference", "greeting", "NP", "", "attire", "woven cap", "", ""
    )
    assert parsed.records[1] == DescriptorRecord(
        2, "predicted", "", "", "np-001", "objects", "oil lamp", "", ""
    )
    assert parsed.records[2] == DescriptorRecord(
        3, "stereotype", "", "NP", "", "", "snowy peak", "", ""
    )


def test_choices_are_read_in_any_case_and_texts_without_outer_blanks():
    parsed = parse(
        REFERENCE
        | {
            "kind": " Reference ",
            "dimension": "ATTIRE",
            "style": "Traditional",
            "token": "  woven cap ",
            "source": " proposer A ",
            "country": " np ",
        }
    )
    record = parsed.records[0]
    assert (record.kind, record.dimension, record.style) == ("reference", "attire", "traditional")
    assert (record.token, record.source, record.country) == ("woven cap", "proposer A", "NP")


def test_null_means_not_given_and_blank_lines_count_but_say_nothing():
    text = "\n\n" + jsonl(PREDICTED | {"activity": None, "style": None}) + "   \n"
    parsed = parse_descriptors(text, item_ids=ITEMS)
    assert parsed.problems == ()
    assert parsed.records[0].line == 3


def test_bytes_with_a_byte_order_mark_and_windows_line_ends_are_read():
    content = b"\xef\xbb\xbf" + jsonl(REFERENCE, PREDICTED).replace("\n", "\r\n").encode()
    parsed = parse_descriptors(content, item_ids=ITEMS)
    assert parsed.problems == ()
    assert [record.line for record in parsed.records] == [1, 2]


def test_a_line_separator_inside_a_text_does_not_end_the_line():
    line = json.dumps(PREDICTED | {"token": "oil\u2028lamp"}, ensure_ascii=False)
    parsed = parse_descriptors(line, item_ids=ITEMS)
    assert parsed.records[0].token == "oil\u2028lamp"


def test_an_empty_file_is_a_problem_of_the_whole_file():
    for content in ("", "\n \n", b""):
        parsed = parse_descriptors(content, item_ids=ITEMS)
        assert parsed.problems[0].line == 0
        assert "no descriptors" in parsed.problems[0].wrong


def test_broken_json_names_line_and_column_and_the_other_lines_are_still_read():
    text = jsonl(REFERENCE) + '  {"kind": "reference",}\n' + jsonl(PREDICTED)
    parsed = parse_descriptors(text, item_ids=ITEMS)
    assert [record.line for record in parsed.records] == [1, 3]
    (problem,) = parsed.problems
    assert problem.line == 2
    assert "column 24" in problem.wrong or "column 23" in problem.wrong
    assert str(problem).startswith("Line 2: ")


@pytest.mark.parametrize("line", ["[]", '"text"', "12", "null", "true"])
def test_a_line_that_is_no_object_is_a_problem(line):
    (problem,) = parse_descriptors(line, item_ids=ITEMS).problems
    assert problem.wrong == "The line is not a JSON object"


@pytest.mark.parametrize("line", ["[" * 15_000, '{"token": ' + "1" * 6_000 + "}"])
def test_json_that_exhausts_the_reader_is_a_problem_and_no_crash(line):
    (problem,) = parse_descriptors(line, item_ids=ITEMS).problems
    assert problem.line == 1
    assert "cannot be read" in problem.wrong


def test_an_endless_line_is_a_problem_and_its_value_is_shown_short():
    (problem,) = parse_descriptors("x" * 50_000, item_ids=ITEMS).problems
    assert "50000 characters" in problem.wrong
    assert len(problem.value) <= 60


def test_bytes_that_are_not_utf8_name_the_line_and_the_byte():
    content = jsonl(REFERENCE).encode() + '{"token": "é"}'.encode("latin-1")
    parsed = parse_descriptors(content, item_ids=ITEMS)
    assert len(parsed.records) == 1
    assert parsed.problems[0].line == 2
    assert "Byte 12" in parsed.problems[0].wrong


def test_an_unknown_key_is_named_with_the_nearest_known_one():
    problem = only_problem(PREDICTED | {"tokens": "x"})
    assert (problem.field, problem.value) == ("tokens", "x")
    assert "“token”" in problem.fix


def test_an_unknown_key_that_is_near_to_none_lists_the_known_ones():
    problem = only_problem(PREDICTED | {"zzz": {"a": 1}})
    assert problem.field == "zzz"
    assert "item_id" in problem.fix and "dimension" in problem.fix


def test_a_key_that_stands_twice_is_a_problem():
    line = json.dumps(PREDICTED)[:-1] + ', "token": "other"}'
    (problem,) = parse_descriptors(line, item_ids=ITEMS).problems
    assert (problem.field, problem.value) == ("token", "other")
    assert "twice" in problem.wrong


@pytest.mark.parametrize("value", [3, 1.5, True, ["a"], {"a": "b"}])
def test_a_value_that_is_no_text_is_a_problem(value):
    problem = only_problem(PREDICTED | {"token": value})
    assert (problem.field, problem.wrong) == ("token", "Not a text")


def test_control_characters_and_lone_surrogates_are_named_by_code_point():
    assert "U+0000" in only_problem(PREDICTED | {"token": "a\0b"}).wrong
    assert "U+D800" in only_problem(PREDICTED | {"source": "a\ud800b"}).wrong


@pytest.mark.parametrize("kind", ["", None])
def test_a_missing_kind_is_a_problem(kind):
    problem = only_problem(PREDICTED | {"kind": kind})
    assert (problem.field, problem.wrong) == ("kind", "Missing")


def test_an_unknown_kind_is_a_problem_with_the_nearest_kind():
    problem = only_problem(PREDICTED | {"kind": "prediction"})
    assert (problem.field, problem.value) == ("kind", "prediction")
    assert "“predicted”" in problem.fix


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (REFERENCE, "activity"),
        (REFERENCE, "country"),
        (REFERENCE, "dimension"),
        (PREDICTED, "item_id"),
        (PREDICTED, "dimension"),
        (STEREOTYPE, "country"),
        (REFERENCE, "token"),
        (PREDICTED, "token"),
        (STEREOTYPE, "token"),
    ],
)
@pytest.mark.parametrize("blank", [None, "", "  "])
def test_a_field_that_the_kind_needs_is_missed(line, field, blank):
    problem = only_problem(line | {field: blank})
    assert problem.field == field
    assert problem.wrong.startswith("Missing")
    assert problem.fix


@pytest.mark.parametrize("line", [REFERENCE, STEREOTYPE])
def test_an_item_id_is_forbidden_where_the_kind_belongs_to_no_item(line):
    problem = only_problem(line | {"item_id": "np-001"})
    assert (problem.field, problem.value) == ("item_id", "np-001")
    assert "belongs to no item" in problem.wrong


def test_an_unknown_item_id_is_a_problem_with_the_nearest_id():
    problem = only_problem(PREDICTED | {"item_id": "np-0001"})
    assert problem.value == "np-0001"
    assert "“np-001”" in problem.fix
    assert "Import the item" in only_problem(PREDICTED | {"item_id": "zzzz"}).fix


def test_an_unknown_dimension_or_style_is_a_problem_with_the_nearest():
    problem = only_problem(PREDICTED | {"dimension": "object"})
    assert (problem.field, problem.value) == ("dimension", "object")
    assert "“objects”" in problem.fix
    problem = only_problem(STEREOTYPE | {"style": "modernist"})
    assert problem.field == "style"
    assert "“modern”" in problem.fix


def test_a_country_that_is_none_is_a_problem_with_the_nearest_name():
    problem = only_problem(STEREOTYPE | {"country": "Nepel"})
    assert (problem.field, problem.value) == ("country", "Nepel")
    assert "Nepal (NP)" in problem.fix


def test_a_predicted_descriptor_may_name_a_country_but_not_a_wrong_one():
    assert parse(PREDICTED | {"country": "Nepal"}).records[0].country == "NP"
    assert only_problem(PREDICTED | {"country": "ZZ"}).field == "country"


def test_a_text_of_200_characters_is_allowed_and_one_more_is_not():
    assert parse(PREDICTED | {"token": "x" * 200}).problems == ()
    problem = only_problem(PREDICTED | {"token": "x" * 201})
    assert problem.field == "token"
    assert "201 characters" in problem.wrong


def test_lines_that_say_the_same_are_named_and_only_the_first_is_kept():
    parsed = parse(REFERENCE, PREDICTED, REFERENCE | {"country": "Nepal"}, REFERENCE)
    assert [record.line for record in parsed.records] == [1, 2]
    assert [(problem.line, problem.wrong) for problem in parsed.problems] == [
        (3, "This line says the same as line 1"),
        (4, "This line says the same as line 1"),
    ]


def test_the_same_token_from_another_source_is_not_a_duplicate():
    parsed = parse(REFERENCE | {"source": "A"}, REFERENCE | {"source": "B"})
    assert len(parsed.records) == 2


def test_every_mistake_of_a_line_is_named_in_the_order_of_the_keys():
    parsed = parse({"kind": "reference", "country": "Atlantis", "style": "old", "tokn": "x"})
    assert parsed.records == ()
    fields = [problem.field for problem in parsed.problems]
    assert fields == ["activity", "country", "dimension", "token", "style", "tokn"]
    assert all(problem.wrong and problem.fix for problem in parsed.problems)


def test_every_line_is_either_a_record_or_named():
    lines = [REFERENCE, {}, PREDICTED, {"kind": "x"}, STEREOTYPE, PREDICTED]
    parsed = parse(*lines)
    named = {record.line for record in parsed.records} | {p.line for p in parsed.problems}
    assert named == set(range(1, 7))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("NA", "NA"),
        ("na", "NA"),
        ("Namibia", "NA"),
        (" nepal ", "NP"),
        ("Türkiye", "TR"),
        ("Turkey", "TR"),
        ("cote d'ivoire", "CI"),
        ("Côte d’Ivoire", "CI"),
        ("Ivory Coast", "CI"),
        ("The Gambia", "GM"),
        ("Bosnia and Herzegovina", "BA"),
        ("Saint Lucia", "LC"),
        ("USA", "US"),
        ("U.K.", "GB"),
        ("Hong Kong", "HK"),
        ("Myanmar", "MM"),
        ("Kosovo", "XK"),
        ("Niger", "NE"),
        ("Congo", None),
        ("EU", None),
        ("ZZ", None),
        ("", None),
        ("Atlantis", None),
    ],
)
def test_countries_are_resolved_from_codes_and_english_names(text, code):
    assert resolve_country(text) == code


def test_every_code_and_every_name_of_the_list_resolves_to_itself():
    assert len(country_names()) == 250
    for code, name in country_names().items():
        assert resolve_country(code) == code
        assert resolve_country(name) == code


def test_the_nearest_country_is_named_with_its_code_or_not_at_all():
    assert nearest_country("Untied States") == "United States (US)"
    assert nearest_country("Korea") == "North Korea (KP) or South Korea (KR)"
    assert nearest_country("xqzzw") is None
    assert nearest_country("zz") is None


def test_a_candidate_is_of_a_scene_like_a_reference():
    parsed = parse(REFERENCE | {"kind": "candidate", "source": "proposer A"})
    assert parsed.problems == ()
    assert parsed.records[0].kind == "candidate"
    problem = only_problem(REFERENCE | {"kind": "candidate", "activity": ""})
    assert problem.fix == "Say which activity the candidate belongs to."


def test_that_somebody_looked_and_saw_nothing_is_a_line_without_a_token():
    look = {"kind": "described", "item_id": "np-001", "dimension": "attire", "source": "eye"}
    parsed = parse(look)
    assert parsed.problems == ()
    assert (parsed.records[0].kind, parsed.records[0].token) == ("described", "")
    assert only_problem(look | {"token": "cap"}).field == "token"
    assert only_problem(look | {"item_id": ""}).field == "item_id"
