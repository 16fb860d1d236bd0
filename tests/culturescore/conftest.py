"""A draft of triplets, and a chat server that writes and checks its bank."""

from __future__ import annotations

import json

import pytest

from tests.ahead.conftest import server  # noqa: F401
from tests.scoring.chat_of_items import asked_text

PARTS = {"Identity": "Nepali guests", "Behavior": "they bow", "Context": "a home in Nepal"}


def question(dimension: str, text: str, weight: int = 5):
    return {"dimension": dimension, "question": text, "explicit": True, "weight": weight}


QUESTIONS = [
    question("identity", "Do the guests wear a dhaka topi, a patterned cap?", 9),
    question("behavior", "Do the guests press their palms together before they speak?", 8),
    question("behavior", "Do the guests shake hands for long?", 2),
    question("context", "Is there a low wooden door behind them?", 4),
]
UNGROUNDED = "shake hands"


def write_bank(body) -> str:
    """Answers of a writer and a verifier, by what the question asks for."""
    shape = body["response_format"]["json_schema"]["schema"]["required"]
    text = asked_text(body)
    grounded = "No" if UNGROUNDED in text else "Yes"
    replies = {
        "Identity": PARTS,
        "extended": {"extended": "A wide shot. Guests greet the host. They bow."},
        "text": {"text": "Guests greet the host"},
        "is_culturally_unique": {"is_culturally_unique": False, "reason": "anywhere"},
        "questions": {"questions": QUESTIONS},
        "grounded": {"grounded": grounded, "evidence": f"It is {grounded}."},
    }
    return json.dumps(replies[shape[0]])


@pytest.fixture
def writer(server):  # noqa: F811
    server.answer = write_bank
    return server


@pytest.fixture
def bare_triplets(triplet_study):
    """Triplets without a bank."""
    triplet_study.unit_probes = None
    for unit in triplet_study.units.all():
        unit.unit_probes.all().delete()
    triplet_study.probes.all().delete()
    triplet_study.items.update(prompt="Nepali guests greet the host", category="greetings")
    return triplet_study
