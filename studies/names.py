"""Names of countries and languages, from the Unicode CLDR, in the reader's language."""

from functools import cache

from babel import Locale, UnknownLocaleError

from studies.importing.countries import country_names


@cache
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale("en")


def country_name(code: str, language: str = "en") -> str:
    """The country's name in ``language``; the code itself where the CLDR has none."""
    return _locale(language).territories.get(code) or code


@cache
def country_choices(language: str = "en") -> list[tuple[str, str]]:
    """(code, name) of every country, sorted by name in ``language``."""
    return sorted(
        ((code, country_name(code, language)) for code in country_names()),
        key=lambda choice: choice[1].casefold(),
    )


def language_name(code: str, language: str = "en") -> str:
    return _locale(language).languages.get(code) or code


@cache
def language_choices(language: str = "en") -> list[tuple[str, str]]:
    """(code, name) of every language without a region, sorted by name in ``language``."""
    names = _locale(language).languages
    return sorted(
        ((code, name) for code, name in names.items() if code.isalpha() and len(code) in (2, 3)),
        key=lambda choice: choice[1].casefold(),
    )
