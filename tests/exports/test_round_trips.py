"""What pandas, the readers of the analysis commands and a spreadsheet program read back."""

from __future__ import annotations

import io
import shutil
import subprocess

import pandas as pd
import pytest

from annotation.models import Rating
from annotation.ratings import rating_rows
from scoring.exports.catalogue import export_file
from scoring.exports.jobs import job_path
from scoring.exports.options import Options
from scoring.exports.ratings import COLUMNS, ratings_table
from scoring.exports.streaming import text_of
from scoring.exports.writers.delimited import cell, csv_lines
from scoring.exports.writers.workbook import write_workbook
from scoring.tables import read_table
from tests.exports.conftest import EVIL, made

pytestmark = pytest.mark.django_db
AS_IT_STANDS = {"dtype": str, "keep_default_na": False, "na_values": [""]}
NAMES = [column.name for column in COLUMNS]


def streamed(study, key: str, options: Options | None = None) -> bytes:
    return b"".join(text_of(study, export_file(key), options or Options()))


def plain(text: str) -> str:
    """A text as a CSV reader gets it back: the apostrophe taken away."""
    return text[1:] if text.startswith("'") and cell(text[1:]) == text else text


def written(frame: pd.DataFrame) -> list[str]:
    return list(frame[frame.question == "why"].text)


def test_pandas_reads_the_csv_back_equal(evil_study):
    frame = pd.read_csv(io.BytesIO(streamed(evil_study, "ratings.csv")), **AS_IT_STANDS)
    assert list(frame.columns) == NAMES
    assert [plain(text) for text in written(frame)] == EVIL
    assert list(frame[frame.question == "faithfulness"].prompt.map(plain)) == EVIL
    assert set(frame.country) == set(frame.panel_country) == {"NA"}
    rows = list(rating_rows(evil_study))
    assert frame.value.dropna().astype(int).tolist() == [
        row.value for row in rows if row.value is not None
    ]
    assert pd.to_datetime(frame.submitted_at).dt.tz is not None


def test_no_cell_of_the_csv_begins_like_a_formula(evil_study):
    frame = pd.read_csv(io.BytesIO(streamed(evil_study, "ratings.csv")), **AS_IT_STANDS)
    starts = ("=", "+", "-", "@", "\t", "\r")
    assert not [text for text in frame.stack() if str(text).startswith(starts)]


def test_a_nul_is_replaced_in_csv_and_kept_in_json_lines():
    assert list(csv_lines(["a"], [["x\0y"]]))[1] == "x\ufffdy\r\n"


def test_lines_of_the_csv_end_as_rfc_4180_wants_and_quotes_are_doubled():
    lines = list(csv_lines(["a", "b"], [['say "x"', "1\r\n2"]]))
    assert lines == ["a,b\r\n", '"say ""x""","1\r\n2"\r\n']


def test_a_byte_order_mark_comes_first_where_it_is_wanted(evil_study):
    content = streamed(evil_study, "ratings.csv", Options(bom="1"))
    assert content.startswith(b"\xef\xbb\xbfstudy,")
    frame = pd.read_csv(io.BytesIO(content), encoding="utf-8-sig", **AS_IT_STANDS)
    assert list(frame.columns) == NAMES


def test_json_lines_keep_every_text_as_it_was_given(evil_study):
    content = streamed(evil_study, "ratings.jsonl").decode()
    frame = pd.read_json(io.StringIO(content), lines=True, dtype=False)
    assert written(frame) == EVIL
    assert list(frame.columns) == NAMES
    assert frame.simulated.tolist() == [False] * len(frame)


def test_pandas_reads_the_parquet_file_back_equal(evil_study):
    job = made(evil_study, "ratings.parquet")
    frame = pd.read_parquet(job_path(job))
    assert written(frame) == EVIL
    assert set(frame.country) == {"NA"}
    rows = list(rating_rows(evil_study))
    assert frame.value.dropna().tolist() == [row.value for row in rows if row.value is not None]
    assert [moment.to_pydatetime() for moment in frame.served_at] == [row.served_at for row in rows]
    assert frame.seconds_on_screen.tolist() == [row.seconds_on_screen for row in rows]


