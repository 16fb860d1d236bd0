"""The order of a study's questions."""

from __future__ import annotations

from django.db import transaction

from studies.models import Question, Study


@transaction.atomic
def move_question(*, question: Question, up: bool) -> bool:
    """Swap a question with its neighbour of the same tier; whether there was one.

    Positions are numbered anew from 1 in the order of the screen, so that ties and gaps that an
    import or a deletion left do no harm.
    """
    Study.objects.select_for_update().get(pk=question.study_id)
    rows = list(Question.objects.filter(study=question.study_id).order_by("tier", "position", "id"))
    neighbours = [row for row in rows if row.tier == question.tier and not row.retired]
    here = next((i for i, row in enumerate(neighbours) if row.pk == question.pk), None)
    there = None if here is None else here + (-1 if up else 1)
    if here is None or there is None or not 0 <= there < len(neighbours):
        return False
    one, other = (rows.index(neighbours[i]) for i in (here, there))
    rows[one], rows[other] = rows[other], rows[one]
    for position, row in enumerate(rows, 1):
        row.position = position
    Question.objects.bulk_update(rows, ["position"])
    return True
