"""Who answered what."""

from annotation.models.assignment import Assignment, Place
from annotation.models.participation import Participation
from annotation.models.rating import CheckAnswer, Rating

__all__ = ["Assignment", "CheckAnswer", "Participation", "Place", "Rating"]
