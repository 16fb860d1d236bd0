"""Tables, pictures and archives made here, and a draft to import them into."""

import io
import zipfile

import pytest
from PIL import Image

from studies.models import Study


@pytest.fixture(autouse=True)
def _uploads_in_a_scratch_folder(settings, tmp_path):
    settings.VAR_DIR = tmp_path / "var"


@pytest.fixture(autouse=True)
def _no_pause_between_batches(monkeypatch):
    monkeypatch.setattr("studies.importing.bulk.BREATH", 0)


@pytest.fixture
def study(researcher) -> Study:
    return Study.objects.create(
        owner=researcher, title="Greetings", slug="greetings", public_title="Pictures"
    )


def png(colour: str = "grey", size: tuple[int, int] = (30, 20)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, "PNG")
    return buffer.getvalue()


def zipped(files: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()
