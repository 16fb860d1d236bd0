"""A preset's file read strictly: bytes of TOML in, a preset or every fault by its key out."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import ValidationError

from studies.models import ScreeningQuestion
from studies.models.question import NO_NOT_APPLICABLE, WITH_NOT_APPLICABLE
from studies.presets.fields import (
    CHECK_FIELDS,
    DEPENDENCIES,
    PANEL_FIELDS,
    PLAN_FIELDS,
    POINT_FIELDS,
    QUESTION_FIELDS,
    QUICK_FIELDS,
    ROW_FIELDS,
    RULE_FIELDS,
    SCREENING_FIELDS,
    STUDY_FIELDS,
    model_field,
    told,
    value_fault,
)
from studies.presets.preset import (
    STATUSES,
    Fact,
    Preset,
    PresetProblem,
    PresetRefused,
    Setting,
)
from studies.quality_rules import DEFAULTS, Action, rule_fault

FORMAT = 1
MAX_LETTERS = 500_000
HEAD = {"name": 120, "title": 200, "summary": 400, "source": 600}
_TOP = ("format", "key", *HEAD, "facts", "settings", "panels", "question_order")
_ASKED = ("questions", "screening", "attention_checks", "comprehension")
_TOP_KEYS = (*_TOP, *_ASKED, "quality", "plan")
_SETTING_KEYS = ("value", "status", "note")


def parse_preset(text: str) -> Preset:
    """The preset a file describes. Raises PresetRefused with every fault that was found."""
    if len(text) > MAX_LETTERS:
        raise PresetRefused([PresetProblem("", "The file is too large.", "Shorten its texts.")])
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        wrong = f"This is not TOML: {str(error)[0].lower()}{str(error)[1:]}."
        raise PresetRefused([PresetProblem("", wrong, "Mend that line.")]) from error
    reader = _Reader()
    reader.refuse_nul(data)
    preset = reader.preset(data)
    if reader.problems:
        raise PresetRefused(reader.problems)
    return preset


class _Reader:
    """Walks the data; faults are collected, so that a person mends all at once."""

    def __init__(self) -> None:
        self.problems: list[PresetProblem] = []
        self.settings: dict[str, Setting] = {}

    def add(self, key: str, wrong: str, fix: str) -> None:
        self.problems.append(PresetProblem(key, wrong, fix))

    def refuse_nul(self, value: Any, place: str = "") -> None:
        """TOML can spell the letter NUL, and no database keeps it."""
        if isinstance(value, str) and "\0" in value:
            self.add(place, "It holds a character that is no text (NUL).", "Take it out.")
        elif isinstance(value, dict):
            for key, inner in value.items():
                self.refuse_nul(key, place)
                self.refuse_nul(inner, f"{place}.{key}" if place else key)
        elif isinstance(value, list):
            for number, inner in enumerate(value, 1):
                self.refuse_nul(inner, f"{place}[{number}]")

    def preset(self, data: Mapping[str, Any]) -> Preset:
        self._known("", data, _TOP_KEYS)
        if data.get("format") != FORMAT:
            self.add("format", "The format is not known.", f"Write format = {FORMAT}.")
        for name, limit in HEAD.items():
            self._text(name, data.get(name, ""), limit)
        self._text("key", data.get("key", ""), 40)
        for name in ("name", "title"):
            if not data.get(name):
                self.add(name, "It is missing.", f'Write {name} = "…" at the top.')
        facts = tuple(self._facts(data.get("facts", [])))
        self._group("", self._table("settings", data), STUDY_FIELDS, "study")
        self._panels(self._table("panels", data))
        self._questions(data.get("questions", []), self._table("question_order", data))
        self._screening(self._table("screening", data))
        self._checks(self._table("attention_checks", data))
        self._comprehension(self._table("comprehension", data))
        self._quality(self._table("quality", data))
        self._group("plan.", self._table("plan", data), PLAN_FIELDS, "plan")
        self._targets()
        head = {name: str(data.get(name, "")) for name in ("key", *HEAD)}
        return Preset(**head, facts=facts, settings=self.settings)

    # ---- parts

    def _facts(self, rows: Any) -> Iterable[Fact]:
        for key, row in self._rows("facts", rows):
            if self._known(key, row, ("label", "value")) and len(row) == 2:
                self._text(f"{key}.label", row["label"], 60)
                self._text(f"{key}.value", row["value"], 60)
                yield Fact(str(row["label"]), str(row["value"]))
            elif len(row) < 2:
                self.add(key, "A fact has a label and a value.", "Write both.")

    def _group(self, prefix: str, table: Mapping[str, Any], names, part: str) -> None:
        place = prefix or "settings."
        self._known(place.rstrip("."), table, names)
        for name in names:
            if name in table and isinstance(setting := table[name], dict):
                self._setting(f"{place}{name}", prefix + name, setting, part, name)
            elif name in table:
                self.add(f"{place}{name}", "It is not a table.", "Write { value = … }.")

    def _setting(self, place: str, flat: str, table: Mapping, part: str, name: str) -> None:
        self._known(place, table, _SETTING_KEYS)
        value = table.get("value")
        if fault := value_fault(part, name, value):
            self.add(f"{place}.value", *fault)
        self._keep(place, flat, value, table)

    def _keep(self, place: str, flat: str, value: Any, table: Mapping[str, Any]) -> None:
        status, note = table.get("status", "ours"), table.get("note", "")
        if status not in STATUSES:
            self.add(f"{place}.status", f"“{status}” is not allowed.", f"Choose {_or(STATUSES)}.")
        self._text(f"{place}.note", note, 400)
        self.settings[flat] = Setting(value, str(status), str(note))

    def _panels(self, table: Mapping[str, Any]) -> None:
        self._known("panels", table, (*_SETTING_KEYS, *PANEL_FIELDS))
        rows = []
        for key, row in self._rows("panels.value", table.get("value", [])):
            self._fields(key, row, (*ROW_FIELDS, *PANEL_FIELDS), "panel")
            if not row.get("country"):
                self.add(f"{key}.country", "It is missing.", "Give a two-letter code.")
            # Its language is the model's where none is given, so that rows compare as they are.
            rows.append(told("panel", {"language": "en", **row}))
        for key, twice in _twice([str(row.get("country")) for row in rows]):
            self.add(f"panels.value[{key}]", f"{twice} is there twice.", "Keep one panel.")
        self._keep("panels", "panels", rows, table)
        shared = {name: table[name] for name in PANEL_FIELDS if name in table}
        self._group("panels.", shared, PANEL_FIELDS, "panel")

    def _questions(self, rows: Any, order: Mapping[str, Any]) -> None:
        self._known("question_order", order, ("status", "note"))
        asked: dict[str, Mapping[str, Any]] = {}
        for key, row in self._rows("questions", rows):
            name = self._question(key, row)
            if name in asked:
                self.add(f"{key}.key", f"“{name}” is there twice.", "Give each its own key.")
            asked[name] = row
        for name, row in asked.items():
            for field in DEPENDENCIES:
                if field in row:
                    self._dependency(f"questions.{name}.{field}", row[field], name, asked)
                    self._range(f"questions.{name}.{field}", row[field], DEPENDENCIES[field])
        self._keep("question_order", "questions", list(asked), order)

    def _question(self, key: str, row: Mapping[str, Any]) -> str:
        extra = ("key", "points", *DEPENDENCIES, "status", "note")
        self._known(key, row, (*QUESTION_FIELDS, *extra))
        name = row.get("key", "")
        if fault := value_fault("question", "text", name) or _key_fault(name):
            self.add(f"{key}.key", *fault)
            name = str(name)
        given = {field: row[field] for field in QUESTION_FIELDS if field in row}
        self._fields(key, given, QUESTION_FIELDS, "question")
        for field in ("kind", "text"):
            if field not in row:
                self.add(f"{key}.{field}", "It is missing.", f'Write {field} = "…".')
        if row.get("allow_na") is True and row.get("kind") not in WITH_NOT_APPLICABLE:
            self.add(f"{key}.allow_na", NO_NOT_APPLICABLE, "Take allow_na out.")
        value = told("question", given) | {f: row[f] for f in DEPENDENCIES if f in row}
        points = []
        for place, point in self._rows(f"{key}.points", row.get("points", [])):
            self._fields(place, point, POINT_FIELDS, "point")
            if "value" not in point:
                self.add(f"{place}.value", "It is missing.", "Give the point's number.")
            points.append(told("point", {"label": "", **point}))
        for place, twice in _twice([str(point.get("value")) for point in points]):
            self.add(f"{key}.points[{place}]", f"{twice} is there twice.", "Number the points.")
        if points:
            value["points"] = points
        self._keep(key, f"questions.{name}", value, row)
        return name

    def _dependency(self, key: str, table: Any, name: str, asked: Mapping) -> None:
        if not isinstance(table, dict):
            self.add(key, "It is not a table.", "Write { question = …, from = …, to = … }.")
            return
        self._known(key, table, ("question", "from", "to"))
        other = str(table.get("question", ""))
        if other not in asked:
            self.add(f"{key}.question", f"There is no question “{other}”.", "Name one of the file.")
        elif other == name:
            self.add(f"{key}.question", "It depends on itself.", "Name another question.")

    def _range(self, key: str, table: Any, start: str) -> None:
        if not isinstance(table, dict):
            return
        ends = {name: table.get(name) for name in ("from", "to")}
        if any(not isinstance(end, int) or isinstance(end, bool) for end in ends.values()):
            self.add(key, "Its range is not given.", "Write from and to as whole numbers.")
        elif ends["from"] > ends["to"]:
            self.add(key, "The range is upside down.", "Swap from and to.")
        else:
            for name, end in ends.items():
                if fault := value_fault("question", f"{start}_{name}", end):
                    self.add(f"{key}.{name}", *fault)

    def _checks(self, table: Mapping[str, Any]) -> None:
        self._known("attention_checks", table, _SETTING_KEYS)
        rows = []
        for key, row in self._rows("attention_checks.value", table.get("value", [])):
            self._fields(key, row, (*CHECK_FIELDS, "scale_of"), "check")
            if f"questions.{row.get('scale_of')}" not in self.settings:
                wrong = f"There is no question “{row.get('scale_of')}”."
                self.add(f"{key}.scale_of", wrong, "Name a question of the file.")
            if "expected" not in row:
                self.add(f"{key}.expected", "It is missing.", "Give the number to choose.")
            rows.append(
                told("check", {name: value for name, value in row.items() if name != "scale_of"})
                | {"scale_of": row.get("scale_of")}
            )
        self._keep("attention_checks", "attention_checks", rows, table)

    def _screening(self, table: Mapping[str, Any]) -> None:
        self._known("screening", table, _SETTING_KEYS)
        rows = []
        for key, row in self._rows("screening.value", table.get("value", [])):
            self._fields(key, row, SCREENING_FIELDS, "screening")
            texts = {name: str(row.get(name, "")) for name in SCREENING_FIELDS[:3]}
            try:
                ScreeningQuestion(**texts).clean()
            except ValidationError as error:
                for name, words in error.message_dict.items():
                    self.add(f"{key}.{name}", " ".join(words), "Change it.")
            rows.append(told("screening", {"text": "", **row}))
        self._keep("screening", "screening", rows, table)

    def _comprehension(self, table: Mapping[str, Any]) -> None:
        self._known("comprehension", table, _SETTING_KEYS)
        rows = []
        for key, row in self._rows("comprehension.value", table.get("value", [])):
            self._fields(key, row, QUICK_FIELDS, "quick")
            options = [line for line in str(row.get("options", "")).splitlines() if line.strip()]
            if len(options) < 2:
                self.add(f"{key}.options", "Fewer than two answers.", "Give one a line.")
            elif row.get("correct") not in range(1, len(options) + 1):
                self.add(f"{key}.correct", "No answer has that number.", "Number them from 1.")
            rows.append(told("quick", {"text": "", **row}))
        self._keep("comprehension", "comprehension", rows, table)

    def _quality(self, table: Mapping[str, Any]) -> None:
        self._known("quality", table, list(DEFAULTS))
        for kind, setting in table.items():
            if kind not in DEFAULTS:
                continue
            place = f"quality.{kind}"
            value = setting.get("value") if isinstance(setting, dict) else None
            if not isinstance(value, dict):
                self.add(place, "It is not a rule.", "Write value = { action = …, threshold = … }.")
                continue
            self._known(place, setting, _SETTING_KEYS)
            n_before = len(self.problems)
            self._fields(f"{place}.value", value, RULE_FIELDS, "rule")
            rule = {"threshold": DEFAULTS[kind], "action": str(Action.FLAG)} | value
            if len(self.problems) == n_before and (fault := rule_fault(kind, **rule)):
                self.add(f"{place}.value", fault, "Change the rule.")
            self._keep(place, place, rule, setting)

    def _targets(self) -> None:
        targets = self.settings.get("plan.targets", Setting({})).value
        for metric, keys in targets.items() if isinstance(targets, dict) else []:
            for name in keys if isinstance(keys, list) else []:
                if f"questions.{name}" not in self.settings:
                    key = f"plan.targets.value.{metric}"
                    self.add(key, f"There is no question “{name}”.", "Name one of the file.")

    # ---- small steps

    def _known(self, place: str, table: Mapping[str, Any], names: Iterable[str]) -> bool:
        names = list(names)
        unknown = [name for name in table if name not in names]
        for name in unknown:
            near = difflib.get_close_matches(name, names, n=1)
            fix = f"Did you mean {near[0]}?" if near else f"Take it out; known: {', '.join(names)}."
            self.add(f"{place}.{name}" if place else name, "The key is not known.", fix)
        return not unknown

    def _table(self, name: str, data: Mapping[str, Any]) -> Mapping[str, Any]:
        table = data.get(name, {})
        if isinstance(table, dict):
            return table
        self.add(name, "It is not a table.", f"Write [{name}] and its settings below.")
        return {}

    def _rows(self, name: str, rows: Any) -> list[tuple[str, Mapping[str, Any]]]:
        if not isinstance(rows, list) or any(not isinstance(row, dict) for row in rows):
            self.add(name, "It is not a list of tables.", f"Write [[{name}]] for each.")
            return []
        return [(f"{name}[{i}]", row) for i, row in enumerate(rows, 1)]

    def _fields(self, place: str, row: Mapping[str, Any], names, part: str) -> None:
        self._known(place, row, names)
        for name, value in row.items():
            if name in names and name != "scale_of" and (fault := value_fault(part, name, value)):
                self.add(f"{place}.{name}", *fault)

    def _text(self, key: str, value: Any, limit: int) -> None:
        if not isinstance(value, str):
            self.add(key, "It is not a text.", "Put it in quotes.")
        elif len(value) > limit:
            self.add(key, f"{len(value)} letters; {limit} are allowed.", "Shorten it.")


def _key_fault(name: Any) -> tuple[str, str] | None:
    try:
        model_field("question", "key").run_validators(name)
    except ValidationError as error:
        return " ".join(error.messages), "Change the key."
    return None if name else ("It is missing.", "Give the question a key.")


def _twice(names: list[str]) -> list[tuple[int, str]]:
    return [(i, name) for i, name in enumerate(names, 1) if name in names[: i - 1]]


def _or(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}"
