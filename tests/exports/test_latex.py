"""LaTeX that compiles with pdfLaTeX, whatever somebody called their systems and questions."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from scoring.analysis import compute
from scoring.analysis.codec import from_json
from scoring.exports.latex import latex_tables
from scoring.exports.latex_text import DEFINITION, escape
from scoring.reports.tables import tables
from scoring.snapshots import execute_report, request_report
from studies.models import Study
from tests.exports.conftest import EVIL, frozen
from tests.scoring.report_study import a_question, a_rater, a_run, a_study, an_item, rate

PDFLATEX = shutil.which("pdflatex")
needs_pdflatex = pytest.mark.skipif(
    PDFLATEX is None,
    reason="pdflatex is not installed (Debian: texlive-latex-recommended)",
)
NAMES = [
    r"&%$#_{}~^\ all",
    r"\end{document} \input{/etc/passwd} ^^M^^41",
    "[12pt] first",
    "* starred",
    "100% -- or --- so ?` !` ``x'' ,,y",
    "عروسی در یزد",
    "नेपाल का भोज",
    "🎏 carp 👩‍👩‍👧",
    "日本の祭り",
    "ኢትዮጵያ",
    "Ærøskøbing, Łódź, Įš, Şişli, tiếng Việt, naïve, Straße",
    "e\u0301 a\u0328 x\u0303",
    "\u200fmark\u200e and \u2066bidi\u2069",
    "two\r\nlines\u2028and more\x00",
    *EVIL[:-1],
]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a & b_c 5%", r"a \& b\_c 5\%"),
        ("naïve, Łódź, Straße", r"na\"{\i}ve, \L{}\'{o}d\'{z}, Stra\ss{}e"),
        ("e\u0301", r"\'{e}"),
        ("a--b ?` ``", "a-{}-b ?{}` `{}`"),
        ("भोज 1", r"\concordtext{भोज}{U+092D U+094B U+091C} 1"),
        ("🎏", r"\concordtext{🎏}{U+1F38F}"),
        ("\u2212.5 \u2264 α", r"$-$.5 $\leq$ $\alpha$"),
        ("two\r\nlines\x00", "two lines "),
    ],
)
def test_a_text_is_written_for_every_engine(text, written):
    assert escape(text) == written


def test_texts_that_differ_stay_apart():
    names = ["مدل الف", "مدل ب", "模型一", "模型二", "a--b", "a–b"]
    assert len({escape(name) for name in names}) == len(names)


def compiled(folder: Path, body: str) -> str:
    """What pdfLaTeX says; fails where it stops."""
    packages = r"\usepackage{booktabs,longtable}"
    text = rf"\documentclass{{article}}{packages}\begin{{document}}{body}\end{{document}}"
    (folder / "paper.tex").write_text(text, "utf-8")
    command = [str(PDFLATEX), "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error"]
    for _ in range(2):  # the list of tables is read back the second time
        ended = subprocess.run(
            [*command, "paper.tex"], cwd=folder, capture_output=True, timeout=120, check=False
        )
        said = ended.stdout.decode("utf-8", "replace")
        assert ended.returncode == 0, said[-3000:]
    return said


@needs_pdflatex
def test_every_letter_up_to_latin_extended_and_names_of_every_script_compile(tmp_path):
    letters = [chr(code) for code in range(1, 0x250)]
    texts = [*letters, *NAMES, *EVIL]
    body = "\n\n".join(rf"\texttt{{x}} {escape(text)} x" for text in texts)
    said = compiled(tmp_path, f"{DEFINITION}\n{body}\n")
    assert "Output written on paper.pdf" in said
    assert "Missing character" not in (tmp_path / "paper.log").read_text("utf-8", "replace")


@pytest.fixture
def evil_report(owner, monkeypatch):
    """A report whose systems, questions and categories have those names."""
    monkeypatch.setattr(compute, "REPLICATES", 20)
    study: Study = a_study(owner=owner, title=NAMES[0])
    question = a_question(study, "faithfulness")
    question.reported_as = r"&%$#_{}~^\ नेपाल 🎏 عروسی"
    question.save()
    items = [
        an_item(study, f"{place}-{n}", country="NP", system=name.replace("\x00", "")[:120])
        for place, name in enumerate(NAMES)
        for n in range(2)
    ]
    for person in range(3):
        rater = a_rater(study, f"NP-0{person + 1}", country="NP")
        for n, item in enumerate(items):
            rate(rater, item, {question: 1 + (n + person) % 5})
    a_run(study, {"ALIGN": {item: n / 7 for n, item in enumerate(items)}})
    frozen(study)
    execute_report(request_report(study).pk)
    return from_json(study.reports.get().report)


@needs_pdflatex
@pytest.mark.django_db
def test_a_report_of_evil_names_compiles_with_every_table(evil_report, tmp_path):
    (tmp_path / "report.tex").write_text(latex_tables(evil_report), "utf-8")
    said = compiled(tmp_path, r"\input{report.tex}\listoftables")
    assert "Output written on paper.pdf" in said
    assert "undefined" not in said
    listed = (tmp_path / "paper.lot").read_text("utf-8", "replace")
    assert listed.count(r"\contentsline") == len(tables(evil_report))
