"""What a study's verbs refuse, each with the sentence a person reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studies.check_lines import LaunchCheck
    from studies.models import Study

SCREENS_STAY = (
    "People may have answered already: the screens stay as they are. Duplicate the study."
)


class WrongState(Exception):
    """The study is not in a state from which this is possible. The text is for people."""


class DesignFrozen(Exception):
    """The study was opened: what it shows cannot be changed."""


class LaunchRefused(Exception):
    """The check list has stops. ``stops`` are its lines."""

    def __init__(self, stops: list[LaunchCheck]) -> None:
        self.stops = stops
        super().__init__("; ".join(f"{stop.name}: {stop.sentence}" for stop in stops))


class LaunchNoteMissing(Exception):
    """Warnings that a reviewer would ask about were not answered by a note."""

    def __init__(self, warnings: list[LaunchCheck]) -> None:
        self.warnings = warnings
        named = "; ".join(f"{line.name}: {line.sentence}" for line in warnings)
        super().__init__(f"{named}. Write a note that says why you launch all the same.")


class EditRefused(Exception):
    """Edits that would change what was answered already. ``sentences`` name them."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = tuple(sentences)
        super().__init__(" ".join(sentences))


def refuse_archived(study: Study) -> None:
    """Raises WrongState for a study in the archive."""
    if study.is_archived:
        raise WrongState(f"“{study.title}” is in the archive. Take it out of the archive first.")
