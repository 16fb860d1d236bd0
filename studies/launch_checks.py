"""The launch check list: what stops a launch, what to think about, what is not done yet."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from django.urls import reverse

from studies.blocks import block_faults
from studies.check_lines import FURTHER, MARK_ORDER, Fault, LaunchCheck, at, counted, line
from studies.design import current_design
from studies.designs import people_needed
from studies.item_checks import item_checks, media_checks, screen_checks
from studies.models import AnalysisPlan, Panel, Question, Study
from studies.models.item import Purpose
from studies.names import language_name
from studies.previews import seen_languages
from studies.question_checks import question_faults
from studies.ranges import left_out_middle
from studies.special_checks import special_lines
from studies.words.texts import check_keys
from studies.words.translating import Entry, entries_in, wanted_languages

MAX_RATINGS = 200_000  # of a panel: each is a row, and all are made when the first person starts
LONG_CONSENT, LONG_INSTRUCTIONS = 120, 150
PROLIFIC = "app.prolific.com"


def launch_checks(study: Study) -> list[LaunchCheck]:
    """What a launch needs, worst first, in the order of work inside each group."""
    page = reverse("admin:studies_study_change", args=[study.pk])
    checks = [
        *_texts(study, page),
        *_questions(study, page),
        *item_checks(study),
        *media_checks(study),
        *screen_checks(study),
        *_panels(study, page),
        *word_checks(study, page),
        *_attention(study, page),
        *special_lines(study, page),
        *_completion(study, page),
        *(check for lines_of in FURTHER for check in lines_of(study)),
        *_rehearsals(study, page),
        *_plan(study, page),
    ]
    return sorted(checks, key=lambda check: MARK_ORDER[check.mark])


def design_stops(study: Study) -> list[LaunchCheck]:
    """Stops that lie in the words and questions alone: what a revision must not have either.

    Translations may come later: a new question has to be there before it can be translated.
    """
    page = reverse("admin:studies_study_change", args=[study.pk])
    checks = [
        *_texts(study, page),
        *_questions(study, page),
        *_attention(study, page),
        *special_lines(study, page),
    ]
    return [check for check in checks if check.mark == "stop"]


# ---- words


def _texts(study, page):
    stops, warnings = [], []
    design = current_design(study)
    consent, instructions = f"{page}#id_consent_summary", f"{page}#id_instructions"
    if not design.consent_lines:
        stops.append(("the consent in short is empty", consent))
    if not design.paragraphs and not design.rules:
        stops.append(("the instructions are empty", instructions))
    told = f"{study.instructions} {study.instruction_points}"
    for words, limit, what, place in (
        (study.consent_summary, LONG_CONSENT, "consent in short", consent),
        (told, LONG_INSTRUCTIONS, "instructions", instructions),
    ):
        if (count := len(words.split())) > limit:
            warnings.append((f"{what}: {count} words; people read {limit}", place))
    if not study.contact:
        sentence = "no contact: people in trouble have nobody to write to"
        warnings.append((sentence, f"{page}#id_contact"))
    return line("Consent and instructions", consent, stops, warnings, "all texts are there")


def word_checks(study: Study, page: str) -> list[LaunchCheck]:
    """Whether every panel reads the study's words in its own language."""
    languages = wanted_languages(study)
    if not languages:
        code = language_name(study.base_language)
        return [LaunchCheck("ok", "Words", f"all in {code}", f"{page}#panels-group")]
    stops, warnings, n_texts = [], [], 0
    for code, rows in entries_in(study, languages).items():
        url = reverse("admin:studies_study_words_in", args=[study.pk, code])
        n_texts = sum(not row.text.has_usual for row in rows)
        needed = [row for row in rows if row.is_missing and row.text.needed]
        missing = sum(row.is_missing for row in rows) - len(needed)
        old = [row for row in rows if row.is_stale and row.text.judged]
        stale = sum(row.is_stale for row in rows) - len(old)
        name = language_name(code)
        if needed:
            stops.append((_untranslated(needed, name), url))
        if old:
            stops.append((_outdated(old, name), url))
        if missing:
            base = language_name(study.base_language)
            warnings.append((f"{counted(missing, 'hint')} not in {name}: {base} will show", url))
        if stale:
            verb = "was" if stale == 1 else "were"
            warnings.append((f"{name}: {counted(stale, 'text')} {verb} changed since", url))
    url = reverse("admin:studies_study_words", args=[study.pk])
    ok = f"{counted(n_texts, 'text')} in {counted(len(languages) + 1, 'language')}"
    return line("Words", url, stops, warnings, ok)


