"""Annotators for tests: people who got past the entry, and what they answer."""

from datetime import timedelta

from django.utils import timezone

from annotation import entry
from annotation.answers import Answers
from annotation.assignment import claim_next_unit
from annotation.kinds import Given
from annotation.models import Assignment, Participation, Place
from annotation.responding import Submission, submit_unit
from annotation.sheet import check_of
from studies.design import Design, frozen_design
from studies.models import Study


def screened(study: Study, country: str = "NP") -> Participation:
    """A person who agreed and fits the panel; the instructions are before them."""
    person = entry.arrive(study=study)
    entry.record_consent(participation=person, agreed=True)
    entry.record_screening(
        participation=person, nationality=country, residence=country, first_language="ne"
    )
    return person


def somebody(study: Study, country: str = "NP") -> Participation:
    """A person who agreed, fits the panel and has read the instructions."""
    person = screened(study, country)
    entry.start_rating(participation=person)
    return person


def design(study: Study) -> Design:
    return frozen_design(study.pk, study.revision)


def answers(study: Study, assignment: Assignment, value: int = 2) -> Answers:
    """Every scale answered alike, a rationale where it is needed."""
    given = Answers()
    item = assignment.unit.items.get().pk
    for question in design(study).questions:
        if question.kind == "likert":
            given.given.append(Given(question.id, item=item, value=value))
        elif value > 2:
            text = "The clothes are from elsewhere."
            given.given.append(Given(question.id, item=item, text=text))
    if assignment.attention_check_id:
        given.check_value = 2
    return given


def send(study: Study, assignment: Assignment, value: int = 2) -> Submission:
    return submit_unit(
        assignment=assignment,
        key=assignment.key,
        answers=answers(study, assignment, value),
        check=check_of(design(study), assignment),
    )


def rate_all(study: Study, person: Participation) -> int:
    """Rate until the session is over. Returns how many screens were sent."""
    sent = 0
    while (assignment := claim_next_unit(participation=person)) is not None:
        send(study, assignment)
        sent += 1
    return sent


def expire_leases(**which) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Place.objects.filter(state=Place.State.LEASED, **which).update(leased_until=past)


def form(study: Study, assignment: Assignment, value: int = 2, **changes) -> dict[str, str]:
    """The fields a browser would post for this screen."""
    data = {"key": assignment.key}
    for question in design(study).questions:
        likert = question.kind == "likert"
        data[f"q_{question.id}"] = str(value) if likert else "The clothes are from elsewhere."
    if assignment.attention_check_id:
        data[f"c_{assignment.attention_check_id}"] = "2"
    return data | changes
