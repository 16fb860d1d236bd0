"""Taking away what one person answered, at their wish. Nothing else in Concord deletes answers."""

from __future__ import annotations

from annotation.models import AnswerRevision, CheckAnswer, Participation, Rating, Remark
from annotation.places import free_places


def remove_answers(*, person: Participation) -> int:
    """Delete a person's screens with all that was answered on them; returns how many were sent.

    The places they filled are open again, or filled by answers that were surplus so far. What they
    said about themselves goes too; the pseudonym, the panel and the count stay. Call with the
    person locked, in a transaction.
    """
    n_sent = person.assignments.filter(submitted_at__isnull=False).count()
    for model in (Rating, CheckAnswer, AnswerRevision):
        model.objects.filter(assignment__participation=person).delete()
    person.assignments.filter(repeat_of__isnull=False).delete()  # they protect what they repeat
    person.assignments.all().delete()
    person.practice_answers.all().delete()
    person.comprehension_tries.all().delete()
    Remark.objects.filter(participation=person).delete()
    person.n_removed += n_sent
    person.nationality = person.second_nationality = ""
    person.residence = person.first_language = ""
    person.screening_answers = {}
    person.save(
        update_fields=[
            "n_removed",
            "nationality",
            "second_nationality",
            "residence",
            "first_language",
            "screening_answers",
        ]
    )
    free_places(person=person)
    return n_sent
