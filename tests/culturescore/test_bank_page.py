"""The page of the bank: what is in it, and having it written."""

from __future__ import annotations

import pytest

from scoring.steps import execute_step
from tests.culturescore.conftest import QUESTIONS

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client, researcher):
    client.force_login(researcher)
    return client


def test_a_bank_is_written_from_the_page_and_stands_on_it(page, bare_triplets, writer):
    address = f"/studies/{bare_triplets.slug}/metrics/probes/"
    assert "The bank is empty" in page.get(address).content.decode()
    reply = page.post(address, {"model": "writer", "verifier": "", "budget_calls": ""})
    step = bare_triplets.scoring_steps.get()
    assert reply.url.endswith(f"/ahead/steps/{step.pk}/")
    execute_step(step_id=step.pk)
    told = page.get(reply.url).content.decode()
    assert "4 questions, 3 of them grounded and verified" in told
    assert "Bank of probes" in told
    shown = page.get(address).content.decode()
    assert all(question["question"] in shown for question in QUESTIONS)
    assert "identity" in shown and "1 of 2 verified" in shown  # behavior


def test_what_cannot_be_written_is_said_on_the_form(page, bare_triplets, writer):
    address = f"/studies/{bare_triplets.slug}/metrics/probes/"
    bare_triplets.items.update(prompt="")
    reply = page.post(address, {"model": "writer"})
    assert reply.status_code == 422
    assert "Import a prompt book" in reply.content.decode()
    assert page.post(address, {"model": "", "budget_calls": "0"}).status_code == 422
    assert not bare_triplets.scoring_steps.exists()


def test_an_open_study_offers_no_writing(page, live_triplets):
    shown = page.get(f"/studies/{live_triplets.slug}/metrics/probes/").content.decode()
    assert "Write the bank" not in shown
    assert "Can the Identity be seen?" in shown
