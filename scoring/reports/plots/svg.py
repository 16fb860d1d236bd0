"""From a matplotlib figure to SVG that stands in the page under a strict policy.

matplotlib writes style attributes, a style sheet and fixed sizes; the policy forbids inline styles
and the page has two themes and many widths. Here declarations become attributes, our colours
become classes (`fill-ink`, `stroke-d1`), sizes go, ids get the chart's name as a prefix.
Text stays text, so that the browser shapes every script with the page's fonts. A point may be a
link whose title the browser shows beside the pointer (`linked`); keyboards use the table below.
"""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from urllib.parse import quote, unquote

from matplotlib.figure import Figure

from scoring.reports.palette import TOKENS

NAMESPACE = "http://www.w3.org/2000/svg"
HREF = "{http://www.w3.org/1999/xlink}href"

DROPPED = {f"{{{NAMESPACE}}}{name}" for name in ("metadata", "style")}
TEXT = f"{{{NAMESPACE}}}text"
LINK = f"{{{NAMESPACE}}}a"
TITLE = f"{{{NAMESPACE}}}title"
PAINTS = ("fill", "stroke")
BOLD = re.compile(r"\b(bold|[67]00)\b")


def inline_svg(figure: Figure, *, key: str, alt: str, width: str) -> str:
    """The figure as an <svg> element with role img and `alt` as its name.

    `key` makes its ids unique on the page; `width` (wide, narrow) decides where it shows.
    """
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return convert(file.getvalue(), key=key, alt=alt, width=width)


def linked(address: str, title: str) -> str:
    """An address for matplotlib's `set_urls` that `convert` makes a link with a title of."""
    return f"{address}#{quote(title)}"


def convert(text: str, *, key: str, alt: str, width: str) -> str:
    """`inline_svg` for an SVG that is text already."""
    ET.register_namespace("", NAMESPACE)
    root = ET.fromstring(text)
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in DROPPED]:
            parent.remove(child)
    links = list(root.iter(LINK))
    for link in links:
        _make_link(link)
    for element in root.iter():
        _to_attributes(element)
        _localise(element, key)
    for name in ("width", "height", "version", "id"):
        root.attrib.pop(name, None)
    root.attrib |= {
        "class": f"plot plot-{width}",
        "role": "group" if links else "img",
        "aria-label": alt,
    }
    return ET.tostring(root, encoding="unicode")


def _make_link(link: ET.Element) -> None:
    """The title out of the address, and no stop for the keyboard: there may be a thousand."""
    address, _, title = link.attrib.pop(HREF, "").partition("#")
    link.attrib.clear()
    link.attrib |= {"href": address, "tabindex": "-1"}
    words = ET.Element(TITLE)
    words.text = unquote(title)
    link.insert(0, words)


def _to_attributes(element: ET.Element) -> None:
    classes = []
    for name, value in _declarations(element.attrib.pop("style", "")):
        token = TOKENS.get(value.lower())
        if name in PAINTS and token:
            classes.append(f"{name}-{token}")
        elif name == "font":
            _set_font(element, value)
        else:
            element.set(name, value)
    painted = "fill" in element.attrib or any(name.startswith("fill-") for name in classes)
    if element.tag == TEXT and not painted:
        classes.append("fill-ink")
    if classes:
        element.set("class", " ".join(classes))


def _declarations(style: str) -> Iterator[tuple[str, str]]:
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            yield name.strip(), value.strip()


def _set_font(element: ET.Element, shorthand: str) -> None:
    """Size and weight of e.g. "700 9.5px 'Noto Sans', sans-serif"; the face is the page's."""
    before_family, _, _ = shorthand.partition("px")
    element.set("font-size", before_family.split()[-1])
    if BOLD.search(before_family):
        element.set("font-weight", "700")


def _localise(element: ET.Element, key: str) -> None:
    if "id" in element.attrib:
        element.set("id", f"{key}-{element.get('id')}")
    if "clip-path" in element.attrib:
        element.set("clip-path", element.get("clip-path", "").replace("url(#", f"url(#{key}-"))
    if HREF in element.attrib:
        element.set("href", element.attrib.pop(HREF).replace("#", f"#{key}-", 1))
