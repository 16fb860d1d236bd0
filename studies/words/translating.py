"""Translations of a study's texts: how complete they are, and the verbs that change them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from studies.models import Study
from studies.models.translation import Translation
from studies.names import language_name
from studies.words.texts import Text, study_texts

BATCH = 500


@dataclass(frozen=True)
class Entry:
    """One text beside its translation. ``made_from``: what the text was when it was translated."""

    text: Text
    translation: str
    is_stale: bool
    made_from: str = ""

    @property
    def is_missing(self) -> bool:
        return not self.translation and not self.text.has_usual


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
    return entries_in(study, [language])[language]


def entries_in(study: Study, languages: Sequence[str]) -> dict[str, list[Entry]]:
    """The same for several languages; the texts are looked up once."""
    have: dict[str, dict[str, tuple[str, str]]] = {language: {} for language in languages}
    rows = study.translations.filter(language__in=languages).order_by()
    for language, key, text, source in rows.values_list("language", "key", "text", "source"):
        have[language][key] = text, source
    texts = study_texts(study)
    return {
        language: [_entry(text, *have[language].get(text.key, ("", ""))) for text in texts]
        for language in languages
    }


def _entry(text: Text, translation: str, made_from: str) -> Entry:
    return Entry(text, translation, bool(translation) and made_from != text.source, made_from)


def frozen_translations(study: Study) -> dict[str, dict[str, str]]:
    """{language: {key: text}} of the texts that exist now, as a design freezes them.

    Without old translations of what is judged: "choose 2" below a check that now wants 4 would fail
    whoever reads with care, and is worse than the line in the language it was written in.
    """
    texts = {text.key: text for text in study_texts(study)}
    found: dict[str, dict[str, str]] = {}
    for row in study.translations.order_by("language", "key"):
        text = texts.get(row.key)
        if text is None or row.language == study.base_language:
            continue
        if not (text.judged and row.source != text.source):
            found.setdefault(row.language, {})[row.key] = row.text
    return found


def missing_texts(study: Study) -> list[tuple[str, list[Entry]]]:
    """Per wanted language, the texts that have no translation."""
    return [
        (language, [entry for entry in found if entry.is_missing])
        for language, found in entries_in(study, wanted_languages(study)).items()
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


def save_translations(
    *,
    study: Study,
    language: str,
    texts: Mapping[str, str],
    by,
    confirmed: Collection[str] = (),
) -> tuple[int, list[Refusal]]:
    """Write what changed; an empty text removes a translation. How many changed, what was refused.

    What is refused is not written, the rest is. Unknown keys are refused by name. A translation
    whose original has changed stays marked so until its own text changes, or somebody has looked
    and its key is among the ``confirmed``.
    """
    if language == study.base_language:
        name = language_name(language)
        return 0, [Refusal("", f"The texts are written in {name}: edit them where they stand.")]
    known = {text.key: text for text in study_texts(study)}
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        have = {row.key: row for row in study.translations.filter(language=language)}
        refusals: list[Refusal] = []
        written: list[Translation] = []
        removed: list[int] = []
        for key in dict.fromkeys([*texts, *confirmed]):
            text, row = known.get(key), have.get(key)
            typed = texts.get(key, row.text if row else "")
            translation = typed.replace("\r\n", "\n").strip()
            if text is None:
                refusals.append(Refusal(key, "The study has no such text."))
            elif not translation:
                removed += [row.pk] if row else []
            elif sentence := refusal_of(text, translation):
                refusals.append(Refusal(key, sentence))
            elif _is_news(row, translation, text, key in confirmed):
                written.append(
                    Translation(
                        study=study,
                        language=language,
                        key=key,
                        text=translation,
                        source=text.source,
                        changed_by=by,
                        changed_at=timezone.now(),
                    )
                )
        _write(study, written, removed)
    return len(written) + len(removed), refusals


def _is_news(row: Translation | None, translation: str, text: Text, is_confirmed: bool) -> bool:
    if row is None or row.text != translation:
        return True
    return is_confirmed and row.source != text.source


def _write(study: Study, written: Sequence[Translation], removed: Sequence[int]) -> None:
    for start in range(0, len(removed), BATCH):
        study.translations.filter(pk__in=removed[start : start + BATCH]).delete()
    Translation.objects.bulk_create(
        written,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["study", "language", "key"],
        update_fields=["text", "source", "changed_by", "changed_at"],
    )
