"""Directions of imports, and what the web process must not load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = {"accounts", "studies", "annotation", "scoring", "demo", "api", "config", "guide"}
ALLOWED = {
    "accounts": set(),
    "studies": {"accounts"},
    "annotation": {"accounts.access", "studies", "scoring.stats"},
    "scoring": {"accounts.access", "studies", "annotation.ratings", "scoring"},
    "guide": {"accounts.access"},
    "api": {"accounts", "studies", "scoring.exports", "scoring.models", "scoring.work_state"},
}
HEAVY = [
    "torch",
    "transformers",
    "sentence_transformers",
    "pandas",
    "scipy",
    "statsmodels",
    "matplotlib",
    "sklearn",
    "av",
    "pyarrow",
    "choix",
    "networkx",
    "faiss",
]


def imports(path: Path) -> set[str]:
    """Every module a file imports, at any depth of it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def modules(app: str) -> list[Path]:
    return [path for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts]


def is_allowed(name: str, allowed: set[str]) -> bool:
    return any(name == target or name.startswith(f"{target}.") for target in allowed)


@pytest.mark.parametrize("app", ALLOWED)
def test_imports_flow_one_way(app):
    wrong = []
    for path in modules(app):
        for name in imports(path):
            other = name.split(".")[0]
            if other not in APPS - {app}:
                continue
            # "from annotation import ratings" appears as both "annotation" and the whole name.
            if name in APPS and any(i.startswith(f"{name}.") for i in imports(path)):
                continue
            if not is_allowed(name, ALLOWED[app]):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


@pytest.mark.parametrize(
    "folder", ["scoring/stats", "scoring/metrics", "scoring/backends", "scoring/knowledge"]
)
def test_numeric_code_knows_no_django(folder):
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (ROOT / folder).rglob("*.py")
        for name in imports(path)
        if name.split(".")[0] in {"django", "studies", "annotation", "config"}
    ]
    assert wrong == []


def test_the_web_process_loads_nothing_heavy():
    """In a process of its own: import every view, the admin and the WSGI application."""
    code = (
        "import os, sys\n"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings'\n"
        "import config.wsgi\n"
        "from django.urls import get_resolver\n"
        "get_resolver().url_patterns\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_no_signal_receivers():
    offenders = [
        str(path.relative_to(ROOT))
        for app in ("accounts", "studies", "annotation", "scoring")
        for path in modules(app)
        if {"django.db.models.signals", "django.dispatch"} & imports(path)
    ]
    assert offenders == []


def test_no_drawer_for_odds_and_ends():
    names = {"utils", "helpers", "services", "misc", "common"}
    assert [p for app in APPS for p in modules(app) if p.stem in names] == []