def test_pandas_reads_the_workbook_back_equal(evil_study):
    job = made(evil_study, "ratings.xlsx")
    book = pd.read_excel(job_path(job), sheet_name=None, dtype=str, keep_default_na=False)
    assert list(book) == ["Ratings"]
    frame = book["Ratings"]
    # Pandas' reader leaves the escape of a text that looks like one; spreadsheets take it away.
    assert [text.replace("_x005F_", "_") for text in written(frame)] == EVIL
    assert set(frame.country) == {"NA"}


def test_the_analysis_commands_read_every_format(evil_study, tmp_path):
    (tmp_path / "ratings.csv").write_bytes(streamed(evil_study, "ratings.csv"))
    (tmp_path / "ratings.jsonl").write_bytes(streamed(evil_study, "ratings.jsonl"))
    files = [
        tmp_path / "ratings.csv",
        tmp_path / "ratings.jsonl",
        job_path(made(evil_study, "ratings.parquet")),
        job_path(made(evil_study, "ratings.xlsx")),
    ]
    seen = []
    for file in files:
        table = read_table(file, {"--value": ["item", "question", "value", "country"]})
        seen.append(table.frame.astype(str).to_numpy().tolist())
    assert seen[0] == seen[1] == seen[2] == seen[3]
    assert len(seen[0]) == 2 * len(EVIL)


@pytest.fixture(scope="module")
def spreadsheet() -> str:
    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        pytest.skip("LibreOffice is not installed (apt-get install libreoffice-calc-nogui)")
    return program


def opened_and_saved(program: str, path, tmp_path, ending: str) -> pd.DataFrame:
    """The file as the spreadsheet program read it, saved by it as CSV with every cell as text."""
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    as_text = "/".join(f"{n}/2" for n in range(1, len(NAMES) + 1))
    read = [f"--infilter=CSV:44,34,76,1,{as_text},0,false,false,false"] if ending == "csv" else []
    save = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,1"
    command = [program, profile, "--headless", *read, "--convert-to", save]
    out = tmp_path / "out"
    subprocess.run(
        [*command, "--outdir", str(out), str(path)], check=True, capture_output=True, timeout=240
    )
    (file,) = out.glob("*.csv")
    return pd.read_csv(file, **AS_IT_STANDS)


def spaced(text: str) -> str:
    """Spreadsheets know one kind of line break within a cell."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def test_a_spreadsheet_program_reads_the_workbook_back_equal(evil_study, spreadsheet, tmp_path):
    job = made(evil_study, "ratings.xlsx")
    frame = opened_and_saved(spreadsheet, job_path(job), tmp_path, "xlsx")
    assert [spaced(text) for text in written(frame)] == [spaced(text) for text in EVIL]
    assert set(frame.country) == {"NA"}


def test_a_spreadsheet_program_reads_the_csv_back_equal(evil_study, spreadsheet, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_bytes(streamed(evil_study, "ratings.csv"))
    frame = opened_and_saved(spreadsheet, path, tmp_path, "csv")
    assert written(frame) == [spaced(str(cell(text))) for text in EVIL]
    assert set(frame.country) == {"NA"}


def test_a_table_that_is_too_long_for_a_sheet_goes_on_in_the_next(evil_study, tmp_path):
    table = ratings_table(evil_study)
    told: list[int] = []
    write_workbook(tmp_path / "split.xlsx", [table], told.append, rows_a_sheet=11)
    sheets = pd.read_excel(tmp_path / "split.xlsx", sheet_name=None, dtype=str)
    assert list(sheets) == ["Ratings", *(f"Ratings ({n})" for n in range(2, len(sheets) + 1))]
    assert {len(sheet) for sheet in list(sheets.values())[:-1]} == {10}
    items = pd.concat(sheets.values()).item.tolist()
    assert items == [row.item for row in rating_rows(evil_study)]
    assert told[-1] == len(items)


def test_a_text_above_what_a_cell_holds_says_that_it_was_cut(evil_study, tmp_path):
    Rating.objects.filter(text=EVIL[0]).update(text="🎏" * 20_000)
    write_workbook(tmp_path / "long.xlsx", [ratings_table(evil_study)], lambda n: None)
    frame = pd.read_excel(tmp_path / "long.xlsx", dtype=str, keep_default_na=False)
    (text,) = [text for text in frame.text if text.startswith("🎏🎏")]
    assert text.endswith("[cut; whole in the JSONL file]")
    assert len(text.encode("utf-16-le")) // 2 <= 32_767
