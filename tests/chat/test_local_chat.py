"""A chat model on this machine: a tiny LLaVA, held to its own plain forward pass."""

import math
import shutil
from dataclasses import replace

import numpy as np
import pytest

from scoring.backends import local_chat
from scoring.backends.answer_options import among, continuation_logprob, option_probabilities
from scoring.backends.chat import ChatNotConfiguredError, ChatRejectedError, Message, Request
from scoring.backends.chat_pictures import sent_picture
from scoring.backends.local_chat import NEEDS_TORCHVISION, LocalChat
from tests.tiny_models import noise, save_checkpoint, save_llava

SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_llava(tmp_path_factory.mktemp("llava"))


@pytest.fixture(scope="module")
def chat(folder):
    return LocalChat(model=str(folder))


@pytest.fixture
def question(folder):
    def made(text="is it a dog", seed=0, **how):
        parts = (sent_picture(noise(seed=seed)), text)
        given = {"max_tokens": 6, **how}
        return Request(model=str(folder), messages=(Message("user", parts),), **given)

    return made


def plain_logprobs(folder, text, answer_ids=(), seed=0):
    """Log-probabilities of what follows the prompt and ``answer_ids``, by one forward pass."""
    import torch
    import transformers as tf

    model = tf.LlavaForConditionalGeneration.from_pretrained(folder).eval()
    vocab = tf.AutoTokenizer.from_pretrained(folder).get_vocab()
    written = [*"user: ", *["<image>"] * 4, *text, "A", ":"]
    ids = [vocab["<s>"], *(vocab[token] for token in written), *answer_ids]
    image = noise(seed=seed)
    short = min(image.size)
    image = image.resize((int(image.width * 32 / short), int(image.height * 32 / short)), 3)
    left, top = (image.width - 32) // 2, (image.height - 32) // 2
    pixels = np.asarray(image.crop((left, top, left + 32, top + 32))) / 255
    mean = np.array([0.48145466, 0.4578275, 0.40821073])
    spread = np.array([0.26862954, 0.26130258, 0.27577711])
    pixels = ((pixels - mean) / spread).transpose(2, 0, 1)[None]
    with torch.no_grad():
        logits = model(
            input_ids=torch.tensor([ids]), pixel_values=torch.tensor(pixels, dtype=torch.float32)
        ).logits[0]
    return logits.log_softmax(-1).numpy(), vocab


def test_the_tokens_of_an_answer_have_the_models_own_probabilities(chat, folder, question):
    reply = chat.ask(question(logprobs=3))
    token = reply.first.tokens[0]
    logprobs, vocab = plain_logprobs(folder, "is it a dog")
    assert token.text == max(vocab, key=lambda name: logprobs[-1][vocab[name]])  # greedy
    assert token.logprob == pytest.approx(logprobs[-1].max(), abs=1e-5)
    assert list(token.top.values()) == pytest.approx(sorted(logprobs[-1])[:-4:-1], abs=1e-5)
    assert reply.usage.tokens_in == 1 + len("user: ") + 4 + len("is it a dog") + len("A:")
    assert reply.first.outcome == "truncated"


def test_without_a_temperature_the_same_question_has_the_same_answer(chat, question):
    two = chat.ask(question(n=2)).choices
    assert two[0].text == two[1].text == chat.ask(question()).first.text


