"""What of a study a file holds, as an address or a request asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from annotation.ratings import Layer


class OptionRefused(ValueError):
    """An option has a value that is not offered. ``field`` is its name."""

    def __init__(self, field: str, offered: tuple[str, ...], value: str) -> None:
        super().__init__(f"“{value[:40]}” is no {field} here; write {' or '.join(offered)}.")
        self.field = field


CHOICES: dict[str, tuple[str, ...]] = {
    "layer": tuple(layer.value for layer in (Layer.AFTER_ALL, Layer.AFTER_RULES, Layer.ALL)),
    "rows": ("counted", "everything"),
    "runs": ("reported", "all"),
    "bom": ("0", "1"),
}
"""Option -> what it may be, the default first."""

ABOUT = {
    "layer": "Which exclusions are heeded: all that are in force, those of rules, or none.",
    "rows": "counted: what analysis rests on. everything: repeats and surplus too, marked so.",
    "runs": "reported: the run of each metric that the report reads. all: every finished run.",
    "bom": "1: begin with a byte order mark, for spreadsheet programs that need one.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Every value is one of `CHOICES`."""

    layer: str = CHOICES["layer"][0]
    rows: str = CHOICES["rows"][0]
    runs: str = CHOICES["runs"][0]
    bom: str = CHOICES["bom"][0]

    def chosen(self, names: tuple[str, ...]) -> dict[str, str]:
        """Those of ``names`` that are not the default."""
        return {
            name: value
            for name, value in asdict(self).items()
            if name in names and value != CHOICES[name][0]
        }


def read_options(given: Mapping[str, str], names: tuple[str, ...]) -> Options:
    """The options among ``names`` that were given, the rest as they are by default.

    Raises OptionRefused for a value that is not offered. Other words in ``given`` are not ours.
    """
    values = {name: str(given[name]) for name in names if given.get(name)}
    for name, value in values.items():
        if value not in CHOICES[name]:
            raise OptionRefused(name, CHOICES[name], value)
    return Options(**values)
