"""What a file is and how it is read: a table with named columns, or an export of another tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from studies.external import label_studio, potato, qualtrics
from studies.external.layouts import Columns, ratings
from studies.external.records import ExternalRating
from studies.external.sources import legible, matching, rows

TOOLS = ("qualtrics", "label-studio", "potato")


@dataclass(frozen=True, slots=True)
class Source:
    """``tool`` is '' for a table. ``records``, ``where`` are of tables, ``pattern`` of Qualtrics,
    ``history`` of Potato. ``missing`` are the texts that stand for no answer, such as NA."""

    columns: Columns
    tool: str = ""
    records: str = ""
    where: dict[str, str] = field(default_factory=dict, hash=False)
    pattern: str = qualtrics.PATTERN
    history: Path | None = None
    missing: tuple[str, ...] = ()

    def to_store(self) -> dict[str, Any]:
        """What the next import may start from; names of columns only."""
        kept: dict[str, Any] = {**self.columns.to_store(), "records": self.records}
        if self.where:
            kept["where"] = dict(self.where)
        if self.missing:
            kept["missing"] = list(self.missing)
        if self.tool:
            kept["from"] = self.tool
        if self.tool == "qualtrics":
            kept["pattern"] = self.pattern
        return kept


def read(
    path: Path, source: Source, left_out: Counter[str], texts: dict[str, str] | None = None
) -> Iterator[ExternalRating]:
    """Every rating of a file; ``left_out`` counts by reason what a tool's export holds besides,
    ``texts`` is told the text of each question, where the file has one.

    Raises ``ImportRefusedError``.
    """
    every = legible(path, _of_tool(path, source, left_out, {} if texts is None else texts))
    return _answers(every, source.missing, left_out) if source.missing else every


def _answers(
    every: Iterator[ExternalRating], missing: tuple[str, ...], left_out: Counter[str]
) -> Iterator[ExternalRating]:
    for one in every:
        if one.value in missing:
            left_out[f"cells with {one.value}, which stands for no answer"] += 1
        else:
            yield one


def _of_tool(
    path: Path, source: Source, left_out: Counter[str], texts: dict[str, str]
) -> Iterator[ExternalRating]:
    columns = source.columns
    if source.tool == "qualtrics":
        return qualtrics.respondents(
            path,
            pattern=source.pattern,
            rater=columns.rater,
            question_is=columns.question_is,
            left_out=left_out,
            texts=texts,
        )
    if source.tool == "label-studio":
        return label_studio.annotations(path, mapping=columns, left_out=left_out)
    if source.tool == "potato":
        return potato.labels(path, history=source.history, left_out=left_out)
    if columns.shape == "systems" and not columns.rater_is:
        columns = replace(columns, rater_is=path.stem)
    return ratings(matching(rows(path, records=source.records), source.where), columns)
