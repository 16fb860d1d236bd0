"""A study of two generated and two real pictures of one scene, and a chat server on loopback."""

from __future__ import annotations

import itertools

import pytest
from django.core.files.base import ContentFile

from scoring.steps import execute_step, request_step
from studies.models import Descriptor, Item, Study, System
from tests.chat_server import FakeChatServer
from tests.conftest import picture

_colours = (f"#{n * 4099 % 0xFFFFFF:06x}" for n in itertools.count(1))


@pytest.fixture
def study(researcher) -> Study:
    study = Study.objects.create(
        owner=researcher, title="Weddings", slug="weddings", public_title="W"
    )
    for name in ("gen-1", "gen-2"):
        add_item(study, name, system="SDXL")
    for name in ("real-1", "real-2"):
        add_item(study, name, origin="real")
    return study


def add_item(study: Study, name: str, *, system: str = "", origin="generated", **more) -> Item:
    made_by = None
    if system:
        made_by, _ = System.objects.get_or_create(study=study, name=system)
    content = picture(next(_colours))
    item = Item(
        study=study,
        external_id=name,
        content_type="image/png",
        sha256=f"{name:0>64}",
        source_name=f"{name}.png",
        width=64,
        height=48,
        system=made_by,
        origin=origin,
        **({"country": "NP", "category": "wedding", "prompt": "a wedding in Nepal"} | more),
    )
    item.media.save(f"{name}.png", ContentFile(content))
    return item


def add_descriptor(study: Study, kind: str, token: str, **more) -> Descriptor:
    scene = {} if kind == "predicted" else {"activity": "wedding", "country": "NP"}
    return Descriptor.objects.create(
        study=study, kind=kind, token=token, **({"dimension": "attire"} | scene | more)
    )


@pytest.fixture
def server(settings):
    with FakeChatServer() as running:
        settings.CHAT_BASE_URL = running.url
        settings.CHAT_API_KEY = ""
        settings.CHAT_CONCURRENCY = 2
        yield running


def done(study: Study, kind: str, **parameters):
    """The step of this kind, done in the foreground."""
    step = request_step(study=study, kind=kind, parameters=parameters, by=None, send=False)
    execute_step(step_id=step.pk)
    step.refresh_from_db()
    return step


def asked_text(body: dict) -> str:
    """All that a chat model was told in words."""
    texts = []
    for message in body["messages"]:
        content = message["content"]
        if isinstance(content, str):
            texts.append(content)
        else:
            texts += [part["text"] for part in content if part["type"] == "text"]
    return "\n".join(texts)
