"""Files for translators go out and come back equal, and bad ones are refused in words."""

import csv
import io

import pytest

from studies.words.exchange import (
    UnreadableTranslations,
    from_csv,
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
    assert from_csv(to_csv(HARD).encode()) == WANTED


def test_csv_holds_no_cell_that_a_spreadsheet_would_calculate():
    rows = list(csv.reader(io.StringIO(to_csv(HARD).lstrip("\ufeff"))))
    assert len(rows) == len(HARD) + 1
    assert not [cell for row in rows for cell in row if cell[:1] in tuple("=+-@")]


def test_csv_saved_with_semicolons_is_read():
    text = "key;where;source;translation\r\na;Title;One;یک\r\n"
    assert from_csv(text.encode("utf-8-sig")) == {"a": "یک"}


def test_xliff_comes_back_equal_with_its_language():
    document = to_xliff(HARD, source="en", target="fa", study="weddings")
    assert from_xliff(document) == ("fa", WANTED)


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
        (b"anything", "t.docx", "Choose a .csv or .xlf file"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(content, name, why):
    with pytest.raises(UnreadableTranslations, match=why):
        read_translations(content, name, language="fa")


def test_a_file_for_another_language_is_refused():
    document = to_xliff(HARD, source="en", target="ar", study="weddings")
    with pytest.raises(UnreadableTranslations, match="for ar, but this page is for fa"):
        read_translations(document, "t.xlf", language="fa")
