"""Translations out to translators and back: CSV, and XLIFF 1.2 for their tools.

Both carry the key, so that rows may be sorted, dropped and mixed on the way.
"""

import csv
import io
from collections.abc import Iterable
from xml.etree import ElementTree

from studies.words.translating import Entry

COLUMNS = ("key", "where", "source", "translation")
XLIFF = "urn:oasis:names:tc:xliff:document:1.2"
MAX_BYTES = 20_000_000


class UnreadableTranslations(Exception):
    """The file is not what it should be. The sentence says what is wrong and how to mend it."""


def to_csv(entries: Iterable[Entry]) -> str:
    """A table of key, where, source and translation; spreadsheets open it as UTF-8."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        row = (entry.text.key, entry.text.where, entry.text.source, entry.translation)
        writer.writerow([_shielded(cell) for cell in row])
    return "\ufeff" + out.getvalue()


def _shielded(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula; ``_unshielded`` takes the mark off again."""
    return f"'{cell}" if cell[:1] in "=+-@\t\r'" and cell else cell


def _unshielded(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in tuple("=+-@\t\r'") else cell


def from_csv(content: bytes) -> dict[str, str]:
    """{key: translation}. Raises UnreadableTranslations."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableTranslations(
            "The file is not UTF-8. Save it as “CSV UTF-8” and choose it again."
        ) from error
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    csv.field_size_limit(MAX_BYTES)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise UnreadableTranslations(f"The table cannot be read: {error}.") from error
    if not rows or not {"key", "translation"} <= set(rows[0]):
        raise UnreadableTranslations(
            "The file needs the columns key and translation, and at least one row. "
            "Download the table, fill in the column translation, and choose it here."
        )
    return _unique(
        (_unshielded(row["key"] or ""), _unshielded(row["translation"] or ""), number)
        for number, row in enumerate(rows, 2)
    )


def _unique(rows: Iterable[tuple[str, str, int]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, translation, number in rows:
        if not key:
            if translation:
                raise UnreadableTranslations(f"Row {number} has a translation, but no key.")
            continue
        if key in found and found[key] != translation:
            raise UnreadableTranslations(f"Row {number}: {key} stands twice, with two texts.")
        found[key] = translation
    return found


def to_xliff(entries: Iterable[Entry], *, source: str, target: str, study: str) -> bytes:
    """An XLIFF 1.2 document of one file; the key is both id and resname of its unit."""
    ElementTree.register_namespace("", XLIFF)
    root = ElementTree.Element(f"{{{XLIFF}}}xliff", version="1.2")
    file = ElementTree.SubElement(
        root,
        f"{{{XLIFF}}}file",
        {
            "original": study,
            "source-language": source,
            "target-language": target,
            "datatype": "plaintext",
        },
    )
    body = ElementTree.SubElement(file, f"{{{XLIFF}}}body")
    for entry in entries:
        attributes = {"id": entry.text.key, "resname": entry.text.key}
        if entry.text.limit:
            attributes |= {"maxwidth": str(entry.text.limit), "size-unit": "char"}
        unit = ElementTree.SubElement(body, f"{{{XLIFF}}}trans-unit", attributes)
        ElementTree.SubElement(unit, f"{{{XLIFF}}}source").text = entry.text.source
        done = ElementTree.SubElement(unit, f"{{{XLIFF}}}target")
        done.text = entry.translation
        done.set("state", _state(entry))
        ElementTree.SubElement(unit, f"{{{XLIFF}}}note").text = entry.text.where
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def _state(entry: Entry) -> str:
    if entry.is_missing:
        return "needs-translation"
    return "needs-review-translation" if entry.is_stale else "translated"


def from_xliff(content: bytes) -> tuple[str, dict[str, str]]:
    """The target language ('' where the file names none) and {key: translation}.

    Raises UnreadableTranslations. Entities are refused, so that a small file cannot unfold into a
    large one.
    """
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise UnreadableTranslations("The file declares entities; XLIFF needs none. Remove them.")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise UnreadableTranslations(f"The file is not XML that can be read: {error}.") from error
    if root.tag != f"{{{XLIFF}}}xliff":
        raise UnreadableTranslations("The file is not XLIFF 1.2. Save it in that version.")
    languages = {file.get("target-language", "") for file in root.iter(f"{{{XLIFF}}}file")}
    if len(languages) > 1:
        raise UnreadableTranslations("The file holds several languages; import one at a time.")
    units = root.iter(f"{{{XLIFF}}}trans-unit")
    rows = [
        (
            unit.get("resname") or unit.get("id") or "",
            "".join(target.itertext()) if target is not None else "",
            number,
        )
        for number, unit in enumerate(units, 1)
        for target in (unit.find(f"{{{XLIFF}}}target"),)
    ]
    return languages.pop() if languages else "", _unique(rows)


def read_translations(content: bytes, name: str, *, language: str) -> dict[str, str]:
    """{key: translation} of an uploaded file, by its ending. Raises UnreadableTranslations."""
    if len(content) > MAX_BYTES:
        raise UnreadableTranslations("The file is over 20 MB.")
    ending = name.rsplit(".", 1)[-1].lower()
    if ending in {"xlf", "xliff"}:
        target, texts = from_xliff(content)
        if target and target.lower() != language.lower():
            raise UnreadableTranslations(
                f"The file is for {target}, but this page is for {language}. Nothing was changed."
            )
        return texts
    if ending in {"csv", "tsv", "txt"}:
        return from_csv(content)
    raise UnreadableTranslations("Choose a .csv or .xlf file.")
