"""The look keeps its promises: mirrored layouts, readable colours, nothing the policy blocks."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CSS = sorted((ROOT / "static" / "css").rglob("*.css"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
THEMES = ("light", "dark")

# Names that mean one side of the screen instead of one side of the text.
PHYSICAL = re.compile(
    r"(?<![\w-])(?:(?:margin|padding|border|scroll-margin|scroll-padding)-(?:top|right|bottom|left)"
    r"|border-(?:top|bottom)-(?:left|right)-radius"
    r"|(?:min-|max-)?(?:width|height)|top|right|bottom|left)\s*:"
    r"|(?:text-align|float|clear)\s*:\s*(?:left|right)\b"
)

# (text or edge, what it lies on, least contrast by WCAG 2)
READ = 4.5
SEEN = 3.0
PAIRS = [
    *(
        (ink, ground, READ)
        for ink in ("ink", "ink-2", "ink-3")
        for ground in ("bg", "sunk", "soft")
    ),
    *(("accent", ground, READ) for ground in ("bg", "sunk", "soft")),
    *(("accent-hover", ground, READ) for ground in ("bg", "soft")),
    ("on-accent", "accent", READ),
    ("on-accent", "accent-hover", READ),
    *((state, f"{state}-bg", READ) for state in ("ok", "warn", "bad")),
    *((state, "bg", READ) for state in ("ok", "warn", "bad")),
    *(("ink", f"{state}-bg", READ) for state in ("ok", "warn", "bad")),
    *(("edge", ground, SEEN) for ground in ("bg", "sunk", "soft")),
    *(("focus", ground, SEEN) for ground in ("bg", "sunk", "soft")),
    *((f"d{number}", "bg", SEEN) for number in range(1, 8)),
]


def without_comments(css: str) -> str:
    return re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)


def declarations(css: str) -> str:
    """The sheet without comments and without the conditions of its media queries."""
    return re.sub(r"@media[^{]*", "@media ", without_comments(css))


def colours_of(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})\s*;", block))


def theme_blocks() -> dict[str, str]:
    css = without_comments((ROOT / "static" / "css" / "tokens.css").read_text(encoding="utf-8"))
    found = {
        "light": r'html\[data-theme="light"\]\s*\{([^}]*)\}',
        "dark": r'\n\s*html\[data-theme="dark"\]\s*\{([^}]*)\}',
        "dark by device": r'html:not\(\[data-theme="light"\]\)\s*\{([^}]*)\}',
    }
    return {name: re.search(pattern, css).group(1) for name, pattern in found.items()}


def luminance(colour: str) -> float:
    """Relative luminance in [0, 1] (WCAG 2.2, definition of relative luminance)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio in [1, 21]."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_black_on_white_is_21_to_1() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("front", "ground", "least"), PAIRS)
def test_a_pair_of_colours_in_use_has_enough_contrast(
    theme: str, front: str, ground: str, least: float
) -> None:
    colours = colours_of(theme_blocks()[theme])

    assert contrast(colours[front], colours[ground]) >= least


def test_both_ways_into_the_dark_theme_give_the_same_values() -> None:
    blocks = theme_blocks()

    assert blocks["dark"].split() == blocks["dark by device"].split()


def test_both_themes_define_the_same_colours() -> None:
    blocks = theme_blocks()

    assert colours_of(blocks["light"]).keys() == colours_of(blocks["dark"]).keys()


@pytest.mark.parametrize("path", CSS, ids=lambda path: path.name)
def test_a_sheet_uses_logical_properties_only(path: Path) -> None:
    assert PHYSICAL.findall(declarations(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "line", ["margin-left: 1px", "width: 3rem", "text-align: right", "max-height: 1px", "left: 0"]
)
def test_the_lint_finds_physical_properties(line: str) -> None:
    assert PHYSICAL.search(f"a {{ {line}; }}")


@pytest.mark.parametrize("path", CSS, ids=lambda path: path.name)
def test_a_sheet_uses_only_tokens_that_exist(path: Path) -> None:
    css = "".join(sheet.read_text(encoding="utf-8") for sheet in CSS)
    defined = set(re.findall(r"--([\w-]+)\s*:", css))
    used = set(re.findall(r"var\(--([\w-]+)", path.read_text(encoding="utf-8")))

    assert used <= defined


@pytest.mark.parametrize("path", CSS, ids=lambda path: path.name)
def test_a_sheet_fetches_nothing(path: Path) -> None:
    assert not re.search(r"url\(|@import", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_has_no_inline_script_or_style(path: Path) -> None:
    html = path.read_text(encoding="utf-8")

    # The report as one file is downloaded and opened without a site: its styles are in it.
    if path.name != "report_file.html":
        assert not re.search(r"<style\b", html, re.IGNORECASE)
    assert not re.search(r"<script\b(?![^>]*\bsrc=)", html, re.IGNORECASE)
    assert not re.search(r"\sstyle\s*=", html, re.IGNORECASE)
    assert not re.search(r"""<[^>]*\son[a-z]+\s*=\s*["']""", html, re.IGNORECASE)
    assert not re.search(r"hx-on|javascript:|[\"']js:", html, re.IGNORECASE)


def packed(*names: str) -> int:
    return sum(len(gzip.compress((ROOT / "static" / name).read_bytes())) for name in names)


def test_the_dress_of_the_admin_stays_light() -> None:
    assert packed("css/tokens.css", "css/parts.css", "css/admin.css") <= 8 * 1024
