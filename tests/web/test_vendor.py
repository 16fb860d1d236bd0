"""Vendored files are what their list says, and nothing else lies beside them."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VENDOR = ROOT / "static" / "vendor"
ROW = re.compile(r"^\| `(?P<file>[^`]+)` \|.*\| `sha384-(?P<hash>[^`]+)` \|$", re.MULTILINE)
LISTED = dict(ROW.findall((VENDOR / "README.md").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", sorted(LISTED))
def test_a_vendored_file_has_the_hash_its_list_gives(name: str) -> None:
    digest = hashlib.sha384((VENDOR / name).read_bytes()).digest()

    assert base64.b64encode(digest).decode() == LISTED[name]


def test_every_vendored_script_and_sheet_is_listed() -> None:
    present = {path.name for path in VENDOR.iterdir() if path.suffix in {".js", ".css"}}

    assert present == set(LISTED)


@pytest.mark.parametrize(("name", "licence"), [("htmx", "Zero-Clause BSD"), ("sortable", "MIT")])
def test_the_licence_of_a_vendored_file_lies_beside_it(name: str, licence: str) -> None:
    assert licence in (VENDOR / f"{name}-LICENSE.txt").read_text(encoding="utf-8")


def test_templates_load_only_vendored_files_that_exist() -> None:
    loaded = {
        name
        for path in (ROOT / "templates").rglob("*.html")
        for name in re.findall(r"vendor/([^'\"]+)", path.read_text(encoding="utf-8"))
    }

    assert loaded
    assert loaded <= set(LISTED)
