"""Names of the files of a prompt book: ``<scenario>__<variant>__<system>__<replicate>``. Pure."""

from __future__ import annotations

import re
import unicodedata

SEPARATOR = "__"


def plain_name(text: str) -> str:
    """``text`` as part of a file's name: letters, figures, points, single hyphens; case is kept."""
    text = unicodedata.normalize("NFC", text)
    return re.sub(r"[^\w.]+|_+", "-", text).strip("-.") or "x"


def file_stem(*, scenario: str, variant: str, system: str, replicate: str) -> str:
    return SEPARATOR.join(plain_name(part) for part in (scenario, variant, system, replicate))


def cell_of(path: str) -> tuple[str, str, str, str] | None:
    """(scenario, variant, system, replicate) that a file's name says, or None."""
    name = path.rsplit("/", 1)[-1]
    stem = name.rpartition(".")[0] or name
    parts = stem.split(SEPARATOR)
    return (parts[0], parts[1], parts[2], parts[3]) if len(parts) == 4 else None