def _untranslated(needed: list[Entry], name: str) -> str:
    if len(needed) == 1:
        return f"{needed[0].text.where} has no {name} text"
    return f"{counted(len(needed), 'text')} not in {name}"


def _outdated(old: list[Entry], name: str) -> str:
    what = old[0].text.where if len(old) == 1 else f"{len(old)} texts of checks"
    verb = "was" if len(old) == 1 else "were"
    return f"{what} {verb} changed since the {name} text: people would be judged by old words"


def _questions(study, page):
    url = f"{page}#questions"
    rows = list(study.questions.filter(retired=False).prefetch_related("points"))
    stops, warnings = question_faults(study, rows)
    stops = [(sentence, place or url) for sentence, place in stops]
    warnings = [(sentence, place or url) for sentence, place in warnings]
    ok = f"{counted(len(rows), 'question')}, every point labelled"
    return line("Questions", url, stops, warnings, ok)


# ---- people


def _panels(study, page):
    panels = list(study.panels.all())
    stops, warnings, people, ratings = [], [], 0, 0
    if not panels:
        stops.append("no panel yet")
    for panel in panels:
        n_units = panel.units().count()
        wanted = n_units * panel.ratings_per_unit
        needed = people_needed(
            n_units=n_units,
            ratings_per_unit=panel.ratings_per_unit,
            units_per_session=study.units_per_session,
        )
        stops += _panel_stops(study, panel, n_units, needed)
        warnings += _panel_warnings(panel, needed)
        people, ratings = people + needed, ratings + wanted
    stops += [*_units_without_panel(study, panels), *block_faults(study)]
    crowd = counted(people, "person", "people")
    ok = f"{counted(len(panels), 'panel')}: {crowd} for {counted(ratings, 'rating')} a question"
    url = f"{page}#panels-group"
    return line("Panels and seats", url, at(url, stops), at(url, warnings), ok)


def _panel_stops(study: Study, panel: Panel, n_units: int, needed: int) -> list[str]:
    stops = []
    k, session = panel.ratings_per_unit, study.units_per_session
    wanted = n_units * k
    if n_units == 0 and study.units.exists():
        stops.append(f"{panel}: no item belongs to this country")
    if wanted > MAX_RATINGS:
        stops.append(f"{panel}: {wanted:,} ratings; a panel takes at most {MAX_RATINGS:,}")
    if panel.seats is not None and panel.seats < needed:
        stops.append(
            f"{panel}: {panel.seats} seats × {min(session, n_units)} units cannot give {wanted} "
            f"ratings from {k} different people a unit; {needed} seats can"
        )
    if study.policy == Study.Policy.CROSSED and session < n_units:
        stops.append(
            f"{panel}: everyone is to rate all {n_units} units, and a session has {session}"
        )
    return stops


def _panel_warnings(panel: Panel, needed: int) -> list[str]:
    warnings = []
    if not panel.criteria:
        warnings.append(f"{panel}: anybody may rate, nothing is screened")
    if panel.seats is not None and panel.seats == needed:
        warnings.append(f"{panel}: no spare seats; plan 10 % more")
    return warnings


def _units_without_panel(study: Study, panels: list[Panel]) -> list[str]:
    countries = [panel.country for panel in panels]
    rated = study.units.filter(purpose=Purpose.RATED)
    left_out = rated.exclude(country="").exclude(country__in=countries)
    n_left = left_out.count() if panels else 0
    if not n_left:
        return []
    codes = ", ".join(sorted(set(left_out.values_list("country", flat=True))))
    noun = "item" if study.items_per_unit == 1 else "screen"
    return [f"{counted(n_left, noun)} without a panel (country {codes})"]


def _attention(study, page):
    url = f"{page}#attention_checks-group"
    every = list(study.attention_checks.select_related("scale_of"))
    checks = [check for check in every if check.active]
    stops, warnings = [], []
    for check in checks:
        values = check.values
        if check.scale_of.retired:
            stops.append(f"“{check.text}”: {check.scale_of.label} is no longer asked")
        elif check.expected not in values:
            stops.append(f"“{check.text}”: the scale has no point {check.expected}")
        elif not check.names_its_answer:
            warnings.append(f"“{check.text}”: {_nonsense_fault(check)}")
    if checks and study.units_per_session < 3:
        warnings.append("sessions under 3 units have no room: a check is never first or last")
    said = [*at(url, warnings), *_misnamed(study, checks)]
    lines = line("Attention checks", url, at(url, stops), said, _checks_ok(checks))
    if not checks:
        off = f"; {counted(len(every), 'check')} switched off" if every else ""
        return [LaunchCheck("warn", "Attention checks", f"no attention check{off}", url, True)]
    return lines


