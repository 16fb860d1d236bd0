"""AHEaD: how a picture of an activity meets what a country's members expect of it."""

from scoring.metrics.ahead.former import AHEAD, ALIGN, DIMENSIONS, HAL, DescribedItem, score_items

__all__ = ["AHEAD", "ALIGN", "DIMENSIONS", "HAL", "DescribedItem", "score_items"]
