"""What steps that ask chat models are told: which models, and how many calls at most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scoring.metrics.base import ParameterError


def checked_model(value: object, *, what: str) -> str:
    """The first name of ``checked_models``."""
    return checked_models(value, least=1, what=what)[0]


def checked_models(value: object, *, least: int, what: str) -> list[str]:
    """Distinct names from a list, or from a text with one a line or commas between them."""
    named: Sequence[object] = value if isinstance(value, list | tuple) else []
    if isinstance(value, str):
        named = value.replace(",", "\n").splitlines()
    models = list(dict.fromkeys(str(one).strip() for one in named if str(one).strip()))
    if len(models) < least:
        number = {1: "a chat model", 2: "two chat models or more"}[least]
        raise ParameterError(f"Name {number} as {what}, as the chat server knows them.")
    return models


def checked_budget(parameters: Mapping[str, object]) -> dict[str, int]:
    """``budget_calls`` where one is given; raises ``ParameterError`` for less than one call."""
    given = parameters.get("budget_calls")
    if given in (None, ""):
        return {}
    try:
        calls = int(str(given))
    except ValueError as error:
        raise ParameterError(f"The budget is no whole number of calls: {given!r}.") from error
    if calls < 1:
        raise ParameterError("The budget must be at least one call.")
    return {"budget_calls": calls}
