"""A study's own words for the prompts that its metrics ask with: each edit is a new version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from scoring.models import PromptEdit
from scoring.prompting.prompt import Prompt, PromptError, prompt
from studies.models import Study


class NothingChangedError(PromptError):
    """The words are those that are in force already."""


class EditedMeanwhileError(PromptError):
    """Somebody else changed the prompt while it was being edited."""


def edit_in_force(study: Study, key: str) -> PromptEdit | None:
    """The newest edit, unless it took the study's words back."""
    newest = study.prompt_edits.filter(prompt=key).order_by("-number").first()
    return None if newest is None or newest.back_to_ours else newest


def prompt_of(study: Study, key: str) -> Prompt:
    """The prompt as the study asks with it. Raises ``PromptError``."""
    edit = edit_in_force(study, key)
    base = prompt(key)
    if edit is None:
        return base
    return base.edited(system=edit.system, user=edit.user, number=edit.number)


def prompts_of(study: Study, keys: tuple[str, ...]) -> dict[str, Prompt]:
    return {key: prompt_of(study, key) for key in keys}


def prompt_inputs(study: Study, keys: tuple[str, ...]) -> dict[str, Mapping[str, Any]]:
    """What runs hand to a metric: version and hash of each prompt, and the words of edited ones."""
    return {key: _input(study, key) for key in keys}


def _input(study: Study, key: str) -> Mapping[str, Any]:
    words, edit = prompt_of(study, key), edit_in_force(study, key)
    told: dict[str, Any] = {"version": words.version, "digest": words.digest}
    if edit is not None:
        told |= {"number": edit.number, "system": edit.system, "user": edit.user}
    return told


def edit_prompt(
    *, study: Study, key: str, system: str, user: str, seen: int, by: Any
) -> PromptEdit:
    """The study's words from now on; what was scored keeps the words it was asked with.

    ``seen`` is the number of the newest edit that the editor knew, 0 for none. Raises
    ``PromptError`` for words that drop an input, ``NothingChangedError``, and
    ``EditedMeanwhileError``.
    """
    system, user = _plain(system), _plain(user)
    current = prompt_of(study, key)
    if (system, user) == (_plain(current.system), _plain(current.user)):
        raise NothingChangedError("These are the words in force already.")
    prompt(key).edited(system=system, user=user, number=seen + 1)
    return _add(study, key, seen, by, system=system, user=user)


def take_back(*, study: Study, key: str, seen: int, by: Any) -> PromptEdit:
    """Our words again. Raises as ``edit_prompt``."""
    if edit_in_force(study, key) is None:
        raise NothingChangedError("This prompt is asked in our words already.")
    return _add(study, key, seen, by, back_to_ours=True)


def newest_number(study: Study, key: str) -> int:
    newest = study.prompt_edits.filter(prompt=key).order_by("-number").first()
    return newest.number if newest else 0


def _add(study: Study, key: str, seen: int, by: Any, **words: Any) -> PromptEdit:
    try:
        with transaction.atomic():
            if newest_number(study, key) != seen:
                raise EditedMeanwhileError(
                    "Somebody else changed this prompt meanwhile. Load the page again and look."
                )
            return PromptEdit.objects.create(
                study=study,
                prompt=key,
                number=seen + 1,
                base_version=prompt(key).version,
                made_by=by,
                **words,
            )
    except IntegrityError as error:
        raise EditedMeanwhileError(
            "Somebody else changed this prompt meanwhile. Load the page again and look."
        ) from error


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()
