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

# What browsers and people call a language, where Django would not find ours by itself.
ALIASES = {"tl": "fil", "zh": "zh-hans", "zh-cn": "zh-hans", "pt": "pt-br", "in": "id"}


def introduce() -> None:
    """Make the languages that Django lacks known to it; settings call this first."""
    locale.LANG_INFO.update(OWN_LANG_INFO)


def interface_language(code: str) -> str:
    """The language the interface speaks to somebody who reads ``code``: ours, or English.

    A study may be worded in any language; buttons and errors exist in those above.
    """
    code = code.lower().replace("_", "-")
    known = {known for known, _ in LANGUAGES}
    for tried in (code, ALIASES.get(code, ""), code.split("-")[0], ALIASES.get(code.split("-")[0])):
        if tried in known:
            return tried
    return "en"
