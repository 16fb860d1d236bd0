"""A chat model over real HTTP: what is sent, what comes back, what goes wrong."""

import base64
import threading

import pytest

from scoring.backends.chat import (
    BadAnswerError,
    ChatBusyError,
    ChatNotConfiguredError,
    ChatProtocolError,
    ChatRejectedError,
    Message,
    Picture,
    Request,
)
from scoring.backends.chat_server import ChatServer
from tests.chat_server import FakeChatServer

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 5}},
    "required": ["score"],
    "additionalProperties": False,
}


@pytest.fixture
def server():
    with FakeChatServer() as running:
        yield running


@pytest.fixture
def waits():
    return []


@pytest.fixture
def chat(server, waits):
    return ChatServer(base_url=server.url, api_key="k", timeout=0.5, tries=3, sleep=waits.append)


def question(*parts, **how) -> Request:
    return Request(model="m", messages=(Message("user", parts or ("How much?",)),), **how)


def test_pictures_travel_as_data_urls_beside_the_text(chat, server):
    chat.ask(question("Look.", Picture(b"png bytes", "image/png")))
    text, picture = server.requests[0]["messages"][0]["content"]
    assert text == {"type": "text", "text": "Look."}
    coded = base64.b64encode(b"png bytes").decode()
    assert picture["image_url"]["url"] == f"data:image/png;base64,{coded}"


def test_parameters_schema_and_key_are_sent_as_asked(chat, server):
    chat.ask(question(temperature=0.2, seed=7, max_tokens=99, n=2, logprobs=3, schema=SCHEMA))
    body = server.requests[0]
    assert (body["temperature"], body["seed"], body["max_tokens"], body["n"]) == (0.2, 7, 99, 2)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 3)
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert server.headers[0]["authorization"] == "Bearer k"


def test_a_server_without_schemas_is_not_sent_one(server):
    ChatServer(base_url=server.url, json_schema=False).ask(question(schema=SCHEMA))
    assert "response_format" not in server.requests[0]


def test_a_reply_holds_every_choice_the_usage_and_the_log_probabilities(chat, server):
    server.say("Yes", logprobs=[("Yes", -0.1, {"Yes": -0.1, "No": -2.4})], usage=(120, 1))
    reply = chat.ask(question(n=2, logprobs=2))
    assert [choice.text for choice in reply.choices] == ["Yes", "Yes"]
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (120, 1)
    assert reply.first.tokens[0].top == {"Yes": -0.1, "No": -2.4}


def test_no_log_probabilities_is_told_from_none_given(chat):
    assert chat.ask(question()).first.tokens is None


def test_a_rate_limit_is_waited_out_as_long_as_the_server_says(chat, server, waits):
    server.fail(429, retry_after="7")
    assert chat.ask(question()).tries == 2
    assert waits == [7.0]


def test_errors_of_the_server_are_tried_again_with_growing_waits(chat, server, waits):
    server.fail(500)
    server.fail(503)
    assert chat.ask(question()).tries == 3
    assert waits == [1.0, 2.0]


def test_a_server_that_asks_for_too_long_a_wait_is_given_up(chat, server, waits):
    server.fail(429, retry_after="3600")
    with pytest.raises(ChatBusyError, match="left alone for 3600 s"):
        chat.ask(question())
    assert waits == []


def test_time_outs_end_after_the_last_try(chat, server, waits):
    for _ in range(3):
        server.say("late", after=1.0)
    with pytest.raises(ChatBusyError, match=r"failed 3 times, at last: no answer in 0\.5 s"):
        chat.ask(question())
    assert waits == [1.0, 2.0]


@pytest.mark.parametrize(("status", "words"), [(401, "CHAT_API_KEY"), (400, "400"), (404, "404")])
def test_a_request_that_is_wrong_is_not_sent_again(chat, server, waits, status, words):
    server.fail(status)
    with pytest.raises(ChatRejectedError, match=words):
        chat.ask(question())
    assert len(server.requests) == 1


def test_no_other_host_is_contacted_than_the_one_that_is_set(chat, server):
    with FakeChatServer() as other:
        server.fail(307, location=f"{other.url}/chat/completions")
        with pytest.raises(ChatRejectedError, match="not followed"):
            chat.ask(question())
        assert other.requests == []


@pytest.mark.parametrize("raw", ['{"hello": 1}', '{"choices": []}', "[]", "<html>", '"no"'])
def test_something_that_is_no_completion_is_named_so(chat, server, raw):
    server.send_raw(raw)
    with pytest.raises(ChatProtocolError):
        chat.ask(question())


@pytest.mark.parametrize("address", ["", "file:///etc/passwd", "localhost:8000"])
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(ChatNotConfiguredError, match="CHAT_BASE_URL"):
        ChatServer(base_url=address)


def test_a_key_in_the_address_is_refused():
    with pytest.raises(ChatNotConfiguredError, match="CHAT_API_KEY"):
        ChatServer(base_url="https://u:p@example.org/v1")


@pytest.mark.parametrize(
    ("text", "how", "reason"),
    [
        ("I would rather not.", {"refusal": True}, "refused"),
        ("", {"finish": "content_filter"}, "refused"),
        ('{"score": 3', {"finish": "length"}, "parse_failed"),
        ("three", {}, "parse_failed"),
        ('{"score": 9}', {}, "parse_failed"),
        ('{"score": true}', {}, "parse_failed"),
        ('{"score": 3, "mood": "fine"}', {}, "parse_failed"),
        ('{"score": 1, "score": 5}', {}, "parse_failed"),
        ('{"score": "\u0664"}', {}, "parse_failed"),
        ('{"score": "four"}', {}, "parse_failed"),
        ('{"score": 4.5}', {}, "parse_failed"),
        ('{"score": NaN}', {}, "parse_failed"),
        ("{}", {}, "parse_failed"),
        ("[3]", {}, "parse_failed"),
        ('```json\n{"score": 3}\n```', {}, "parse_failed"),
    ],
)
def test_an_answer_that_cannot_be_used_says_why_and_is_not_repaired(
    chat, server, text, how, reason
):
    server.say(text, **how)
    with pytest.raises(BadAnswerError) as caught:
        chat.ask(question()).first.json(SCHEMA)
    assert caught.value.reason == reason


def test_a_good_answer_is_data(chat, server):
    server.say('{"score": 4}')
    assert chat.ask(question()).first.json(SCHEMA) == {"score": 4}


def test_no_more_calls_are_open_at_once_than_allowed(server):
    server.delay = 0.05
    chat = ChatServer(base_url=server.url, concurrency=2)
    threads = [threading.Thread(target=chat.ask, args=(question(seed=i),)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.requests) == 6
    assert server.most_at_once == 2


def test_the_key_of_a_request_depends_on_everything_asked_and_holds_no_picture():
    base = question("a", Picture(b"1", "image/png"))
    others = [
        question("b", Picture(b"1", "image/png")),
        question("a", Picture(b"2", "image/png")),
        question("a", Picture(b"1", "image/png"), temperature=0.2),
        question("a", Picture(b"1", "image/png"), seed=1),
        question("a", Picture(b"1", "image/png"), schema=SCHEMA),
        base.again(),
    ]
    keys = {request.key(server="s") for request in [base, *others]} | {base.key(server="t")}
    assert len(keys) == 8
    assert question("a", Picture(b"1", "image/png"), prompt="x@2").key(server="s") == base.key(
        server="s"
    )
