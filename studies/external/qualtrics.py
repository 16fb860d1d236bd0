"""Qualtrics exports, CSV or TSV: three header rows, a row a respondent, a column a question.

The rows are the names of the columns, the texts of the questions, and one JSON a cell with the
``ImportId`` that tells questions (QID12, 3_QID12_1) from what Qualtrics writes beside them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from studies.external.question_texts import common, plain
from studies.external.records import ExternalRating, ImportRefusedError
from studies.external.sources import Row, delimited, text

RESPONDENT = "ResponseId"
PATTERN = "{item}_{question}"
PERSONAL = {
    "IPAddress",
    "RecipientLastName",
    "RecipientFirstName",
    "RecipientEmail",
    "ExternalReference",
    "LocationLatitude",
    "LocationLongitude",
}
ANSWERS = {"ip address", "0", "imported", "4", "offline", "16"}
PREVIEWS = {
    *("survey preview", "1", "survey test", "2", "survey preview spam", "9"),
    *("offline survey preview", "17"),
}
SPAM = {"spam", "8", "imported spam", "12"}
FINISHED = {"true": True, "1": True, "false": False, "0": False}
# What belongs to a question and is no answer to it: order shown, timers, own words.
_BESIDE = re.compile(r"_DO(_|$)|_(FIRST_CLICK|LAST_CLICK|PAGE_SUBMIT|CLICK_COUNT|TEXT)$")


def respondents(
    path: Path,
    *,
    pattern: str,
    rater: str,
    question_is: str,
    left_out: Counter[str],
    texts: dict[str, str],
) -> Iterator[ExternalRating]:
    """Every answer of a finished response; ``left_out`` counts what was passed over, and why;
    ``texts`` is told the text of each question, from the second header row.

    ``pattern`` says how the name of a column is made, with {item} and, where there are several
    questions, {question}: "{item}_{question}" reads ``1_Q1_1`` as item 1, question Q1_1. Columns
    of other names are passed over. ``rater`` is the column that tells people apart, by default
    the response's id; one with a name or an address is refused, and those are never read.
    """
    rater = rater or RESPONDENT
    if rater in PERSONAL:
        raise ImportRefusedError(
            [f"The column {rater!r} names a person. Use {RESPONDENT} for the raters."]
        )
    rows = delimited(path)
    _, said = next(rows, ("", {}))
    asked = _asked(path, rows, compiled(pattern), pattern, question_is, left_out)
    _tell(texts, asked, said)
    for where, row in rows:
        _check(row, where, rater)
        if reason := _passed_over(row, where):
            left_out[reason] += 1
            continue
        for column, (item, question) in asked.items():
            if said := text(row[column]):
                place = f"{where}, {column}"
                yield ExternalRating(item, text(row[rater]), question, said, place)


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of names as a regular expression. Raises ``ImportRefusedError``."""
    parts = re.split(r"\{(\w+)\}", pattern)
    names = parts[1::2]
    if "item" not in names or len(set(names)) < len(names) or set(names) - {"item", "question"}:
        raise ImportRefusedError(
            [f"The pattern {pattern!r} needs {{item}} once, and may have {{question}} once."]
        )
    made = [re.escape(part) if n % 2 == 0 else f"(?P<{part}>.+?)" for n, part in enumerate(parts)]
    return re.compile("".join(made))


def _asked(
    path: Path,
    rows: Iterator[Row],
    names: re.Pattern[str],
    pattern: str,
    question_is: str,
    left_out: Counter[str],
) -> dict[str, tuple[str, str]]:
    """(item, question) of each column that is an answer. Takes the row with the ids."""
    where, ids = next(rows, (f"{path.name}, line 3", {}))
    questions = [column for column in ids if _is_question(column, ids, where)]
    if not questions:
        raise ImportRefusedError(
            [
                f"{where}: no column has an ImportId such as QID1. Export the answers of Qualtrics "
                "as CSV or TSV, and leave its three header rows as they are."
            ]
        )
    asked = {}
    for column in questions:
        if found := names.fullmatch(column):
            asked[column] = (found["item"], found.groupdict().get("question", question_is))
        else:
            left_out["columns that the pattern does not name"] += 1
    if not asked:
        there = ", ".join(questions[:30])
        raise ImportRefusedError(
            [f"{path.name}: no question is named like {pattern!r}. There are: {there}."]
        )
    return asked


def _tell(
    texts: dict[str, str], asked: Mapping[str, tuple[str, str]], said: Mapping[str, Any]
) -> None:
    """Into ``texts`` the text of each question: what its columns, one an item, say alike."""
    columns: dict[str, list[str]] = {}
    for column, (_, question) in asked.items():
        if one := plain(text(said[column])):
            columns.setdefault(question, []).append(one)
    for question, ones in columns.items():
        if shared := common(ones):
            texts.setdefault(question, shared)


def _is_question(column: str, ids: Mapping[str, Any], where: str) -> bool:
    try:
        said = json.loads(ids[column])["ImportId"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise ImportRefusedError(
            [
                f"{where}, {column}: {ids[column]!r} is no ImportId. An export of Qualtrics has "
                "three header rows; leave them as they are."
            ]
        ) from error
    return bool(re.search(r"(^|_)QID\d", str(said))) and not _BESIDE.search(column)


def _check(row: Mapping[str, Any], where: str, rater: str) -> None:
    if missing := [name for name in (rater, "Status", "Finished") if name not in row]:
        raise ImportRefusedError(
            [
                f"{where}: no column {', '.join(map(repr, missing))}. Export with it: it tells "
                "answers from previews and unfinished ones, and people apart."
            ]
        )


def _passed_over(row: Mapping[str, Any], where: str) -> str:
    """Why a response is left out, or ''. Raises for what Qualtrics does not write."""
    status = text(row["Status"]).casefold()
    if status in PREVIEWS:
        return "previews"
    if status in SPAM:
        return "responses that Qualtrics takes for spam"
    if status not in ANSWERS:
        raise ImportRefusedError(
            [f"{where}, Status: {row['Status']!r} is unknown. An answer has IP Address or 0."]
        )
    finished = FINISHED.get(text(row["Finished"]).casefold())
    if finished is None:
        raise ImportRefusedError(
            [f"{where}, Finished: {row['Finished']!r} is neither TRUE nor FALSE, 1 nor 0."]
        )
    return "" if finished else "unfinished responses"
