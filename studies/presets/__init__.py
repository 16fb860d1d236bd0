"""Published protocols and researchers' own designs as presets: one readable file each."""

from studies.presets.comparison import Difference, differences, preset_name
from studies.presets.creating import create_study, reset_setting
from studies.presets.library import (
    available,
    delete_preset,
    get,
    keep_preset,
    preset_of,
    published,
    save_preset,
    unreadable,
)
from studies.presets.parsing import parse_preset
from studies.presets.preset import (
    Fact,
    NoSuchPreset,
    Preset,
    PresetProblem,
    PresetRefused,
    Setting,
)
from studies.presets.rows import SettingRefused
from studies.presets.writing import preset_text

__all__ = [
    "Difference",
    "Fact",
    "NoSuchPreset",
    "Preset",
    "PresetProblem",
    "PresetRefused",
    "Setting",
    "SettingRefused",
    "available",
    "create_study",
    "delete_preset",
    "differences",
    "get",
    "keep_preset",
    "parse_preset",
    "preset_name",
    "preset_of",
    "preset_text",
    "published",
    "reset_setting",
    "save_preset",
    "unreadable",
]
