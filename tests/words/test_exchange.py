"""Files for translators go out and come back equal, and bad ones are refused in words."""

import csv
import io

import openpyxl
import pytest

from studies.words.exchange import (
    XLIFF,
    UnreadableTranslations,
    from_table,
    from_xliff,
    read_translations,
    to_csv,
    to_xliff,
)
from studies.words.texts import Text
from studies.words.translating import Entry

HARD = [
    Entry(Text("a", "Title", 'Quotes " and , commas', 200), '«گفت» "و"؛,', False),
    Entry(Text("b", "Two lines", "One\nTwo"), "یک\nدو", False),
    Entry(Text("c", "Formula", "=1+1"), "=HYPERLINK()", False),
    Entry(Text("d", "Apostrophe", "'tis"), "'=x", False),
    Entry(Text("e", "Markup", "<b> & ]]>"), "<i> & ]]>", True),
    Entry(Text("f", "Missing", "Hello"), "", False),
    Entry(Text("g", "Emoji", "👍"), "👍 አማርኛ", False),
]
WANTED = {entry.text.key: entry.translation for entry in HARD}


def test_csv_comes_back_equal():
    assert from_table(to_csv(HARD).encode()) == WANTED


def test_csv_holds_no_cell_that_a_spreadsheet_would_calculate():
    rows = list(csv.reader(io.StringIO(to_csv(HARD).lstrip("\ufeff"))))
    assert len(rows) == len(HARD) + 1
    assert not [cell for row in rows for cell in row if cell[:1] in tuple("=+-@")]


def test_csv_saved_with_semicolons_is_read():
    text = "key;where;source;translation\r\na;Title;One;یک\r\n"
    assert from_table(text.encode("utf-8-sig")) == {"a": "یک"}


def test_xliff_comes_back_equal_with_its_language():
    document = to_xliff(HARD, source="en", target="fa", study="weddings")
    returned = from_xliff(document)
    assert (returned.language, returned.texts) == ("fa", WANTED)


def test_xliff_says_what_is_missing_what_is_stale_and_how_long_a_text_may_be():
    document = to_xliff(HARD, source="en", target="fa", study="weddings").decode()
    assert document.count('state="needs-translation"') == 1
    assert document.count('state="needs-review-translation"') == 1
    assert 'maxwidth="200"' in document


