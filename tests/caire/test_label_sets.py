"""Label sets from files, and runs whose label set is gone."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from scoring.caire_inputs import mark
from scoring.models import LabelSet

pytestmark = pytest.mark.django_db


def imported(study, file, **options) -> str:
    out = StringIO()
    call_command("import_labels", study.slug, str(file), stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "countries.txt"
    path.write_text("\ufeffNepal\r\n\r\n  Sri Lanka \r\nCôte d’Ivoire\r\n", encoding="utf-8")
    return path


def test_a_file_becomes_a_label_set_that_bears_its_name(draft_study, file):
    assert "Label set countries: 3 labels." in imported(draft_study, file)
    assert LabelSet.objects.get().lines == ["Nepal", "Sri Lanka", "Côte d’Ivoire"]


def test_a_set_is_replaced_only_when_that_is_said(draft_study, file):
    imported(draft_study, file, name="all")
    file.write_text("Holi\n")
    with pytest.raises(CommandError, match="already"):
        imported(draft_study, file, name="all")
    assert len(LabelSet.objects.get().lines) == 3
    imported(draft_study, file, name="all", replace=True)
    assert LabelSet.objects.get().lines == ["Holi"]


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"\n \n", "a", "at least one label"),
        (b"Holi\nHoli\n", "a", "once"),
        (b"x" * 201, "a", "at most 200 letters"),
        (b"Holi", "n" * 61, "at most 60 characters"),
        (b"\xff\xfeH", "a", "no text in UTF-8"),
    ],
)
def test_what_is_no_label_set_is_refused_in_a_sentence(draft_study, file, content, name, sentence):
    file.write_bytes(content)
    with pytest.raises(CommandError, match=sentence):
        imported(draft_study, file, name=name)
    assert not LabelSet.objects.exists()


def test_a_run_whose_label_set_is_gone_was_made_from_other_labels(draft_study, file):
    imported(draft_study, file)
    asked = {"labels": "countries"}
    before = mark(study=draft_study, parameters=asked)
    LabelSet.objects.all().delete()
    assert mark(study=draft_study, parameters=asked) != before
