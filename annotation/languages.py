"""Which language a person reads: chosen by them, guessed on arrival, or their panel's."""

from django.conf import settings
from django.utils.translation.trans_real import parse_accept_lang_header

from annotation.models import Participation
from studies.models import Study
from studies.names import language_name

# What browsers and people call a language, where the interface has it under another code.
ALIASES = {"tl": "fil", "zh": "zh-hans", "zh-cn": "zh-hans", "pt": "pt-br", "in": "id"}


def interface_language(code: str) -> str:
    """The language the interface speaks to somebody who reads ``code``: ours, or English.

    A study may be worded in any language; buttons and errors exist in those of the settings.
    """
    code = code.lower().replace("_", "-")
    known = {known for known, _ in settings.LANGUAGES}
    bare = code.split("-")[0]
    for tried in (code, ALIASES.get(code), bare, ALIASES.get(bare)):
        if tried in known:
            return tried
    return "en"


def offered(person: Participation) -> list[str]:
    """The languages this person may choose: their panel's, or before that those of all panels.

    The language the study is written in is offered until the panel is known: who came by mistake
    should be able to read why they do not fit.
    """
    if person.panel is not None:
        return person.panel.languages
    panels = person.study.panels.all()
    codes = [code for panel in panels for code in panel.languages]
    return list(dict.fromkeys([*codes, person.study.base_language]))


def guessed(study: Study, accept_language: str) -> str:
    """The first of a browser's languages that some panel reads; '' where none of them is."""
    codes = {code for panel in study.panels.all() for code in panel.languages}
    codes.add(study.base_language)
    for wanted, _ in parse_accept_lang_header(accept_language):
        for code in (wanted, wanted.split("-")[0], {"tl": "fil"}.get(wanted.split("-")[0])):
            if code in codes:
                return code
    return ""


def choose(*, participation: Participation, language: str) -> bool:
    """Read on in another language. False: it is not among those offered, nothing changed."""
    if language not in offered(participation):
        return False
    participation.language = language
    participation.save(update_fields=["language"])
    return True


def language_of(person: Participation) -> str:
    """The language of the words this person sees."""
    if person.panel is None:
        return person.language or person.study.base_language
    languages = person.panel.languages
    return person.language if person.language in languages else languages[0]


def choices(person: Participation) -> list[tuple[str, str]]:
    """(code, its own name) of the languages offered, for the switch."""
    return [(code, language_name(code, code).capitalize()) for code in offered(person)]
