"""What the rating screen measured of itself, as it comes in with drafts and with the screen.

The shape is written down in ``static/js/booth/timing.js``. A browser's word is not to be trusted
further than its form: what does not parse, or is too long, is as if nothing had been measured.
"""

import json
from typing import Any

MOST = 4096  # letters


def read_timing(raw: str) -> dict[str, Any]:
    """The record as it was sent; empty where there is none, or none that can be read."""
    if not raw or len(raw) > MOST or "\\u0000" in raw:
        return {}
    try:
        record = json.loads(raw, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _no_number(constant: str) -> None:
    raise ValueError(f"{constant} is no number.")
