"""The languages of the interface: those of the four studies' countries.

Django knows all but Filipino and Amharic, which are introduced to it here.
"""

from django.conf import locale

LANGUAGES = [
    ("en", "English"),
    ("zh-hans", "Chinese, simplified"),
    ("hi", "Hindi"),
    ("id", "Indonesian"),
    ("ms", "Malay"),
    ("fil", "Filipino"),
    ("fa", "Persian"),
    ("ar", "Arabic"),
    ("tr", "Turkish"),
    ("ne", "Nepali"),
    ("am", "Amharic"),
    ("ja", "Japanese"),
    ("de", "German"),
    ("fr", "French"),
    ("es", "Spanish"),
    ("it", "Italian"),
    ("pl", "Polish"),
    ("pt-br", "Portuguese, Brazil"),
    ("ru", "Russian"),
]

OWN_LANG_INFO = {
    "fil": {"bidi": False, "code": "fil", "name": "Filipino", "name_local": "Filipino"},
    "am": {"bidi": False, "code": "am", "name": "Amharic", "name_local": "አማርኛ"},
}


def introduce() -> None:
    """Make the languages that Django lacks known to it; settings call this first."""
    locale.LANG_INFO.update(OWN_LANG_INFO)
