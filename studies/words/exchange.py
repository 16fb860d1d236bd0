"""Translations out to translators and back: CSV or XLSX, and XLIFF 1.2 for their tools.

Both carry the key, so that rows may be sorted, dropped and mixed on the way.
"""

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree

from studies.importing.columns import normalised
from studies.importing.formats import read_rows
from studies.words.translating import Entry

COLUMNS = ("key", "where", "source", "translation")
XLIFF = "urn:oasis:names:tc:xliff:document:1.2"
MAX_BYTES = 20_000_000
NEEDED = (
    "The file needs the columns key and translation, and at least one row. "
    "Download the table, fill in the column translation, and choose it here."
)
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SCRIPTS = {"zh-cn": "zh-hans", "zh-sg": "zh-hans", "zh-tw": "zh-hant", "zh-hk": "zh-hant"}


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


def _for_xml(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    return _NOT_XML.sub("", text)


def _shielded(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula; ``_unshielded`` takes the mark off again."""
    return f"'{cell}" if cell[:1] in "=+-@\t\r'" and cell else cell


def _unshielded(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] in tuple("=+-@\t\r'") else cell


@dataclass(frozen=True)
class Returned:
    """What a translator sends back: ``texts`` by key; ``confirmed`` keys were looked at and found
    right. ``language`` is '' where the file names none."""

    language: str
    texts: dict[str, str]
    confirmed: frozenset[str] = frozenset()


def from_table(content: bytes) -> dict[str, str]:
    """{key: translation} of a CSV, TSV or XLSX file. Raises UnreadableTranslations."""
    table = read_rows(content, recognised=lambda heading: normalised(heading) in COLUMNS)
    header = [normalised(heading) for heading in table.header]
    if not {"key", "translation"} <= set(header) or not (table.rows or table.problems):
        told = [problem for problem in table.problems if not table.header]
        if told:
            raise UnreadableTranslations(f"{told[0].wrong}. {told[0].fix}")
        raise UnreadableTranslations(NEEDED)
    if table.problems:
        first = table.problems[0]
        if not table.rows and not first.line:
            raise UnreadableTranslations(NEEDED)
        where = f"Line {first.line}: " if first.line else ""
        raise UnreadableTranslations(f"{where}{first.wrong}. {first.fix}")
    key, translation = header.index("key"), header.index("translation")
    return _unique(
        (_unshielded(row.cells[key].strip()), _unshielded(row.cells[translation]), row.line)
        for row in table.rows
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
        attributes = {"id": entry.text.key, "resname": entry.text.key, _SPACE: "preserve"}
        if entry.text.limit:
            attributes |= {"maxwidth": str(entry.text.limit), "size-unit": "char"}
        unit = ElementTree.SubElement(body, f"{{{XLIFF}}}trans-unit", attributes)
        ElementTree.SubElement(unit, f"{{{XLIFF}}}source").text = _for_xml(entry.text.source)
        done = ElementTree.SubElement(unit, f"{{{XLIFF}}}target")
        done.text = _for_xml(entry.translation)
        done.set("state", _state(entry))
        ElementTree.SubElement(unit, f"{{{XLIFF}}}note").text = entry.text.where
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


class _WithoutDoctype(ElementTree.TreeBuilder):
    """Refuses a document type, whatever the file's encoding: only there can entities be made."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise UnreadableTranslations("The file declares entities; XLIFF needs none. Remove them.")


def _state(entry: Entry) -> str:
    if entry.is_missing:
        return "needs-translation"
    return "needs-review-translation" if entry.is_stale else "translated"


def from_xliff(content: bytes) -> Returned:
    """The translations of an XLIFF 1.2 document.

    Raises UnreadableTranslations. Entities are refused, so that a small file cannot unfold into a
    large one.
    """
    try:
        root = ElementTree.fromstring(content, ElementTree.XMLParser(target=_WithoutDoctype()))
    except ElementTree.ParseError as error:
        raise UnreadableTranslations(f"The file is not XML that can be read: {error}.") from error
    if root.tag != f"{{{XLIFF}}}xliff":
        raise UnreadableTranslations("The file is not XLIFF 1.2. Save it in that version.")
    languages = {file.get("target-language", "") for file in root.iter(f"{{{XLIFF}}}file")}
    if len(languages) > 1:
        raise UnreadableTranslations("The file holds several languages; import one at a time.")
    rows, confirmed = [], set()
    for number, unit in enumerate(root.iter(f"{{{XLIFF}}}trans-unit"), 1):
        key, text = unit.get("resname") or unit.get("id") or "", _target(unit)
        rows.append((key, text, number))
        if text and _is_approved(unit):
            confirmed.add(key)
    return Returned(languages.pop() if languages else "", _unique(rows), frozenset(confirmed))


def _target(unit: ElementTree.Element) -> str:
    """The translation, inline tags aside; '' for a copy of the source that waits for one."""
    source, target = unit.find(f"{{{XLIFF}}}source"), unit.find(f"{{{XLIFF}}}target")
    if target is None:
        return ""
    text = "".join(target.itertext())
    waits = target.get("state", "") in ("new", "needs-translation")
    if waits and source is not None and text.strip() == "".join(source.itertext()).strip():
        return ""
    return text


def _is_approved(unit: ElementTree.Element) -> bool:
    target = unit.find(f"{{{XLIFF}}}target")
    state = "" if target is None else target.get("state", "")
    return unit.get("approved") == "yes" or state in ("translated", "final", "signed-off")


def read_translations(content: bytes, name: str, *, language: str) -> Returned:
    """What an uploaded file holds, by its ending. Raises UnreadableTranslations."""
    if len(content) > MAX_BYTES:
        raise UnreadableTranslations("The file is over 20 MB.")
    ending = name.rsplit(".", 1)[-1].lower()
    if ending in {"xlf", "xliff"}:
        found = from_xliff(content)
        if found.language and not _is_same_language(found.language, language):
            raise UnreadableTranslations(
                f"The file is for {found.language}, but this page is for {language}. "
                "Nothing was changed."
            )
        return found
    if ending in {"csv", "tsv", "txt", "xlsx"}:
        return Returned("", from_table(content))
    raise UnreadableTranslations("Choose a .csv, .xlsx or .xlf file.")


def _is_same_language(one: str, other: str) -> bool:
    """Translators' tools add a region, or write it with a low line: fa, fa-IR, fa_IR."""
    one, other = (_SCRIPTS.get(code, code) for code in (_plain(one), _plain(other)))
    return one == other or one.startswith(f"{other}-") or other.startswith(f"{one}-")


def _plain(language: str) -> str:
    return language.replace("_", "-").lower()
