"""Which Concord this is, in templates."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def concord_version() -> str:
    return settings.VERSION
