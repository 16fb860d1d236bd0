"""The automatic metrics. Importing this package registers all of them and loads no model."""

from scoring.metrics.ahead import AHEAD
from scoring.metrics.base import all_metrics, get_metric, register
from scoring.metrics.image_text import CLIPSCORE, PICKSCORE

register(AHEAD)
register(CLIPSCORE)
register(PICKSCORE)

__all__ = ["all_metrics", "get_metric"]