def _misnamed(study, checks) -> list[Fault]:
    """Translations that do not say what to choose, where the line that they translate does."""
    languages = [code for code in wanted_languages(study) if checks]
    if not languages:
        return []
    keys = check_keys(study)
    rows = study.translations.filter(language__in=languages).values_list("language", "key", "text")
    words = {(language, key): text for language, key, text in rows}
    found = []
    for check in checks:
        if check.scale_of.kind == Question.Kind.YES_NO or not check.names_its_answer:
            continue
        label = f"question.{check.scale_of.key}.point.{check.expected}.label"
        for code in languages:
            text = words.get((code, f"{keys[check.pk]}.text"), "")
            if text and not _says(text, check.expected, words.get((code, label), "")):
                url = reverse("admin:studies_study_words_in", args=[study.pk, code])
                fault = f"the {language_name(code)} text does not name {check.expected}"
                found.append((f"“{check.text}”: {fault}, so whoever reads it may fail", url))
    return found


def _says(text: str, number: int, label: str) -> bool:
    """Whether a text has the number, in figures of any script, or the label of its point."""
    figures = {int(digits) for digits in re.findall(r"\d+", text)}
    return number in figures or bool(label and label.casefold() in text.casefold())


def _nonsense_fault(check) -> str:
    """Of a line that names no point: Prolific takes plain nonsense too, but without a middle."""
    if left_out_middle(check.values, check.expected, check.expected) is not None:
        return (
            "it does not name the point to choose, and its scale has a middle point; Prolific "
            "would not accept it as a check"
        )
    return "it does not name the point to choose; any answer but that one point fails"


def _checks_ok(checks) -> str:
    return f"{counted(len(checks), 'check')}, never first or last"


# ---- on the way out


def _completion(study, page):
    stops, warnings = [], []
    code, address = f"{page}#id_completion_code", f"{page}#id_completion_url"
    if not study.completion_code.strip():
        stops.append(("there is no completion code", code))
    if study.completion_url:
        wrong, odd = _address_faults(study.completion_url, study.completion_code)
        stops += [(sentence, address) for sentence in wrong]
        warnings += [(sentence, address) for sentence in odd]
    return line("Completion", code, stops, warnings, "people get their code")


def _address_faults(url: str, code: str) -> tuple[list[str], list[str]]:
    """What is wrong, and what is odd, in a return address."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if parts.scheme != "https":
        return ["the return address does not start with https://"], []
    if "." not in host or any(letter.isspace() for letter in url):
        return ["the return address is no web address"], []
    if "prolific" in host:
        given = parse_qs(parts.query).get("cc", [])
        if host != PROLIFIC or parts.path.rstrip("/") != "/submissions/complete" or not given:
            return [
                f"the return address is not of the form {PROLIFIC}/submissions/complete?cc=…"
            ], []
        if given != [code.strip()]:
            return [f"the return address has the code {given[0]}, the study {code}"], []
    elif code not in url:
        return [], ["the return address does not carry the completion code"]
    return [], []


def _rehearsals(study, page):
    """Seen in the preview, tried by a few: not done is no fault, and is said."""
    languages = seen_languages(study)
    seen = " and ".join(language_name(code) for code in languages)
    preview = (
        LaunchCheck("ok", "Preview", f"seen in {seen} since the last change", page)
        if languages
        else LaunchCheck("todo", "Preview", "not opened since the last change", page)
    )
    if study.pilot_at is None:
        few = study.pilot_people
        sentence = f"no pilot yet; {counted(few, 'person', 'people')} a panel find most faults"
        return [preview, LaunchCheck("todo", "Pilot", sentence, page)]
    return [preview, LaunchCheck("ok", "Pilot", f"since {study.pilot_at:%-d %b %H:%M}", page)]


def _plan(study, page):
    plan = AnalysisPlan.objects.filter(study=study).first()
    if plan is not None and plan.is_fixed:
        return [LaunchCheck("ok", "Plan", f"fixed {plan.fixed_at:%-d %b %H:%M}", page)]
    sentence = "not fixed; fix it before the first rating, reviewers ask"
    return [LaunchCheck("warn", "Plan", sentence, page)]
