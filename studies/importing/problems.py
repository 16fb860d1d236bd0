"""What is wrong with one field of one imported line, in words a researcher can act on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in an imported file.

    ``line`` counts from 1 as a text editor does; 0 means the file as a whole. ``field`` is the
    column or key ('' when the whole line is meant), ``value`` the text that was found, ``wrong``
    says what is wrong with it and ``fix`` what to do.
    """

    line: int
    field: str
    value: str
    wrong: str
    fix: str

    def __str__(self) -> str:
        where = f"Line {self.line}" if self.line else "The file"
        if self.field:
            where += f", {self.field}"
        found = f" (found “{self.value}”)" if self.value else ""
        return f"{where}: {self.wrong}{found}. {self.fix}"
