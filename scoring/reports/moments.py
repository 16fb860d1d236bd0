"""Moments as people read them."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(iso: str) -> str:
    """ "29 Nov 2026, 14:02 UTC" of a moment in ISO 8601."""
    at = datetime.fromisoformat(iso).astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M} UTC"
