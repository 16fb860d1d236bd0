"""The report's tables for LaTeX: booktabs, numbers rounded as the pages round them."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.analysis.report import Report
from scoring.exports.latex_text import DEFINITION, escape, one_line
from scoring.reports.page import data_line
from scoring.reports.tables import ShownTable, shown, tables
from scoring.reports.values import Value

LONG = 40
"""Rows from which a table is a longtable, which runs over pages."""


def latex_tables(report: Report) -> str:
    """Every table of the report, to be read in by ``\\input``."""
    return "\n".join(_document(report))


def _document(report: Report) -> Iterator[str]:
    yield f"% {one_line(report.study.title)}: tables of the report."
    yield f"% {one_line(' / '.join(data_line(report)))}"
    yield f"% {one_line(report.method.software)}, seed {report.method.seed}."
    yield "% In the preamble: \\usepackage{booktabs,longtable}"
    yield "% Letters that pdfLaTeX lacks are code points there; XeLaTeX and LuaLaTeX print them,"
    yield "% with a font that has them."
    yield DEFINITION
    for table in tables(report):
        yield ""
        yield from _table(shown(table))


def _table(table: ShownTable) -> Iterator[str]:
    spec = "".join("r" if is_number else "l" for _, is_number in table.heads)
    head = " & ".join(_guarded(escape(title)) for title, _ in table.heads)
    caption = f"\\caption{{{escape(table.title)}}}\\label{{tab:{table.name}}}"
    notes = escape(" ".join([table.basis, *table.notes]))
    body = list(_body(table))
    if len(table.rows) >= LONG:
        yield f"\\begin{{longtable}}{{{spec}}}"
        heads = (r"\toprule", f"{head} \\\\", r"\midrule")
        # A caption in the head of every page would be listed as often as there are pages.
        yield from (f"{caption} \\\\", *heads, r"\endfirsthead", *heads, r"\endhead")
        yield from (*body, r"\bottomrule")
        yield f"\\multicolumn{{{len(table.heads)}}}{{p{{\\linewidth}}}}{{\\footnotesize {notes}}}"
        yield r"\end{longtable}"
        return
    yield r"\begin{table}"
    yield r"\centering"
    yield caption
    yield f"\\begin{{tabular}}{{{spec}}}"
    yield from (r"\toprule", f"{head} \\\\", r"\midrule", *body, r"\bottomrule")
    yield r"\end{tabular}"
    yield r"\par\smallskip"
    yield f"\\begin{{minipage}}{{\\linewidth}}\\footnotesize {notes}\\end{{minipage}}"
    yield r"\end{table}"


def _body(table: ShownTable) -> Iterator[str]:
    """The rows; one that sums the others up stands apart from them."""
    for place, row in enumerate(table.rows):
        if row.strong and place:
            yield r"\addlinespace"
        yield " & ".join(_cell(value) for value, _ in row.cells) + r" \\"


def _cell(value: Value) -> str:
    parts = [value.text, value.interval, f"({value.note})" if value.note else ""]
    return _guarded(escape(" ".join(part for part in parts if part)))


def _guarded(written: str) -> str:
    """A row may not begin with "[" or "*": LaTeX would read them as a length, or as "no break"."""
    return f"{{{written}}}" if written.startswith(("[", "*")) else written
