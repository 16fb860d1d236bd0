"""Whether a value has the shape that a JSON schema asks for: the part of the language we use.

Known are ``type`` (one name or several), ``enum``, ``minimum``, ``maximum``, ``items``,
``maxItems``, ``properties``, ``required`` and ``additionalProperties: false``. A schema with
another word is a mistake of ours and raises ``ValueError``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_KNOWN = {
    "type",
    "enum",
    "minimum",
    "maximum",
    "items",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
}


def misfit(value: Any, schema: Mapping[str, Any], *, at: str = "the answer") -> str:
    """What is wrong, in a few words; empty where ``value`` fits."""
    unknown = set(schema) - _KNOWN
    if unknown:
        raise ValueError(f"This schema has words that are not checked: {sorted(unknown)}.")
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is(value, name) for name in names):
        return f"{at} is not of type {' or '.join(names)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at} is none of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, dict):
        return _object_misfit(value, schema, at)
    if isinstance(value, list):
        return _array_misfit(value, schema, at)
    if _is(value, "number"):
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        if not low <= value <= high:
            return f"{at} is outside {low} to {high}"
    return ""


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):  # an int to Python, not to JSON
        return name == "boolean"
    return isinstance(value, _TYPES[name])


def _object_misfit(value: dict[str, Any], schema: Mapping[str, Any], at: str) -> str:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{at} lacks {name!r}"
    for name, inner in value.items():
        if name in properties:
            if wrong := misfit(inner, properties[name], at=f"{name!r}"):
                return wrong
        elif schema.get("additionalProperties") is False:
            return f"{at} has an unknown key {name!r}"
    return ""


def _array_misfit(value: list[Any], schema: Mapping[str, Any], at: str) -> str:
    most = schema.get("maxItems")
    if most is not None and len(value) > most:
        return f"{at} has {len(value)} entries, more than {most}"
    for inner in value:
        if wrong := misfit(inner, schema["items"], at=f"an entry of {at}"):
            return wrong
    return ""
