"""The tabs of a study in templates."""

from django import template

from studies import study_tabs
from studies.models import Study

register = template.Library()


@register.simple_tag
def links_of(study: Study) -> list[study_tabs.Link]:
    return study_tabs.links(study)
