"""Texts as LaTeX prints them, whatever is in them, with pdfLaTeX as with XeLaTeX and LuaLaTeX.

Letters with one accent become the accent's command, which every engine and font encoding has. What
pdfLaTeX has no letter for (other scripts, emoji) is given twice, in a command that the exported
file defines: as it is for the engines that read Unicode, and as code points for pdfLaTeX, which
would stop at it. Code points keep names apart; a transliteration would guess, and may not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import groupby

COMMAND = "concordtext"
DEFINITION = (
    rf"\ifdefined\{COMMAND}\else\DeclareRobustCommand{{\{COMMAND}}}[2]"
    r"{\ifdefined\Umathcode#1\else\texttt{#2}\fi}\fi"
)
"""Only XeTeX and LuaTeX know ``\\Umathcode``. A paper that defines the command keeps its own."""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    '"': "''",
    "\u2212": "$-$",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2009": r"\,",
    "\u2010": "-",
    "\u2011": "-",
    "\u2013": "--",
    "\u2014": "---",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u2026": r"\ldots{}",
    "\u2192": r"$\rightarrow$",
    "\u2190": r"$\leftarrow$",
    "\u00d7": r"$\times$",
    "\u00f7": r"$\div$",
    "\u00b1": r"$\pm$",
    "\u2260": r"$\neq$",
    "\u2248": r"$\approx$",
    "\u2265": r"$\geq$",
    "\u2264": r"$\leq$",
    "\u00b7": r"$\cdot$",
    "\u2022": r"$\bullet$",
    "\u2205": r"$\emptyset$",
    "\u221e": r"$\infty$",
    "\u00b0": r"$^{\circ}$",
    "\u00b2": "$^{2}$",
    "\u00b3": "$^{3}$",
    "\u00b5": r"$\mu$",
    "\u03b1": r"$\alpha$",
    "\u03b2": r"$\beta$",
    "\u0394": r"$\Delta$",
    "\u03b4": r"$\delta$",
    "\u03ba": r"$\kappa$",
    "\u03bb": r"$\lambda$",
    "\u03bc": r"$\mu$",
    "\u03c1": r"$\rho$",
    "\u03c3": r"$\sigma$",
    "\u03c4": r"$\tau$",
    "\u03c7": r"$\chi$",
    "\u00df": r"\ss{}",
    "\u00e6": r"\ae{}",
    "\u00c6": r"\AE{}",
    "\u0153": r"\oe{}",
    "\u0152": r"\OE{}",
    "\u00f8": r"\o{}",
    "\u00d8": r"\O{}",
    "\u0142": r"\l{}",
    "\u0141": r"\L{}",
    "\u0131": r"\i{}",
    "\u00a7": r"\S{}",
    "\u00a3": r"\pounds{}",
    "\u00a9": r"\copyright{}",
    "\u00bf": "?`",
    "\u00a1": "!`",
}
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0308": '"',
    "\u0304": "=",
    "\u0307": ".",
    "\u0306": "u",
    "\u030c": "v",
    "\u030b": "H",
    "\u030a": "r",
    "\u0327": "c",
    "\u0323": "d",
    "\u0331": "b",
}
_WITHOUT_DOT = {"i": r"\i", "j": r"\j"}
# Between these nothing may stand together: LaTeX makes one letter of "--", of "?`" and the like.
_APART = re.compile(r"(?<=-)(?=-)|(?<=[?!])(?=`)|(?<=`)(?=`)|(?<=')(?=')|(?<=,)(?=,)")
_NO_TEXT = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


def one_line(text: str) -> str:
    """Without line breaks and control characters, which become a blank."""
    return _NO_TEXT.sub(" ", text)


def escape(text: str) -> str:
    """A text as LaTeX prints it; line breaks and control characters become a blank."""
    return "".join(_pieces(unicodedata.normalize("NFC", one_line(text))))


def _pieces(text: str) -> Iterator[str]:
    for is_known, letters in groupby(text, key=lambda letter: _known(letter) is not None):
        run = "".join(letters)
        if is_known:
            yield "{}".join("".join(map(str, map(_known, part))) for part in _APART.split(run))
        else:
            points = " ".join(f"U+{ord(letter):04X}" for letter in run)
            yield f"\\{COMMAND}{{{run}}}{{{points}}}"


@cache
def _known(letter: str) -> str | None:
    """What every engine prints as this letter; None where pdfLaTeX has none."""
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if " " <= letter <= "~":
        return letter
    base, *marks = unicodedata.normalize("NFD", letter)
    if len(marks) == 1 and marks[0] in _ACCENTS and base.isascii() and base.isalpha():
        return f"\\{_ACCENTS[marks[0]]}{{{_WITHOUT_DOT.get(base, base)}}}"
    return None
