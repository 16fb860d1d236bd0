"""Label sets from files: one label a line, as whoever wrote them means them."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction

from scoring.models import LabelSet
from studies.models import Study


class LabelSetError(ValueError):
    """A label set cannot be written like this; the message says why."""


@transaction.atomic
def write_label_set(*, study: Study, name: str, text: str, replace: bool = False) -> LabelSet:
    """The study's label set ``name`` with the lines of ``text``.

    Raises ``LabelSetError`` where there is one already that is not to be replaced, and for a name
    or labels that a label set cannot have. Scores keep the labels that they were made with.
    """
    found = study.label_sets.filter(name=name).first()
    if found is not None and not replace:
        raise LabelSetError(
            f"There is a label set {name!r} already. Say that it is to be replaced."
        )
    labels = found or LabelSet(study=study, name=name)
    labels.labels = text
    try:
        labels.full_clean(exclude=["study"])
    except ValidationError as error:
        raise LabelSetError(" ".join(error.messages)) from error
    labels.save()
    return labels
