"""Numbers in the digits of the language that is read: "3 of 6" is "۳ از ۶" in Persian.

For what people read only. Values, data- attributes and JSON are for machines and keep 0 to 9.
"""

from django import template
from django.utils.translation import gettext as _

register = template.Library()
PLAIN = "0123456789"


@register.filter
def figures(value: object) -> str:
    """``value`` as text, each digit in the language's own form."""
    own = _("0123456789")
    text = str(value)
    return text if own == PLAIN else text.translate(str.maketrans(PLAIN, own))
