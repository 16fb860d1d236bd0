"""A site of its own for a benchmark, in a scratch folder that is gone when it is over."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


@contextmanager
def scratch_site(
    name: str, *, settings: str = "config.settings", **environment: str
) -> Iterator[Path]:
    """This process is the site, with empty tables; SQLite, unless there is a DATABASE_URL.

    ``environment``: what else its settings read, with ``{folder}`` for the folder.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"concord-{name}-"))
    try:
        use(folder, settings=settings, **environment)
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def use(folder: Path, *, settings: str = "config.settings", **environment: str) -> None:
    """Be a process of the site in the folder."""
    os.environ |= {name: value.format(folder=folder) for name, value in environment.items()}
    os.environ |= {"VAR_DIR": str(folder / "var"), "DJANGO_SETTINGS_MODULE": settings}
    os.environ.setdefault("LOG_LEVEL", "ERROR")
    import django

    django.setup()
