"""FAITH: the mean of ALIGN, 1 - HAL and 1 - EXAG (0-1, higher), defined where all three are.

Any subset of the parts is a variant (an ablation): ``composite`` takes their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean

from scoring.metrics.ahead.values import Value

FAITH = "ahead_faith"
PARTS = ("align", "hal", "exag")
GOOD_WHEN_HIGH = {"align"}

SUBSETS: tuple[tuple[str, ...], ...] = (
    ("align",),
    ("hal",),
    ("exag",),
    ("align", "hal"),
    ("align", "exag"),
    ("hal", "exag"),
    ("align", "hal", "exag"),
)
"""Every choice of parts; the last is FAITH."""


def composite(parts: Mapping[str, float | None], names: Iterable[str]) -> float | None:
    """The mean of the named parts, each turned so that higher is better; None if one is missing."""
    turned = []
    for name in names:
        value = parts[name]
        if value is None:
            return None
        turned.append(value if name in GOOD_WHEN_HIGH else 1 - value)
    return fmean(turned)


def faith(align: Value, hal: Value, exag: Value) -> Value:
    """FAITH from the three overall values; undefined for the first reason among them."""
    parts = {"align": align.value, "hal": hal.value, "exag": exag.value}
    value = composite(parts, PARTS)
    if value is None:
        undefined = next(one for one in (align, hal, exag) if one.value is None)
        evidence = {**parts, **{k: v for k, v in undefined.evidence.items() if k == "why"}}
        return Value(None, undefined.reason, evidence)
    return Value(value, "", parts)


def subset_name(names: Iterable[str]) -> str:
    """E.g. ``ALIGN, 1 - HAL``, with a real minus sign."""
    turned = "1 \N{MINUS SIGN} "
    return ", ".join(("" if name in GOOD_WHEN_HIGH else turned) + name.upper() for name in names)
