"""Stored exchanges: nothing is paid for twice, a budget holds, a kill loses nothing."""

from decimal import Decimal

import pytest

from scoring.backends.chat import ChatBusyError, Message, Picture, Request
from scoring.backends.chat_server import ChatServer
from scoring.exchanges import Budget, BudgetReachedError, Prices, StoredChat, tokens_sent
from scoring.models import ChatExchange
from tests.chat_server import FakeChatServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def server():
    with FakeChatServer() as running:
        running.answer = lambda body: f"about {body['messages'][0]['content']}"
        yield running


def chat_of(server, **how) -> StoredChat:
    plain = ChatServer(base_url=server.url, timeout=5, tries=1, sleep=lambda seconds: None)
    return StoredChat(plain, **how)


def question(text: str, **how) -> Request:
    how = {"max_tokens": 20} | how
    return Request(model="m", messages=(Message("user", (text,)),), **how)


def test_a_second_ask_costs_nothing_and_says_the_same(server):
    server.say("Yes", logprobs=[("Yes", -0.1, {"Yes": -0.1})])
    first = chat_of(server).ask(question("a", logprobs=1))
    again = chat_of(server)
    assert again.ask(question("a", logprobs=1)).choices == first.choices
    assert len(server.requests) == 1
    assert (again.spent.calls, again.spent.from_store) == (0, 1)


def test_another_parameter_is_another_question(server):
    chat = chat_of(server)
    chat.ask(question("a"))
    chat.ask(question("a", temperature=0.5))
    chat.ask(question("a").again())
    assert len(server.requests) == 3


def test_requests_that_are_equal_are_asked_once_and_answered_each(server):
    replies = list(chat_of(server).ask_all([question("a"), question("b"), question("a")]))
    assert sorted(reply.first.text for _, reply in replies) == ["about a", "about a", "about b"]
    assert len(server.requests) == 2


def test_refusals_are_kept_because_they_cost_too(server):
    server.say("No.", refusal=True)
    assert chat_of(server).ask(question("a")).first.outcome == "refused"
    assert chat_of(server).ask(question("a")).first.outcome == "refused"
    assert len(server.requests) == 1


def test_pictures_are_stored_by_hash_only_and_keys_not_at_all(server):
    picture = Picture(b"the bytes of a picture", "image/png")
    request = Request(model="m", messages=(Message("user", ("What?", picture)),))
    server.say("A dog.")
    StoredChat(ChatServer(base_url=server.url, api_key="sk-secret")).ask(request)
    row = ChatExchange.objects.get()
    assert row.messages[0]["parts"][1] == {"picture": picture.sha256, "media_type": "image/png"}
    stored = " ".join(str(getattr(row, field.name)) for field in row._meta.concrete_fields)
    assert "sk-secret" not in stored
    assert "the bytes" not in stored


def test_after_a_kill_only_what_is_left_is_asked(server):
    requests = [question(text) for text in "abcde"]
    replies = chat_of(server).ask_all(requests)
    next(replies), next(replies)
    replies.close()  # what a worker that is stopped leaves behind
    answered = ChatExchange.objects.count()
    assert answered >= 2
    asked_before = len(server.requests)
    chat = chat_of(server)
    assert len(list(chat.ask_all(requests))) == 5
    assert chat.spent.from_store == answered
    assert len(server.requests) - asked_before == 5 - answered


def test_calls_that_are_open_when_the_work_is_stopped_are_kept(server):
    server.say("first")
    for text in "bc":
        server.say(text, after=0.2)
    replies = chat_of(server, concurrency=3).ask_all([question(text) for text in "abcd"])
    next(replies)
    replies.close()
    assert ChatExchange.objects.count() == len(server.requests) == 3


def test_what_was_answered_before_an_error_is_kept(server):
    server.say("first")
    server.fail(500)
    with pytest.raises(ChatBusyError):
        list(chat_of(server).ask_all([question("a"), question("b"), question("c")]))
    assert [row.choices[0]["text"] for row in ChatExchange.objects.all()] == ["first"]


def test_a_budget_of_calls_stops_before_the_call_that_would_exceed_it(server):
    chat = chat_of(server, budget=Budget(calls=2))
    with pytest.raises(BudgetReachedError, match="2 new calls with 30 tokens; 1 calls of this"):
        list(chat.ask_all([question(text) for text in "abc"]))
    assert len(server.requests) == 2
    assert ChatExchange.objects.count() == 2


def test_stored_answers_do_not_count_against_the_budget(server):
    requests = [question(text) for text in "abc"]
    list(chat_of(server).ask_all(requests[:2]))
    assert len(list(chat_of(server, budget=Budget(calls=1)).ask_all(requests))) == 3


def test_a_budget_of_tokens_reserves_what_an_answer_may_take(server):
    # Each request sends 1 token by estimate and may answer 20; the server counts 15.
    chat = chat_of(server, budget=Budget(tokens=40))
    with pytest.raises(BudgetReachedError):
        list(chat.ask_all([question(text) for text in "abc"]))
    assert chat.spent.calls == 2  # 0 + 21 <= 40, 15 + 21 <= 40, 30 + 21 > 40


def test_calls_open_at_once_share_the_budget(server):
    server.delay = 0.05
    chat = chat_of(server, budget=Budget(calls=3), concurrency=4)
    with pytest.raises(BudgetReachedError):
        list(chat.ask_all([question(text) for text in "abcdefgh"]))
    assert len(server.requests) == 3
    assert ChatExchange.objects.count() == 3


def test_costs_follow_from_the_prices_and_are_unknown_without_them(server):
    server.say("x", usage=(1000, 200))
    chat = chat_of(server, prices=Prices(Decimal("2"), Decimal("10")))
    chat.ask(question("a"))
    assert chat.spent.cost == Decimal("0.004")  # 1000 * 2e-6 + 200 * 10e-6
    assert ChatExchange.objects.get().cost == Decimal("0.004000")
    other = chat_of(server)
    other.ask(question("b"))
    assert (other.spent.cost, other.spent.unpriced) == (0, 1)


def test_a_dry_run_counts_what_is_new_and_asks_nothing(server):
    chat_of(server).ask(question("a"))
    estimate = chat_of(server).estimate([question("a"), question("b" * 9), question("b" * 9)])
    assert (estimate.stored, estimate.calls) == (1, 1)
    assert (estimate.tokens_in, estimate.tokens_out_at_most) == (3, 20)
    assert len(server.requests) == 1


def test_estimates_of_parts_add_up_to_that_of_the_whole(server):
    chat_of(server).ask(question("a"))
    parts = [[question("a"), question("b")], [question("b"), question("c")], [question("a")]]
    chat = chat_of(server)
    first, second, third = (chat.estimate(part) for part in parts)
    assert first + second + third == chat_of(server).estimate(one for p in parts for one in p)
    assert (second.stored, second.calls) == (0, 1)


def test_a_picture_counts_in_the_estimate():
    picture = Picture(b"1", "image/png")
    request = Request(model="m", messages=(Message("user", ("abcd", picture)),))
    assert tokens_sent(request) == 1101
