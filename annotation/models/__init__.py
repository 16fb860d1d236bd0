"""Who answered what."""

from annotation.models.arrival import Attempt, Identity, Invitation
from annotation.models.assignment import Assignment, Place, Pool
from annotation.models.monitor import MonitorFigures
from annotation.models.participation import Participation
from annotation.models.prolific import ProlificAction, ProlificEvent, Reconciliation
from annotation.models.rating import AnswerRevision, CheckAnswer, Rating

__all__ = [
    "AnswerRevision",
    "Assignment",
    "Attempt",
    "CheckAnswer",
    "MonitorFigures",
    "Identity",
    "Invitation",
    "Participation",
    "Place",
    "Pool",
    "ProlificAction",
    "ProlificEvent",
    "Rating",
    "Reconciliation",
]