@pytest.mark.parametrize(
    ("content", "name", "why"),
    [
        (b"\xff\xfe\x00k", "t.csv", "not UTF-8"),
        (b"one,two\n1,2\n", "t.csv", "columns key and translation"),
        (b"key,translation\n", "t.csv", "at least one row"),
        (b"key,translation\na,x\na,y\n", "t.csv", "Row 3: a stands twice"),
        (b"key,translation\n,x\n", "t.csv", "Row 2 has a translation, but no key"),
        (b"<xliff", "t.xlf", "not XML"),
        (b"<html/>", "t.xlf", "not XLIFF 1.2"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "t.xlf", "entities"),
        (b"anything", "t.docx", "Choose a .csv, .xlsx or .xlf file"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(content, name, why):
    with pytest.raises(UnreadableTranslations, match=why):
        read_translations(content, name, language="fa")


def test_a_file_for_another_language_is_refused():
    document = to_xliff(HARD, source="en", target="ar", study="weddings")
    with pytest.raises(UnreadableTranslations, match="for ar, but this page is for fa"):
        read_translations(document, "t.xlf", language="fa")


def xliff(units: str, *, language: str = "fa", encoding: str = "utf-8") -> bytes:
    """A document as other tools write it: with a prefix, notes, elements of their own."""
    return (
        f'<?xml version="1.0" encoding="{encoding}"?>\n'
        f'<x:xliff version="1.2" xmlns:x="{XLIFF}" xmlns:m="urn:a-tool">'
        f'<x:file original="s" source-language="en" target-language="{language}" '
        'datatype="plaintext"><x:header><m:tool/></x:header>'
        f"<x:body><x:group>{units}</x:group></x:body></x:file></x:xliff>"
    ).encode(encoding)


@pytest.mark.parametrize(
    ("unit", "wanted"),
    [
        ("<x:source>Hi</x:source><x:target>سلام</x:target><x:note>n</x:note>", "سلام"),
        (
            '<x:source>Hi <x:g id="1">you</x:g></x:source>'
            '<x:target>سلام <x:g id="1">تو</x:g><x:x id="2"/>!</x:target>',
            "سلام تو!",
        ),
        (
            '<x:source>Hi</x:source><x:seg-source><x:mrk mtype="seg">Hi</x:mrk></x:seg-source>'
            '<x:target><x:mrk mtype="seg" mid="0">سلام</x:mrk></x:target>'
            "<x:alt-trans><x:target>درود</x:target></x:alt-trans>",
            "سلام",
        ),
        ('<x:source>Hi</x:source><x:target state="new">Hi</x:target>', ""),
        ('<x:source>Hi</x:source><x:target state="needs-translation">سلام</x:target>', "سلام"),
        ('<x:source>Hi</x:source><x:target state="translated">Hi</x:target>', "Hi"),
        ("<x:source>Hi</x:source>", ""),
    ],
)
def test_what_translators_tools_write_is_understood(unit, wanted):
    document = xliff(f'<x:trans-unit id="a">{unit}</x:trans-unit>')
    assert from_xliff(document).texts == {"a": wanted}


@pytest.mark.parametrize(
    ("attributes", "state", "confirmed"),
    [
        ('approved="yes"', "needs-review-translation", True),
        ("", "final", True),
        ("", "translated", True),
        ('approved="no"', "needs-review-translation", False),
    ],
)
def test_what_a_translator_has_approved_is_confirmed(attributes, state, confirmed):
    target = f'<x:source>Hi</x:source><x:target state="{state}">سلام</x:target>'
    document = xliff(f'<x:trans-unit id="a" {attributes}>{target}</x:trans-unit>')
    assert from_xliff(document).confirmed == ({"a"} if confirmed else set())


@pytest.mark.parametrize(
    ("named", "page"), [("fa-IR", "fa"), ("fa_IR", "fa"), ("pt-BR", "pt-br"), ("zh-CN", "zh-hans")]
)
def test_a_tool_may_name_the_language_with_its_region(named, page):
    unit = '<x:trans-unit id="a"><x:source>Hi</x:source><x:target>x</x:target></x:trans-unit>'
    assert read_translations(xliff(unit, language=named), "t.xlf", language=page).texts == {
        "a": "x"
    }


def test_entities_are_refused_in_any_encoding():
    document = xliff("", encoding="utf-16").decode("utf-16")
    head, _, rest = document.partition("\n")
    hidden = f'{head}<!DOCTYPE x [<!ENTITY a "b">]>{rest}'.encode("utf-16")
    with pytest.raises(UnreadableTranslations, match="entities"):
        from_xliff(hidden)


def test_a_character_that_xml_cannot_hold_is_left_out():
    document = to_xliff(
        [Entry(Text("a", "Title", "One\x0b\x1f\ufffe"), "یک\x01", False)],
        source="en",
        target="fa",
        study="s",
    )
    assert from_xliff(document).texts == {"a": "یک"}


def test_a_table_that_was_saved_as_a_spreadsheet_comes_back_equal():
    book = openpyxl.Workbook()
    for row in csv.reader(io.StringIO(to_csv(HARD).lstrip("\ufeff"))):
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    assert read_translations(buffer.getvalue(), "t.xlsx", language="fa").texts == WANTED


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"key,translation\na,one,two\n", "Line 2: The row has 3 cells"),
        (b'key,translation\na,"x\n', "Line 2: A quotation mark"),
        ("key;translation\na;é\n".encode("cp1252"), "Line 2: Byte 0xE9 is not UTF-8"),
    ],
)
def test_a_damaged_table_is_refused_with_its_line(content, why):
    with pytest.raises(UnreadableTranslations, match=why):
        from_table(content)


def test_a_line_that_names_the_delimiter_is_passed_over():
    assert from_table("sep=;\nKey;Translation\na;یک\n".encode()) == {"a": "یک"}
