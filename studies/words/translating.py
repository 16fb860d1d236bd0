"""Translations of a study's texts: how complete they are, and the verbs that change them."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction

from studies.models import Study
from studies.models.translation import Translation
from studies.names import language_name
from studies.words.texts import Text, study_texts


@dataclass(frozen=True)
class Entry:
    """One text beside its translation."""

    text: Text
    translation: str
    is_stale: bool

    @property
    def is_missing(self) -> bool:
        return not self.translation


@dataclass(frozen=True)
class Refusal:
    """A translation that cannot be taken: which, and why."""

    key: str
    sentence: str


def wanted_languages(study: Study) -> list[str]:
    """The languages of the panels that are not the one the texts are written in."""
    languages = [language for panel in study.panels.all() for language in panel.languages]
    return [code for code in dict.fromkeys(languages) if code != study.base_language]


def entries(study: Study, language: str) -> list[Entry]:
    """Every text of the study beside its translation into ``language``."""
    have = {row.key: row for row in study.translations.filter(language=language)}
    found = []
    for text in study_texts(study):
        row = have.get(text.key)
        found.append(Entry(text, row.text if row else "", bool(row) and row.source != text.source))
    return found


def frozen_translations(study: Study) -> dict[str, dict[str, str]]:
    """{language: {key: text}} of the texts that exist now, as a design freezes them."""
    keys = {text.key for text in study_texts(study)}
    found: dict[str, dict[str, str]] = {}
    for row in study.translations.order_by("language", "key"):
        if row.key in keys and row.language != study.base_language:
            found.setdefault(row.language, {})[row.key] = row.text
    return found


def missing_texts(study: Study) -> list[tuple[str, list[Entry]]]:
    """Per wanted language, the texts that have no translation."""
    return [
        (language, [entry for entry in entries(study, language) if entry.is_missing])
        for language in wanted_languages(study)
    ]


def refusal_of(text: Text, translation: str) -> str:
    """Why a translation cannot stand for a text; '' where it can."""
    if text.limit and len(translation) > text.limit:
        return f"{len(translation)} characters; at most {text.limit} fit."
    for name in ("{activity}", "{country}", "{probe}"):
        if name in text.source and name not in translation:
            return f"{name} is missing: what it stands for would not be said."
        if name in translation and name not in text.source:
            return f"{name} is not in the text it translates."
    if "\x00" in translation:
        return "It holds a character that is no text (NUL)."
    return ""


@transaction.atomic
def save_translations(
    *, study: Study, language: str, texts: Mapping[str, str], by
) -> tuple[int, list[Refusal]]:
    """Write what changed; an empty text removes a translation. How many changed, what was refused.

    What is refused is not written, the rest is. Unknown keys are refused by name.
    """
    if language == study.base_language:
        name = language_name(language)
        return 0, [Refusal("", f"The texts are written in {name}: edit them where they stand.")]
    Study.objects.select_for_update().get(pk=study.pk)
    known = {text.key: text for text in study_texts(study)}
    have = {row.key: row for row in study.translations.filter(language=language)}
    refusals, changed = [], 0
    for key, typed in texts.items():
        translation = typed.replace("\r\n", "\n").strip()
        text, row = known.get(key), have.get(key)
        if text is None:
            refusals.append(Refusal(key, "The study has no such text."))
        elif not translation:
            changed += row.delete()[0] if row else 0
        elif sentence := refusal_of(text, translation):
            refusals.append(Refusal(key, sentence))
        elif row is None or (row.text, row.source) != (translation, text.source):
            Translation.objects.update_or_create(
                study=study,
                language=language,
                key=key,
                defaults={"text": translation, "source": text.source, "changed_by": by},
            )
            changed += 1
    return changed, refusals
