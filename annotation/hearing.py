"""What the sound check asks: facts only, nothing is written here."""

import random

from annotation.models import Participation
from studies.models import Study

FEWEST, MOST, TRIES = 2, 5, 2
CHOICES = tuple(str(n) for n in range(1, 7))


def is_asked(study: Study) -> bool:
    """Only where sound is judged does it matter whether it is heard."""
    return study.sound == Study.Sound.JUDGED


def is_due(person: Participation) -> bool:
    return is_asked(person.study) and person.hearing != Participation.Hearing.HEARD


def beeps_of(person: Participation) -> int:
    """How many beeps this try has: another draw for each."""
    return random.Random(f"{person.seed}:beeps:{person.hearing_tries}").randint(FEWEST, MOST)
