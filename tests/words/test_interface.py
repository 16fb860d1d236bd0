"""The catalogues of the annotators' interface: whole, compiled, and true to what they translate."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.template import Context, Template
from django.utils import translation

from annotation.unit_facts import UnitFacts
from studies.models import Item

ROOT = Path(settings.BASE_DIR)
TRANSLATED = ("am", "fa")
LANGUAGES = [code for code, _ in settings.LANGUAGES]
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+\}|%%|</?\w+>")


def catalogue(code: str) -> polib.POFile:
    return polib.pofile(str(ROOT / "locale" / code / "LC_MESSAGES" / "django.po"))


def said(row: polib.POEntry) -> list[str]:
    return list(row.msgstr_plural.values()) if row.msgid_plural else [row.msgstr]


def asked(row: polib.POEntry) -> list[str]:
    """The original of each form of the translation, in its order."""
    if not row.msgid_plural:
        return [row.msgid]
    return [row.msgid, *[row.msgid_plural] * (len(row.msgstr_plural) - 1)]


def without_percent(placeholders: list[str]) -> set[str]:
    """Persian has a percent sign of its own, so that %% need not survive."""
    return set(placeholders) - {"%%"}


# ---- catalogues


def test_every_folder_of_words_is_a_language_of_the_interface():
    folders = {path.name for path in (ROOT / "locale").iterdir() if path.is_dir()}

    assert folders == set(TRANSLATED)
    assert folders <= {translation.to_locale(code) for code in LANGUAGES}


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_sentence_is_translated_and_none_is_a_guess(code):
    words = catalogue(code)

    assert [row.msgid for row in words if not all(said(row)) or row.fuzzy] == []
    assert words.obsolete_entries() == []
    assert not words.metadata_is_fuzzy


@pytest.mark.parametrize("code", TRANSLATED)
def test_what_is_filled_in_stands_in_every_translation(code):
    for row in catalogue(code):
        for original, translated in zip(asked(row), said(row), strict=True):
            wanted = without_percent(PLACEHOLDER.findall(original))
            assert without_percent(PLACEHOLDER.findall(translated)) == wanted, row.msgid


@pytest.mark.parametrize("code", TRANSLATED)
def test_a_sentence_ends_like_its_original(code):
    """A full stop, a colon or a question mark is neither lost nor made up."""
    ends = {".": ".።", "?": "?؟", ":": ":፦"}
    for row in catalogue(code):
        for original, translated in zip(asked(row), said(row), strict=True):
            last, same = original[-1], ends.get(original[-1])
            if same:
                assert translated[-1] in same, f"{row.msgid}: lost {last}"
            else:
                assert translated[-1] not in ".።:፦" or code == "fa", row.msgid


@pytest.mark.parametrize("code", TRANSLATED)
def test_the_header_names_the_language_and_its_plural(code):
    header = catalogue(code).metadata

    assert header["Language"] == code
    assert header["Plural-Forms"] == "nplurals=2; plural=(n > 1);"
    assert "charset=UTF-8" in header["Content-Type"]


@pytest.mark.parametrize("code", TRANSLATED)
def test_the_compiled_catalogue_is_the_written_one(code):
    """A bare machine has no gettext: what is compiled is part of the repository."""
    folder = ROOT / "locale" / code / "LC_MESSAGES"

    compiled = {row.msgid: said(row) for row in polib.mofile(str(folder / "django.mo"))}

    assert compiled == {row.msgid: said(row) for row in catalogue(code)}


def test_the_languages_have_the_same_sentences():
    assert {row.msgid for row in catalogue("fa")} == {row.msgid for row in catalogue("am")}


@pytest.mark.skipif(shutil.which("xgettext") is None, reason="gettext (xgettext) is not installed")
def test_every_marked_sentence_is_in_the_catalogues(tmp_path):
    """The sources are collected as ``make messages`` does it, in a copy."""
    command = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "messages"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    ignored = re.findall(r"--ignore '([^']+)'", command)
    for part in ("annotation", "templates"):
        shutil.copytree(
            ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__", ".*")
        )
    (tmp_path / "locale" / "fa" / "LC_MESSAGES").mkdir(parents=True)
    subprocess.run(
        [
            *(str(ROOT / ".venv" / "bin" / "django-admin"), "makemessages", "--locale", "fa"),
            *(word for path in ignored for word in ("--ignore", path)),
        ],
        cwd=tmp_path,
        env={k: v for k, v in os.environ.items() if k != "DJANGO_SETTINGS_MODULE"},
        capture_output=True,
        check=True,
    )

    found = polib.pofile(str(tmp_path / "locale" / "fa" / "LC_MESSAGES" / "django.po"))

    marked = {row.msgid for row in found}
    have = {row.msgid for row in catalogue("fa")}
    assert len(marked) > 200
    assert sorted(marked - have) == [], "run make messages and translate these"
    assert sorted(have - marked) == [], "run make messages: nobody says these any more"


LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
# Names and keys, which are the same in every language.
SAME_EVERYWHERE = {"Prolific", "Return", "Enter", "Concord"}


@pytest.mark.parametrize("code", TRANSLATED)
def test_no_english_word_is_left_in_a_translation(code):
    for row in catalogue(code):
        for translated in said(row):
            words = LATIN_WORD.findall(PLACEHOLDER.sub("", translated))
            assert set(words) <= SAME_EVERYWHERE, row.msgid


# ---- digits and letters


@pytest.mark.parametrize("code", TRANSLATED)
def test_digits_and_letters_are_one_sign_each(code):
    with translation.override(code):
        digits, letters = (translation.gettext(s) for s in ("0123456789", "ABCDEFGHI"))

    assert len(digits) == len(set(digits)) == 10
    assert len(letters) == len(set(letters)) == 9
    assert [int(digit) for digit in digits] == list(range(10))


@pytest.mark.parametrize(
    ("code", "shown"),
    [("fa", "۱۲ از ۳۰"), ("am", "12 ከ30"), ("en", "12 of 30"), ("de", "12 of 30")],
)
def test_numbers_are_read_in_the_digits_of_the_language(code, shown):
    template = Template(
        "{% load figures i18n %}{% blocktranslate with n=n|figures total=total|figures %}"
        "{{ n }} of {{ total }}{% endblocktranslate %}"
    )
    with translation.override(code):
        assert template.render(Context({"n": 12, "total": 30})) == shown


def test_a_text_in_digits_is_still_escaped():
    with translation.override("fa"):
        page = Template("{% load figures %}{{ text|figures }}").render(Context({"text": "<b>4"}))

    assert page == "&lt;b&gt;۴"


def test_the_items_of_a_set_have_letters_of_the_language():
    facts = UnitFacts(items=tuple(Item(pk=pk) for pk in (7, 8, 9)))
    with translation.override("am"):
        assert facts.letters == {7: "ሀ", 8: "ለ", 9: "ሐ"}