def test_another_way_to_read_questions_is_another_model(chat, folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    assert LocalChat(model=str(copy)).server == chat.server
    template = next(path for path in copy.glob("*.jinja"))
    template.write_text(template.read_text() + " ")
    assert LocalChat(model=str(copy)).server != chat.server


def test_the_picture_is_read(chat, question):
    one, other = (chat.ask(question(seed=seed, logprobs=1)).first.tokens[0] for seed in (0, 1))
    assert one.logprob != pytest.approx(other.logprob, abs=1e-6)


def test_draws_follow_the_seed_and_without_one_the_request(chat, question):
    drawn = [question(temperature=1.0, n=4, seed=seed) for seed in (1, 1, 2)]
    first, same, other = ([choice.text for choice in chat.ask(r).choices] for r in drawn)
    assert first == same != other
    assert len(set(first)) > 1
    unseeded = question(temperature=1.0)
    assert chat.ask(unseeded).first.text == chat.ask(unseeded).first.text
    assert chat.ask(unseeded).first.text != chat.ask(unseeded.again()).first.text


def test_the_probability_of_each_given_answer_is_that_of_its_tokens(chat, folder, question):
    options = ("Yes", "No", "ab")
    found = option_probabilities(chat.ask(among(question(), options)).first, options)
    logprobs, vocab = plain_logprobs(folder, "is it a dog")

    def probability(*tokens):
        """As one answer, its tokens one after another."""
        ids = [vocab[token] for token in tokens]
        rows, _ = plain_logprobs(folder, "is it a dog", ids)
        start = len(logprobs) - 1
        return math.exp(sum(rows[start + place][token] for place, token in enumerate(ids)))

    expected = {
        "Yes": probability("Yes") + probability(" ", "Yes"),
        "No": probability("No") + probability(" ", "No"),
        "ab": probability("a", "b") + probability(" ", "a", "b"),
    }
    total = sum(expected.values())
    assert found.mass == pytest.approx(total, abs=1e-5)
    for option, value in expected.items():
        assert found.of[option] == pytest.approx(value / total, abs=1e-5)


def test_a_given_text_has_the_sum_of_its_tokens_log_probabilities(chat, folder, question):
    found = continuation_logprob(chat.ask(question(continuation="cab")).first)
    logprobs, vocab = plain_logprobs(folder, "is it a dog", [2, 2, 2])
    ids = [vocab[letter] for letter in "cab"]
    rows, _ = plain_logprobs(folder, "is it a dog", ids)
    start = len(logprobs) - 4
    assert found == pytest.approx(sum(rows[start + n][i] for n, i in enumerate(ids)), abs=1e-4)


def test_the_shape_of_json_is_asked_for_in_words(chat, question):
    plain = chat.ask(question()).usage.tokens_in
    shaped = chat.ask(question(schema=SCHEMA)).usage.tokens_in
    assert shaped > plain + len("additionalProperties")


def test_a_question_that_is_too_long_is_refused_with_its_length(chat, question):
    with pytest.raises(ChatRejectedError, match="Shorten"):
        chat.ask(question(text="a" * 600))


def test_another_model_than_the_one_here_is_refused(chat, question):
    with pytest.raises(ChatRejectedError, match="gpt"):
        chat.ask(replace(question(), model="gpt"))


def test_answers_are_stored_under_the_weights_wherever_they_lie(chat, folder, tmp_path):
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert LocalChat(model=str(tmp_path)).server == chat.server
    assert len(chat.revision) == 25


def test_weights_that_are_no_safetensors_are_refused(folder, tmp_path):
    for path in folder.iterdir():
        if path.suffix != ".safetensors":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(ChatNotConfiguredError, match="safetensors"):
        LocalChat(model=str(tmp_path)).load()


def test_a_checkpoint_without_a_chat_template_is_refused(tmp_path):
    with pytest.raises(ChatNotConfiguredError, match="no chat template"):
        LocalChat(model=str(save_llava(tmp_path, template=False))).load()


def test_a_model_that_only_compares_is_no_chat_model(tmp_path):
    with pytest.raises(ChatNotConfiguredError, match="cannot be loaded|no chat template"):
        LocalChat(model=str(save_checkpoint(tmp_path, "clip"))).load()


@pytest.mark.skipif(local_chat.has_torchvision(), reason="torchvision is installed here")
def test_a_processor_that_needs_torchvision_is_refused_with_that_sentence(folder, tmp_path):
    import json

    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "qwen2_vl"}))
    named = {"processor_class": "Qwen2VLProcessor", "image_processor_type": "Qwen2VLImageProcessor"}
    (tmp_path / "processor_config.json").write_text(json.dumps(named))
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(named))
    with pytest.raises(ChatNotConfiguredError) as caught:
        LocalChat(model=str(tmp_path)).load()
    assert (
        str(caught.value) == NEEDS_TORCHVISION == ("This checkpoint's processor needs torchvision.")
    )
