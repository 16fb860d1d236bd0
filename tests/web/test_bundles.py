"""The rating screen's files: what a browser loads is the parts, whole, in order, and light."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command

from config.bundles import BUNDLES, SOURCES, BundleFinder, bundled, lines_that_count

SCRIPTS = sorted((SOURCES / "js").rglob("*.js"))


def packed(text: str) -> int:
    return len(gzip.compress(text.encode()))


@pytest.mark.parametrize("name", BUNDLES)
def test_a_bundle_is_its_parts_one_after_the_other(name: str) -> None:
    text = bundled(name)
    starts = [text.index(lines_that_count(SOURCES / part)) for part in BUNDLES[name]]
    assert starts == sorted(starts)


def test_only_comments_with_lines_of_their_own_stay_behind(tmp_path) -> None:
    part = tmp_path / "part.js"
    part.write_text(
        "/* What it is:\n * two lines. */\n"
        'const a = "// no comment"; // beside code\n'
        "  // why\n"
        "  b(/[/*]/); /* beside, too */\n"
    )
    assert lines_that_count(part) == (
        'const a = "// no comment"; // beside code\n  b(/[/*]/); /* beside, too */\n'
    )


@pytest.mark.parametrize("name", BUNDLES)
def test_a_bundle_is_found_like_any_static_file(name: str) -> None:
    assert Path(finders.find(name)).read_text(encoding="utf-8") == bundled(name)


def test_a_bundle_is_written_anew_when_a_part_changes(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("config.bundles.SOURCES", tmp_path)
    monkeypatch.setattr("config.bundles.BUNDLES", {"css/one.css": ("a.css", "b.css")})
    (tmp_path / "a.css").write_text("a {}")
    (tmp_path / "b.css").write_text("b {}")
    finder = BundleFinder()
    found = Path(finder.find("css/one.css"))
    assert found.read_text() == "a {}\n\nb {}\n"
    (tmp_path / "b.css").write_text("c {}")
    finder.find("css/one.css")
    assert found.read_text() == "a {}\n\nc {}\n"


def test_what_is_no_bundle_is_left_to_the_other_finders() -> None:
    assert BundleFinder().find("css/admin.css") == []


def test_collecting_static_files_collects_the_bundles(settings, tmp_path) -> None:
    settings.STATIC_ROOT = tmp_path
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["admin"])
    for name in BUNDLES:
        assert (tmp_path / name).read_text(encoding="utf-8") == bundled(name)


def test_the_rating_screen_stays_light() -> None:
    assert packed(bundled("css/rating.css")) <= 12 * 1024
    assert packed(bundled("js/rating.js")) <= 14 * 1024
    assert packed(bundled("js/clips.js")) <= 7 * 1024


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_short_and_does_nothing_the_policy_forbids(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    assert not re.search(
        r"\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write", text
    )
    assert not re.search(r"setAttribute\(\s*[\"']style", text)
