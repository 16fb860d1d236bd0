"""Series, levels and methods in words; names that are fit for files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scoring.analysis.parts.left_out import LeftOut
from scoring.analysis.series import SeriesFacts
from scoring.reports.words import counted

METHODS = {
    "spearman": "Spearman\u2019s rho",
    "pearson": "Pearson\u2019s r",
    "kendall": "Kendall\u2019s tau-b",
}
SHORT_METHODS = {"spearman": "Spearman", "pearson": "Pearson", "kendall": "Tau-b"}

LEVELS: Mapping[tuple[str, str], str] = {
    ("pooled", ""): "items pooled",
    ("within", "country"): "within each country, averaged",
    ("centred", "country"): "items less their country\u2019s mean",
    ("within", "system"): "within each model, averaged",
    ("system", "system"): "means of models",
}


IN_SHORT: Mapping[tuple[str, str], str] = {
    ("pooled", ""): "Pooled",
    ("within", "country"): "Within countries",
    ("centred", "country"): "Centred on countries",
    ("within", "system"): "Within models",
    ("system", "system"): "Models\u2019 means",
}
"""Levels as a table names them; `LEVELS` says it in full."""


def names_of(series: Sequence[SeriesFacts]) -> dict[str, str]:
    """{series key: name}; where two outputs share a name, that of their metric goes before it."""
    names = [one.name for one in series]
    return {
        one.key: f"{one.metric_name}: {one.name}"
        if names.count(one.name) > 1 and one.metric_name
        else one.name
        for one in series
    }


def slug(text: str) -> str:
    """Small letters, figures and hyphens alone; letters of other scripts stay."""
    return re.sub(r"[^\w]+", "-", text.casefold()).strip("-_") or "x"


def slugs_of(series: Sequence[SeriesFacts]) -> dict[str, str]:
    """{series key: a name fit for files and columns, each its own}."""
    found: dict[str, str] = {}
    for one in series:
        wanted = slug("-".join(filter(None, (one.metric, one.output, one.dimension))))
        if one.kind == "human":
            wanted = slug(f"people-{one.output}")
        if one.unit == "cell":
            wanted += "-cells"
        taken = set(found.values())
        number = next(n for n in range(1, len(series) + 2) if _numbered(wanted, n) not in taken)
        found[one.key] = _numbered(wanted, number)
    return found


def left_out_words(parts: Sequence[LeftOut], unit: str = "item") -> str:
    """ "3 items: no prediction. 1 item: ..." ; "0" where nothing is left out."""
    return " ".join(f"{counted(part.items, unit)}: {part.sentence}" for part in parts) or "0"


def better_words(better: str) -> str:
    return f"{better} is better" if better else "no direction declared"


def _numbered(text: str, number: int) -> str:
    return text if number == 1 else f"{text}-{number}"
