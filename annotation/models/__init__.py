"""Who answered what."""

from annotation.models.assignment import Assignment, Place, Pool
from annotation.models.participation import Participation
from annotation.models.rating import AnswerRevision, CheckAnswer, Rating

__all__ = [
    "AnswerRevision",
    "Assignment",
    "CheckAnswer",
    "Participation",
    "Place",
    "Pool",
    "Rating",
]
