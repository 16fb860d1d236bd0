"""The known name that an unknown one most likely stands for. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_COMPARISONS = 200_000  # about five seconds; a table may miss thousands of names


class NearestName:
    """Suggestions among ``names``. Comparing is slow, so after many the rest goes without."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._by_capitals = {name.casefold(): name for name in self._names}
        self._left = max(5, _COMPARISONS // max(1, len(self._names)))
        self._known: dict[str, str | None] = {}

    def same_but_capitals(self, name: str) -> str | None:
        return self._by_capitals.get(name.casefold())

    def nearest(self, name: str) -> str | None:
        """The name spelt most like ``name``; with the same figures, where several are near."""
        if name not in self._known:
            if self._left == 0 or len(name) > 300:
                return None
            self._left -= 1
            self._known[name] = self._compare(name)
        return self._known[name]

    def _compare(self, name: str) -> str | None:
        near = difflib.get_close_matches(name, self._names[:_COMPARISONS], n=8, cutoff=0.75)
        same_figures = (other for other in near if _figures(other) == _figures(name))
        return next(same_figures, near[0] if near else None)


def _figures(name: str) -> list[str]:
    """The numbers in a name without leading zeros: 017 and 0017 are the same."""
    return [figures.lstrip("0") for figures in re.findall(r"[0-9]+", name)]
