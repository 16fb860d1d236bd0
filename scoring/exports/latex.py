"""The report's tables for LaTeX: booktabs, numbers rounded as the pages round them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scoring.analysis.report import Report
from scoring.reports.page import data_line
from scoring.reports.tables import ShownTable, shown, tables
from scoring.reports.values import Value

LONG = 40
"""Rows from which a table is a longtable, which runs over pages."""

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
    "\u2212": "$-$",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2013": "--",
    "\u2014": "---",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u2026": r"\ldots{}",
    "\u00d7": r"$\times$",
    "\u00b1": r"$\pm$",
    "\u2265": r"$\geq$",
    "\u2264": r"$\leq$",
    "\u00b7": r"$\cdot$",
    "\u2205": r"$\emptyset$",
    "\u03b1": r"$\alpha$",
    "\u03ba": r"$\kappa$",
    "\u03c1": r"$\rho$",
    "\u03c4": r"$\tau$",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
}
_ANY_SPECIAL = re.compile("|".join(map(re.escape, _SPECIAL)))
_NO_TEXT = re.compile(r"[\x00-\x1f\x7f]+")


def escape(text: str) -> str:
    """A text as LaTeX prints it; line breaks and control characters become a blank."""
    return _ANY_SPECIAL.sub(lambda found: _SPECIAL[found[0]], _NO_TEXT.sub(" ", text))


def latex_tables(report: Report) -> str:
    """Every table of the report, to be read in by ``\\input``."""
    return "\n".join(_document(report))


def _document(report: Report) -> Iterator[str]:
    yield f"% {_comment(report.study.title)}: tables of the report."
    yield f"% {_comment(' / '.join(data_line(report)))}"
    yield f"% {_comment(report.method.software)}, seed {report.method.seed}."
    yield "% In the preamble: \\usepackage{booktabs,longtable,threeparttable}"
    yield "% Scripts other than Latin need XeLaTeX or LuaLaTeX and a font that has them."
    for table in tables(report):
        yield ""
        yield from _table(shown(table))


def _comment(text: str) -> str:
    return _NO_TEXT.sub(" ", text)


def _table(table: ShownTable) -> Iterator[str]:
    spec = "".join("r" if is_number else "l" for _, is_number in table.heads)
    head = " & ".join(escape(title) for title, _ in table.heads)
    caption = f"\\caption{{{escape(table.title)}}}\\label{{tab:{table.name}}}"
    notes = escape(" ".join([table.basis, *table.notes]))
    body = list(_body(table))
    if len(table.rows) >= LONG:
        yield f"\\begin{{longtable}}{{{spec}}}"
        yield f"{caption} \\\\"
        yield from (r"\toprule", f"{head} \\\\", r"\midrule", r"\endhead", *body, r"\bottomrule")
        yield f"\\multicolumn{{{len(table.heads)}}}{{p{{\\linewidth}}}}{{\\footnotesize {notes}}}"
        yield r"\end{longtable}"
        return
    yield r"\begin{table}"
    yield r"\centering"
    yield r"\begin{threeparttable}"
    yield caption
    yield f"\\begin{{tabular}}{{{spec}}}"
    yield from (r"\toprule", f"{head} \\\\", r"\midrule", *body, r"\bottomrule")
    yield r"\end{tabular}"
    yield f"\\begin{{tablenotes}}\\footnotesize\n\\item {notes}\n\\end{{tablenotes}}"
    yield r"\end{threeparttable}"
    yield r"\end{table}"


def _body(table: ShownTable) -> Iterator[str]:
    """The rows; one that sums the others up stands apart from them."""
    for place, row in enumerate(table.rows):
        if row.strong and place:
            yield r"\addlinespace"
        yield " & ".join(_cell(value) for value, _ in row.cells) + r" \\"


def _cell(value: Value) -> str:
    # A row may not begin with "[": LaTeX would read it as a length.
    parts = [value.text, value.interval, f"({value.note})" if value.note else ""]
    written = escape(" ".join(part for part in parts if part))
    return f"{{{written}}}" if written.startswith(("[", "*")) else written
