"""Metrics that this installation does not have, and what each would take."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.backends import image_reward


@dataclass(frozen=True, slots=True)
class Absent:
    name: str
    sentence: str


def absent_metrics() -> tuple[Absent, ...]:
    """In the order of their names."""
    if image_reward.is_installed():
        return ()
    return (
        Absent(
            "ImageReward",
            "it is scored by its own package, image-reward, which is not installed here "
            "(docs/model-metrics.md).",
        ),
    )
