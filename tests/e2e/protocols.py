"""What the published protocols are tried on: generated files, and people who do what people do."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from annotation import hearing
from annotation.models import Participation
from studies.models import Study
from tests.conftest import picture
from tests.e2e.filmed import clip_bytes

# ---- files


def table(rows: Sequence[Mapping[str, str]]) -> str:
    """A CSV of these rows; a row says nothing in columns that it does not have."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def bring(study: Study, folder: Path, what: str, rows: Sequence[Mapping[str, str]], **options):
    """Import rows with the command of that name, from a table in ``folder``."""
    path = folder / f"{what}.csv"
    path.write_text(table(rows), encoding="utf-8")
    call_command(f"import_{what}", study.slug, str(path), **options)


def draw(folder: Path, names: Iterable[str]) -> Path:
    """A picture for each name, each of its own colour."""
    folder.mkdir(parents=True, exist_ok=True)
    for n, name in enumerate(names):
        (folder / name).write_bytes(picture((40 + 37 * n % 200, 90, 160 - n), (480, 360)))
    return folder


def film(folder: Path, names: Mapping[str, bool]) -> Path:
    """A clip of a second for each name, with a tone where it is to have sound."""
    folder.mkdir(parents=True, exist_ok=True)
    for n, (name, sound) in enumerate(names.items()):
        # Clips of different lengths are different files, and the import sees them as such.
        (folder / name).write_bytes(clip_bytes(1 + n / 12, look=n % 4, sound=sound))
    return folder


# ---- the researcher


class Workshop:
    """A signed-in researcher who makes a study of a protocol ready, and launches it."""

    def __init__(self, page: Page, server: str):
        self.page, self.server = page, server

    def make(self, protocol: str, title: str) -> Study:
        """One choice and a name."""
        self.page.goto(self.server + reverse("admin:studies_study_add"))
        self.page.get_by_role("radio", name=protocol).check()
        self.page.get_by_label("Name", exact=True).fill(title)
        self.page.get_by_role("button", name="Make the study").click()
        expect(self.page.get_by_role("heading", name="Before you launch")).to_be_visible()
        return Study.objects.get(title=title)

    def reduce(self, *, keep: Mapping[str, int]) -> None:
        """Take away all panels but these, with so many ratings a unit; write who to ask."""
        page = self.page
        page.wait_for_load_state()
        for row in page.locator("#panels tr.has_original").all():
            country = row.locator("select[name$=-country]").input_value()
            if country not in keep:
                row.locator("input[name$=-DELETE]").check()
                continue
            row.locator("input[name$=-ratings_per_unit]").fill(str(keep[country]))
        page.locator("#section-texts > summary").click()
        page.locator("[name=contact]").fill("ana@example.org")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("Saved.", exact=True)).to_be_visible()

    def translate(self, study: Study, language: str) -> None:
        """Fetch the translator's table, fill it in and bring it back."""
        page = self.page
        page.goto(self.server + reverse("admin:studies_study_words_in", args=[study.pk, language]))
        page.get_by_text("For a translator").click()
        with page.expect_download() as download:
            page.get_by_role("link", name="Download CSV").click()
        text = Path(download.value.path()).read_text("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text)))
        done = [row | {"translation": f"{language}: {row['source']}"} for row in rows]
        page.locator("input[type=file]").set_input_files(
            {"name": "t.csv", "mimeType": "text/csv", "buffer": table(done).encode()}
        )
        page.get_by_role("button", name="Take its texts").click()
        expect(page.get_by_text("new or changed")).to_be_visible()

    def stops(self, study: Study) -> list[str]:
        """What the check list says stops the launch."""
        self.page.goto(self.server + reverse("admin:studies_study_change", args=[study.pk]))
        return [line.inner_text() for line in self.page.locator("[data-mark=stop]").all()]

    def launch(self, study: Study, note: str) -> str:
        """Through the launch page; the address that annotators get."""
        page = self.page
        stops = self.stops(study)
        assert not stops, stops
        page.get_by_role("link", name="Launch…").click()
        page.locator("[name=note]").fill(note)
        page.get_by_role("button", name="Launch study").click()
        expect(page.get_by_text("The study is live.")).to_be_visible()
        study.refresh_from_db()
        return self.server + study.entry_path


# ---- the annotator


class Annotator:
    """Somebody who rates a session through, by pointer or by touch."""

    def __init__(self, page: Page, *, touch: bool = False):
        self.page, self.touch = page, touch
        self.presses = 0

    def press(self, what: Locator) -> None:
        what.tap() if self.touch else what.click()
        self.presses += 1

    def enter(self, link: str, *, country: str, language: str) -> None:
        page = self.page
        page.goto(link)
        self.press(page.get_by_role("button", name="I agree and take part"))
        for name, value in (
            ("nationality", country),
            ("residence", country),
            ("first_language", language),
        ):
            page.locator(f"select[name={name}]").select_option(value)
        self.press(page.get_by_role("button", name="Continue"))
        expect(page.get_by_role("heading", level=1)).not_to_have_text("Before we start")
        if page.get_by_role("heading", name="How many beeps?").count():
            self.count_beeps()
        self.pass_the_quick_check()
        self.press(page.get_by_role("button", name="Start"))
        expect(page.locator("#place")).to_be_visible()

    def pass_the_quick_check(self) -> None:
        """As somebody does who has read the task; nothing where the study asks nothing."""
        token = self.page.url.split("/a/")[1].split("/")[0]
        study = Participation.objects.get(token=token).study
        for n, row in enumerate(study.comprehension_questions.filter(active=True), 1):
            right = self.page.locator(f"input[name=quick_{n}][value='{row.correct}']")
            self.press(self.page.locator("label.choice", has=right))

    def count_beeps(self) -> None:
        """As somebody does who hears them."""
        page = self.page
        person = Participation.objects.get(token=page.url.split("/a/")[1].split("/")[0])
        page.locator(f"input[name=beeps][value='{hearing.beeps_of(person)}']").check()
        self.press(page.get_by_role("button", name="Continue"))

    def choose(self, card: Locator, value: int | str) -> None:
        """One point of a scale, or yes or no, by what it is worth."""
        point = card.locator("label", has=card.page.locator(f"input[value='{value}']"))
        self.press(point)

    def is_on(self, n: int, total: int) -> None:
        expect(self.page.locator("#place")).to_have_text(f"{n} of {total}")

    def watch(self, n_clips: int = 1) -> None:
        """Every clip of the screen to its end."""
        name = "Play all in turn" if n_clips > 1 else "Play: Video"
        self.press(self.page.get_by_role("button", name=name))
        expect(self.page.locator("fieldset.lock:disabled")).to_have_count(0, timeout=15_000)

    def cards(self, kind: str) -> list[Locator]:
        """The cards of a kind that are open, in their order."""
        return self.page.locator(f"[data-card={kind}]:visible").all()

    def go_on(self) -> None:
        self.press(self.page.locator("[data-next]"))

    def is_done(self, study: Study) -> None:
        """The code is there."""
        expect(self.page.get_by_text(study.completion_code)).to_be_visible()
