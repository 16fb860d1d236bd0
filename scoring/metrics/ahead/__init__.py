"""AHEaD: how a picture of an activity meets what a country's members expect of it.

Source: "Culture in Action: Evaluating Text-to-Image Models through Social Activities" (ICLR 2026,
arXiv:2511.05681). ``descriptors`` is what it reads, ``matching`` the similarities, ``alignment``
ALIGN and HAL, ``exaggeration`` EXAG, ``faithfulness`` FAITH, ``diversity`` DDIV and SDIV,
``calibration`` tau, ``feedback`` the lists of an item's page, ``ablations`` the variants, ``judge``
the form in which a chat model is asked the study's questions, ``metric`` what a run calls.
"""

from scoring.metrics.ahead.alignment import ALIGN, ALIGN_HAL, HAL
from scoring.metrics.ahead.descriptors import DIMENSIONS
from scoring.metrics.ahead.diversity import DDIV, SDIV
from scoring.metrics.ahead.exaggeration import EXAG
from scoring.metrics.ahead.faithfulness import FAITH
from scoring.metrics.ahead.judge import AHEAD_JUDGE
from scoring.metrics.ahead.metric import AHEAD

__all__ = [
    "AHEAD",
    "AHEAD_JUDGE",
    "ALIGN",
    "ALIGN_HAL",
    "DDIV",
    "DIMENSIONS",
    "EXAG",
    "FAITH",
    "HAL",
    "SDIV",
]
