"""What the rating screen measured of itself, as it comes in with drafts and with the screen.

The shape is written down in ``static/js/booth/timing.js``. A browser's word is not to be trusted
further than its form: what does not parse, or is too long, is as if nothing had been measured.
"""

import json
from typing import Any

from django.db.models import FloatField, Func

MOST = 4096  # letters


def read_timing(raw: str) -> dict[str, Any]:
    """The record as it was sent; empty where there is none, or none that can be read."""
    if not raw or len(raw) > MOST or "\\u0000" in raw:
        return {}
    try:
        record = json.loads(raw)
        # What JSON's grammar lets through and no database stores: NaN, 1e999, half a letter.
        json.dumps(record, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


class SecondsBetween(Func):
    """Seconds that the first moment is later than the second, reckoned by the database: a screen
    looks at thirty pairs, and making moments of what is stored takes longer than reading it."""

    output_field = FloatField()

    def as_sqlite(self, compiler, connection, **context):
        template = "(julianday(%(expressions)s)) * 86400"
        return self.as_sql(
            compiler, connection, template=template, arg_joiner=") - julianday(", **context
        )

    def as_postgresql(self, compiler, connection, **context):
        template = "EXTRACT(EPOCH FROM (%(expressions)s))::double precision"
        return self.as_sql(compiler, connection, template=template, arg_joiner=" - ", **context)
