"""Who answered what."""

from annotation.models.arrival import Attempt, Identity, Invitation
from annotation.models.assignment import Assignment, Place, Pool
from annotation.models.checks import (
    BlockSeat,
    CheckOutcome,
    ComprehensionTry,
    PracticeAnswer,
)
from annotation.models.external import ExternalSource, RatingsImport
from annotation.models.monitor import MonitorFigures
from annotation.models.participation import Participation
from annotation.models.prolific import ProlificAction, ProlificEvent, Reconciliation
from annotation.models.quality import Conversation, Exclusion, Flag, Measure
from annotation.models.rating import AnswerRevision, CheckAnswer, Rating
from annotation.models.remark import Remark

__all__ = [
    "AnswerRevision",
    "Assignment",
    "Attempt",
    "BlockSeat",
    "CheckAnswer",
    "CheckOutcome",
    "ComprehensionTry",
    "Conversation",
    "Exclusion",
    "ExternalSource",
    "Flag",
    "Measure",
    "MonitorFigures",
    "Identity",
    "Invitation",
    "Participation",
    "Place",
    "Pool",
    "PracticeAnswer",
    "ProlificAction",
    "ProlificEvent",
    "Rating",
    "RatingsImport",
    "Reconciliation",
    "Remark",
]
