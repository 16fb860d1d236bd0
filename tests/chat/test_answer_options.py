"""How probable given answers are: read from what servers list, and from the end of a prompt."""

import math
from dataclasses import replace

import pytest

from scoring.backends.answer_options import (
    OptionProbabilities,
    among,
    continuation_logprob,
    option_probabilities,
)
from scoring.backends.chat import (
    BadAnswerError,
    ChatProtocolError,
    Choice,
    Message,
    Request,
    Token,
)
from scoring.backends.chat_server import ChatServer
from scoring.backends.prompt_logprobs import prompt_tail
from tests.chat_server import FakeChatServer

ASKED = Request(model="m", messages=(Message("user", ("How much, 1 to 5?",)),))
DIGITS = tuple("12345")


@pytest.fixture
def server():
    with FakeChatServer() as running:
        yield running


def answer(*tokens, outcome="answered"):
    text = "".join(token.text for token in tokens)
    return Choice(text=text, outcome=outcome, tokens=tokens)


def token(text, top):
    return Token(
        text=text, logprob=math.log(top[text]), top={t: math.log(p) for t, p in top.items()}
    )


def test_the_distribution_is_that_of_the_first_place_that_is_not_blank():
    place = token("4", {"4": 0.5, "3": 0.25, "The": 0.2})
    found = option_probabilities(answer(token(" ", {" ": 0.9}), place), DIGITS)
    assert found.of["4"] == pytest.approx(2 / 3)
    assert found.of["3"] == pytest.approx(1 / 3)
    assert found.mass == pytest.approx(0.75)
    assert found.unlisted == ("1", "2", "5")
    assert found.most_probable == "4"


def test_spellings_of_one_answer_count_together():
    place = token("yes", {"yes": 0.2, " Yes": 0.3, "YES": 0.1, "No": 0.2})
    found = option_probabilities(answer(place), ("Yes", "No"))
    assert found == OptionProbabilities(
        of={"Yes": pytest.approx(0.75), "No": pytest.approx(0.25)}, mass=pytest.approx(0.8)
    )


def test_an_answer_that_is_cut_after_its_first_token_is_an_answer():
    found = option_probabilities(
        answer(token("No", {"No": 1.0}), outcome="truncated"), ("Yes", "No")
    )
    assert found.of == {"Yes": 0.0, "No": 1.0}
    assert found.unlisted == ("Yes",)


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        (Choice("I won't", "refused"), "refused"),
        (Choice("4", "answered"), "no_logprobs"),
        (answer(token("maybe", {"maybe": 0.6, "so": 0.4})), "parse_failed"),
        (answer(token("\n", {"\n": 1.0})), "parse_failed"),
    ],
)
def test_what_tells_nothing_of_the_options_says_why(choice, reason):
    with pytest.raises(BadAnswerError) as caught:
        option_probabilities(choice, DIGITS)
    assert caught.value.reason == reason


def test_options_that_cannot_be_told_apart_are_refused():
    with pytest.raises(ValueError, match="told apart"):
        among(ASKED, ("yes", "Yes"))


def test_a_server_is_asked_for_the_most_probable_tokens(server):
    server.say("4", finish="length", logprobs=[("4", -0.1, {"4": -0.1, "5": -2.5})])
    reply = ChatServer(base_url=server.url).ask(among(ASKED, DIGITS))
    assert option_probabilities(reply.first, DIGITS).most_probable == "4"
    body = server.requests[0]
    assert (body["top_logprobs"], body["max_tokens"]) == (20, 4)


def test_options_and_continuations_are_part_of_what_an_answer_is_found_by():
    kinds = [ASKED, among(ASKED, DIGITS), replace(ASKED, continuation="Japan")]
    assert len({request.key(server="s") for request in kinds}) == 3
    assert "options" not in ASKED.parameters
    assert "continuation" not in ASKED.parameters


def test_a_given_text_is_sent_as_the_answer_and_its_tokens_are_the_prompts_last(server):
    told = [None, ("How", -3.0), (":", -1.0), (" Sri", -2.0), (" Lanka", -0.5)]
    server.say("!", prompt_logprobs=told)
    request = replace(ASKED, continuation="Sri Lanka")
    reply = ChatServer(base_url=server.url).ask(request)
    assert continuation_logprob(reply.first) == pytest.approx(-2.5)
    body = server.requests[0]
    assert body["messages"][-1] == {"role": "assistant", "content": "Sri Lanka"}
    assert body["continue_final_message"] is True
    assert body["add_generation_prompt"] is False
    assert body["prompt_logprobs"] == 1


def test_a_server_that_tells_none_of_the_prompt_gives_no_log_probability(server):
    reply = ChatServer(base_url=server.url).ask(replace(ASKED, continuation="Sri Lanka"))
    with pytest.raises(BadAnswerError) as caught:
        continuation_logprob(reply.first)
    assert caught.value.reason == "no_logprobs"


def test_a_prompt_that_ends_with_something_else_is_named(server):
    server.say("!", prompt_logprobs=[None, ("Lanka", -1.0), ("<end>", -0.1)])
    with pytest.raises(ChatProtocolError, match="does not end with 'Sri Lanka'"):
        ChatServer(base_url=server.url).ask(replace(ASKED, continuation="Sri Lanka"))


def told(*texts):
    return [None, *({"1": {"logprob": -1.0, "decoded_token": text}} for text in texts)]


@pytest.mark.parametrize(
    ("texts", "label", "n"),
    [
        (["\n", "日", "本"], "日本", 2),
        (["\n", "\ufffd", "\ufffd", "本"], "日本", 3),
        (["\n", "日", "\ufffd", "\ufffd"], "日本", 3),
        (["A:", " a", "a"], "aa", 2),
        (["a", "\n", "a"], "a", 1),
        (["A:", " C", "+", "+"], "C++", 3),
        (["A:", " ", "x"], "x", 1),
    ],
)
def test_a_texts_tokens_are_found_though_characters_fall_on_several(texts, label, n):
    assert len(prompt_tail(told(*texts), label)) == n
