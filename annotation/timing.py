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
        record = json.loads(raw)
        # What JSON's grammar lets through and no database stores: NaN, 1e999, half a letter.
        json.dumps(record, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}
