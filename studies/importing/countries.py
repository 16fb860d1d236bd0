"""Country names and codes as people write them, resolved to ISO 3166-1 alpha-2.

The names are the English territory names of the Unicode CLDR, as Babel ships them. The CLDR also
lists groupings and pseudo-territories (the European Union, "Unknown Region"); those are not
countries and are left out. Kosovo has no ISO code yet and keeps the user-assigned XK that the CLDR
and most registries use.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from functools import cache

from babel import Locale

# Reserved codes (AC to IC, TA), groupings (EU, EZ, QO, UN) and pseudo-territories (XA, XB, ZZ).
_NOT_COUNTRIES = frozenset(
    ("AC", "CP", "CQ", "DG", "EA", "IC", "TA", "EU", "EZ", "QO", "UN", "XA", "XB", "ZZ")
)

# Names in common use that differ from the CLDR's one English name by more than spelling.
_OTHER_NAMES = {
    "BN": ("Brunei Darussalam",),
    "BO": ("Plurinational State of Bolivia",),
    "BQ": ("Bonaire, Sint Eustatius and Saba",),
    "CD": ("Democratic Republic of the Congo", "Democratic Republic of Congo", "DR Congo", "DRC"),
    "CG": ("Republic of the Congo", "Republic of Congo"),
    "CI": ("Ivory Coast",),
    "CN": ("People's Republic of China",),
    "CV": ("Cabo Verde",),
    "CZ": ("Czech Republic",),
    "FK": ("Falkland Islands (Malvinas)",),
    "FM": ("Federated States of Micronesia",),
    "GB": ("UK", "U.K.", "Great Britain", "United Kingdom of Great Britain and Northern Ireland"),
    "HK": ("Hong Kong",),
    "IR": ("Islamic Republic of Iran",),
    "KP": ("Democratic People's Republic of Korea", "DPRK"),
    "KR": ("Republic of Korea",),
    "LA": ("Lao People's Democratic Republic", "Lao PDR"),
    "MD": ("Republic of Moldova",),
    "MK": ("Macedonia",),
    "MM": ("Myanmar", "Burma"),
    "MO": ("Macao", "Macau"),
    "NL": ("Holland",),
    "PS": ("Palestine", "State of Palestine"),
    "RU": ("Russian Federation",),
    "SY": ("Syrian Arab Republic",),
    "SZ": ("Swaziland",),
    "TL": ("East Timor",),
    "TR": ("Turkey",),
    "TW": ("Taiwan, Province of China",),
    "TZ": ("United Republic of Tanzania",),
    "AE": ("UAE", "U.A.E.", "Emirates"),
    "US": ("USA", "U.S.A.", "U.S.", "United States of America"),
    "VA": ("Holy See", "Vatican"),
    "VE": ("Bolivarian Republic of Venezuela",),
    "VN": ("Viet Nam",),
}

# Names that could mean either of two countries resolve to none of them.
_AMBIGUOUS = {"congo": ("CD", "CG"), "korea": ("KP", "KR")}


def resolve_country(text: str) -> str | None:
    """The alpha-2 code that ``text`` (a code in any case, or an English name) stands for.

    Returns None where the text names no country or could mean more than one. The text "NA" is
    Namibia, never a missing value.
    """
    stripped = text.strip()
    code = stripped.upper()
    if code in country_names():
        return code
    return _codes_by_key().get(_key(stripped))


def nearest_country(text: str) -> str | None:
    """The country whose name is spelt most like ``text``, as "Nepal (NP)"; None if none is near.

    An ambiguous name gives both: "North Korea (KP) or South Korea (KR)".
    """
    key = _key(text)
    if key in _AMBIGUOUS:
        return " or ".join(_labelled(code) for code in _AMBIGUOUS[key])
    if len(key) < 3:  # two letters resemble every code and no name
        return None
    codes = _codes_by_key()
    matches = difflib.get_close_matches(key, list(codes), n=1, cutoff=0.7)
    if not matches:
        return None
    return _labelled(codes[matches[0]])


@cache
def country_names() -> dict[str, str]:
    """English name of each country by its alpha-2 code."""
    territories = Locale("en").territories
    return {
        code: name
        for code, name in territories.items()
        if len(code) == 2 and code.isalpha() and code not in _NOT_COUNTRIES
    }


@cache
def _codes_by_key() -> dict[str, str]:
    names = [(name, code) for code, name in country_names().items()]
    names += [(name, code) for code, others in _OTHER_NAMES.items() for name in others]
    return {_key(name): code for name, code in names}


def _labelled(code: str) -> str:
    return f"{country_names()[code]} ({code})"


def _key(name: str) -> str:
    """``name`` without case, accents, punctuation, a leading "the", or the ways to write "and"."""
    decomposed = unicodedata.normalize("NFKD", name.replace("&", " and "))
    plain = "".join(char for char in decomposed if not unicodedata.combining(char)).casefold()
    # An apostrophe or full stop joins (U.S. is US); every other mark separates.
    joined = re.sub(r"[.'’ʼ`]", "", plain)
    words = re.findall(r"\w+", joined)
    if words[:1] == ["the"]:
        words = words[1:]
    return " ".join("saint" if word == "st" else word for word in words)
