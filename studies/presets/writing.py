"""A preset as the text of its file: the TOML that ``parsing`` reads, laid out to be read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from studies.presets.fields import PANEL_FIELDS
from studies.presets.parsing import FORMAT, HEAD
from studies.presets.preset import Preset, Setting


def preset_text(preset: Preset) -> str:
    """``parse_preset(preset_text(preset))`` gives the same preset again."""
    lines = [f"format = {FORMAT}"]
    lines += [f"{name} = {_value(getattr(preset, name))}" for name in ("key", *HEAD)]
    for fact in preset.facts:
        lines += ["", "[[facts]]", f"label = {_value(fact.label)}", f"value = {_value(fact.value)}"]
    study = {name: row for name, row in preset.settings.items() if "." not in name}
    for name, setting in study.items():
        if name not in ("panels", "questions", "screening", "attention_checks", "comprehension"):
            lines += _setting(f"settings.{name}", setting)
    lines += _panels(preset.settings)
    lines += _questions(preset.settings)
    if screening := preset.settings.get("screening"):
        lines += _listed("screening", screening)
    if checks := preset.settings.get("attention_checks"):
        lines += _listed("attention_checks", checks)
    if quick := preset.settings.get("comprehension"):
        lines += _listed("comprehension", quick)
    for name, setting in preset.settings.items():
        if name.startswith(("quality.", "plan.")):
            lines += _setting(name, setting)
    return "\n".join(lines) + "\n"


def _setting(heading: str, setting: Setting) -> list[str]:
    value = [] if setting.value is None else [f"value = {_value(setting.value)}"]
    return ["", f"[{heading}]", *value, *_source(setting)]


def _source(setting: Setting) -> list[str]:
    note = [f"note = {_value(setting.note)}"] if setting.note else []
    return [f"status = {_value(setting.status)}", *note]


def _listed(heading: str, setting: Setting) -> list[str]:
    rows = ",\n".join(f"  {_value(row)}" for row in setting.value)
    return [
        "",
        f"[{heading}]",
        f"value = [\n{rows}\n]" if rows else "value = []",
        *_source(setting),
    ]


def _panels(settings: Mapping[str, Setting]) -> list[str]:
    lines = _listed("panels", settings["panels"]) if "panels" in settings else []
    for name in PANEL_FIELDS:
        if setting := settings.get(f"panels.{name}"):
            lines += _setting(f"panels.{name}", setting)
    return lines


def _questions(settings: Mapping[str, Setting]) -> list[str]:
    if "questions" not in settings:
        return []
    order = settings["questions"]
    lines = ["", "[question_order]", *_source(order)]
    for key in order.value:
        setting = settings[f"questions.{key}"]
        lines += ["", "[[questions]]", f"key = {_value(key)}"]
        for name, value in setting.value.items():
            if name == "points":
                points = ",\n".join(f"  {_value(point)}" for point in value)
                lines.append(f"points = [\n{points}\n]")
            else:
                lines.append(f"{name} = {_value(value)}")
        lines += _source(setting)
    return lines


def _value(value: Any) -> str:
    """A TOML value in one line; texts of several lines keep them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(_value(one) for one in value)}]"
    # None has no form in TOML and means what leaving it out does.
    pairs = (f"{_key(key)} = {_value(one)}" for key, one in value.items() if one is not None)
    return f"{{ {', '.join(pairs)} }}"


def _key(key: str) -> str:
    is_bare = key and key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if is_bare else json.dumps(key, ensure_ascii=False)


def _text(text: str) -> str:
    lines = [json.dumps(line, ensure_ascii=False)[1:-1] for line in text.split("\n")]
    joined = "\n".join(lines).replace("\x7f", "\\u007f")  # the one letter that JSON leaves bare
    return f'"{joined}"' if len(lines) == 1 else f'"""\n{joined}"""'
