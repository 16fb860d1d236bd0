"""How far studies are, in templates of lists of them."""

from collections.abc import Iterable

from django import template

from annotation.monitor.overview import Progress, progress_of
from studies.models import Study

register = template.Library()


@register.simple_tag
def with_progress(studies: Iterable[Study]) -> list[tuple[Study, Progress | None]]:
    """Each study with how far it is; a draft with None."""
    rows = list(studies)
    found = progress_of(rows)
    return [(study, found.get(study.pk)) for study in rows]
