"""ImageReward where its package is installed, and a sentence where it is not."""

import sys
from types import SimpleNamespace

import pytest

from scoring.backends import image_reward
from scoring.backends.image_reward import ImageReward
from scoring.backends.image_text import EncoderError
from scoring.metrics import all_metrics
from scoring.metrics.absent import absent_metrics
from scoring.metrics.base import MetricItem
from scoring.metrics.image_reward import IMAGE_REWARD
from tests.tiny_models import noise


@pytest.fixture
def package(monkeypatch, tmp_path):
    """Something with the package's own two calls."""
    calls = []

    class Model:
        def score(self, prompt, image):
            calls.append((prompt, image.mode, image.size))
            return len(prompt) / 10

    def load(name, device, med_config):
        calls.append((name, device, med_config))
        return Model()

    monkeypatch.setitem(sys.modules, "ImageReward", SimpleNamespace(load=load))
    for name in ("reward.pt", "med_config.json"):
        (tmp_path / name).write_bytes(b"x")
    return calls


def backend(folder):
    return ImageReward(checkpoint=str(folder / "reward.pt"), config=str(folder / "med_config.json"))


@pytest.mark.skipif(image_reward.is_installed(), reason="ImageReward is installed here")
def test_without_its_package_it_is_not_in_the_list_and_the_page_is_told_why():
    assert "imagereward" not in {metric.declaration.key for metric in all_metrics()}
    [absent] = absent_metrics()
    assert absent.name == "ImageReward"
    assert "not installed" in absent.sentence
    with pytest.raises(EncoderError, match="IMAGEREWARD_MODEL"):
        ImageReward(checkpoint="", config="").load()


@pytest.mark.skipif(image_reward.is_installed(), reason="ImageReward is installed here")
def test_a_package_that_cannot_be_imported_fails_with_a_sentence(tmp_path):
    for name in ("reward.pt", "med_config.json"):
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(EncoderError, match="does not work .*ModuleNotFoundError"):
        backend(tmp_path).load()


def test_items_get_what_the_package_says(package, tmp_path):
    noise((40, 56)).save(tmp_path / "a.png")
    (tmp_path / "bad.png").write_bytes(b"no")
    fields = {"kind": "image", "file": str(tmp_path / "a.png"), "prompt": "a wedding"}
    items = [
        MetricItem("1", fields),
        MetricItem("2", {**fields, "prompt": " "}),
        MetricItem("3", {**fields, "file": str(tmp_path / "bad.png")}),
        MetricItem("4", {**fields, "kind": "audio"}),
    ]
    model = backend(tmp_path)
    rows = list(IMAGE_REWARD.score(items=items, descriptors=(), backend=model, parameters={}))
    assert [row.value for row in rows] == [pytest.approx(0.9), None, None, None]
    assert [row.reason for row in rows] == ["", "no_prompt", "undecodable", "not_applicable"]
    assert package[1:] == [("a wedding", "RGB", (56, 40))]
    assert package[0][1:] == ("cpu", str(tmp_path / "med_config.json"))
    assert len(model.revision) == 25


@pytest.mark.django_db
@pytest.mark.skipif(image_reward.is_installed(), reason="ImageReward is installed here")
def test_the_list_of_metrics_says_what_is_not_there(client, draft_study, researcher):
    client.force_login(researcher)
    page = client.get(f"/studies/{draft_study.slug}/metrics/").content.decode()
    assert "Not on this machine" in page
    assert "image-reward, which is not installed here" in page
    assert "CAIRe by likelihood" in page
