"""How much room some columns of a row take, noted with the row.

Stores of large rows are summed up from an index of such a column, without reading what they hold.
"""

from __future__ import annotations

import json
from typing import Any

from django.db import models


class SizeField(models.BigIntegerField):
    """Written with the row, as the dates of ``auto_now_add`` are: bytes, and letters of JSON, of
    the columns ``of``."""

    def __init__(self, *args: Any, of: tuple[str, ...] = (), **kwargs: Any) -> None:
        self.of = tuple(of)
        super().__init__(*args, **{"default": 0, "editable": False, **kwargs})

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        return name, path, args, {**kwargs, "of": self.of}

    def pre_save(self, model_instance: models.Model, add: bool) -> int:
        size = sum(_size(getattr(model_instance, name)) for name in self.of)
        setattr(model_instance, self.attname, size)
        return size


def _size(value: Any) -> int:
    return len(value) if isinstance(value, bytes | memoryview) else len(json.dumps(value))
