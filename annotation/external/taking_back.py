"""What an import has written of a study that will not be finished is removed again."""

from __future__ import annotations

from django.db.models import QuerySet

from annotation.models import Assignment, Participation, Rating
from studies.importing.bulk import give_way
from studies.models import Item, Study, Unit, UnitItem

LOT = 2000


def take_back(study_id: int | None) -> None:
    """Remove a study that is not whole, lot after lot, so that nobody waits; of any other, nothing.
    Begun again, it goes on."""
    study = Study.objects.filter(pk=study_id, is_whole=False).first()
    if study is None:
        return
    _remove(Rating.objects.filter(assignment__participation__study=study))
    _remove(Assignment.objects.filter(participation__study=study))
    _remove(Participation.objects.filter(study=study))
    _remove(UnitItem.objects.filter(unit__study=study))
    _remove(Unit.objects.filter(study=study))
    _remove(Item.objects.filter(study=study))
    study.delete()


def _remove(rows: QuerySet) -> None:
    """What protects other rows goes before them."""
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:LOT]):
        rows.model._default_manager.filter(pk__in=keys).delete()
        give_way()
