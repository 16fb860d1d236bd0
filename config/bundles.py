"""Static files put together of smaller ones, so that the rating screen comes in few requests.

The parts stay readable files of one job each; what a browser loads is their concatenation, made
when static files are looked up or collected. Only lines
that are comments stay behind; what runs is what the parts say.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.files.storage import FileSystemStorage, Storage

BUNDLES: dict[str, tuple[str, ...]] = {
    "css/rating.css": (
        "css/tokens.css",
        "css/base.css",
        "css/parts.css",
        "css/booth/screen.css",
        "css/booth/steps.css",
        "css/booth/stage.css",
        "css/booth/sets.css",
        "css/booth/kinds.css",
        "css/booth/ranking.css",
        "css/booth/task.css",
    ),
    "js/rating.js": (
        "js/booth/core.js",
        "js/booth/sending.js",
        "js/booth/save.js",
        "js/booth/timing.js",
        "js/booth/cards.js",
        "js/booth/keys.js",
        "js/booth/stage.js",
        "js/booth/deck.js",
        "js/booth/screen.js",
    ),
    "js/clips.js": (
        "js/clips/player.js",
        "js/clips/watching.js",
    ),
}
SOURCES = settings.BASE_DIR / "static"
BLOCK_COMMENTS = re.compile(r"^[ \t]*/\*.*?\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
LINE_COMMENTS = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)


class BundleFinder(finders.BaseFinder):
    """Finds each bundle as a file in ``VAR_DIR/bundles``, written anew where a part has changed."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.storage = FileSystemStorage(location=settings.VAR_DIR / "bundles")
        self.storage.prefix = None  # collectstatic asks for it

    def check(self, **kwargs) -> list:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs) -> str | list[str]:
        if path not in BUNDLES:
            return []
        found = str(self._written(path))
        return [found] if find_all else found

    def list(self, ignore_patterns) -> Iterator[tuple[str, Storage]]:
        for name in BUNDLES:
            self._written(name)
            yield name, self.storage

    def _written(self, name: str) -> Path:
        """The bundle's file. Several processes may write it at once: each replaces it whole."""
        target = Path(self.storage.path(name))
        content = bundled(name)
        if not target.exists() or target.read_text(encoding="utf-8") != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            draft = target.with_name(f"{target.name}.{os.getpid()}-{threading.get_ident()}")
            draft.write_text(content, encoding="utf-8")
            draft.replace(target)
        return target


def bundled(name: str) -> str:
    """The text of a bundle: its parts one after the other, without lines that are comments."""
    return "\n".join(lines_that_count(SOURCES / part) for part in BUNDLES[name])


def lines_that_count(part: Path) -> str:
    """A script or a sheet without those comments that have lines to themselves."""
    text = BLOCK_COMMENTS.sub("", part.read_text(encoding="utf-8"))
    if part.suffix == ".js":
        text = LINE_COMMENTS.sub("", text)
    return text.strip("\n") + "\n"
