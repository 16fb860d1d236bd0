"""A chat model that runs on this machine: an image-text-to-text checkpoint read by transformers.

Importing this module loads no model library. Weights are safetensors only, no code that comes with
a checkpoint is run, and log-probabilities are those of the model itself, before any temperature.
"""

from __future__ import annotations

import importlib.util
import json
import math
import threading
import time
from collections.abc import Sequence
from typing import Any

from scoring.backends.chat import (
    ANSWERED,
    TRUNCATED,
    ChatNotConfiguredError,
    ChatRejectedError,
    Choice,
    Message,
    Reply,
    Request,
    Token,
    Usage,
)
from scoring.backends.chat_pictures import shown_picture
from scoring.backends.checkpoints import (
    NO_REMOTE_CODE,
    checkpoint_directory,
    reading_mark,
    weights_mark,
)

NEEDS_TORCHVISION = "This checkpoint's processor needs torchvision."


class LocalChat:
    """``ChatModel`` on CPU or GPU, one question at a time; safe to share between threads.

    ``model`` is a directory, or an id on the hub with a ``revision``; with ``local_files_only``
    nothing is asked of the network. Temperature 0 is greedy decoding; above, tokens are drawn from
    the whole distribution with the request's seed, or with one made of the request where it has
    none, so that the same question has the same answer.
    """

    def __init__(
        self,
        *,
        model: str,
        revision: str = "main",
        device: str = "cpu",
        local_files_only: bool = True,
    ) -> None:
        self.model_id = model
        self._hub_revision = revision
        self._device = device
        self._local_files_only = local_files_only
        self._lock = threading.RLock()
        self._model: Any = None
        self._processor: Any = None
        self._revision = ""

    @property
    def revision(self) -> str:
        """The mark of the weights, and of the files that say how a question is read: another chat
        template or image processor gives other answers."""
        self.load()
        return self._revision

    @property
    def server(self) -> str:
        """Stored answers belong to these files, wherever they lie."""
        return f"local:{self.revision}"

    def load(self) -> None:
        """Load the model; does nothing when it is loaded. Raises ``ChatNotConfiguredError``."""
        with self._lock:
            if self._model is not None:
                return
            try:
                self._load()
            except (AttributeError, ImportError) as error:
                raise _unusable(error) from error
            except (OSError, ValueError) as error:
                if _wants_torchvision(error):
                    raise ChatNotConfiguredError(NEEDS_TORCHVISION) from error
                raise ChatNotConfiguredError(
                    f"The chat model {self.model_id} cannot be loaded ({error}). Put its files "
                    "(config, processor, chat template, safetensors) on the worker's machine and "
                    "name their directory in the settings."
                ) from error

    def ask(self, request: Request) -> Reply:
        """Raises ``ChatNotConfiguredError`` and ``ChatRejectedError``."""
        self.load()
        if request.model != self.model_id:
            raise ChatRejectedError(
                f"The model on this machine is {self.model_id}, not {request.model}."
            )
        began = time.monotonic()
        with self._lock:
            inputs = self._read(request)
            choices: tuple[Choice, ...]
            if request.continuation:
                choices = (self._continued(inputs, request.continuation),)
            elif request.options:
                choices = (self._chosen(inputs, request.options),)
            else:
                choices = self._generated(inputs, request)
        n_in = int(inputs["input_ids"].shape[-1])
        n_out = sum(self._length(choice) for choice in choices)
        return Reply(
            choices=choices,
            usage=Usage(tokens_in=n_in, tokens_out=n_out),
            model=f"{self.model_id} {self.revision}",
            seconds=time.monotonic() - began,
        )

    def _load(self) -> None:
        import torch
        import transformers

        directory = checkpoint_directory(
            self.model_id, revision=self._hub_revision, local_files_only=self._local_files_only
        )
        revision = f"{weights_mark(directory)}.{reading_mark(directory)}"
        processor: Any = transformers.AutoProcessor.from_pretrained(  # type: ignore[no-untyped-call]
            directory, **NO_REMOTE_CODE
        )
        if not getattr(processor, "chat_template", None):
            raise ValueError("it has no chat template")
        model: Any = transformers.AutoModelForImageTextToText.from_pretrained(
            directory, use_safetensors=True, dtype="auto", **NO_REMOTE_CODE
        )
        self._processor, self._revision = processor, revision
        self._model = model.to(torch.device(self._device)).eval()

    def _read(self, request: Request) -> dict[str, Any]:
        """The model's inputs, each a tensor with a first axis of 1."""
        import jinja2

        try:
            inputs = self._processor.apply_chat_template(
                _conversation(request),
                add_generation_prompt=True,
                tokenize=True,
                return_dict=True,
                return_tensors="pt",
            )
        except jinja2.TemplateError as error:
            raise ChatRejectedError(
                f"The chat template of {self.model_id} does not take this question: {error}."
            ) from error
        length, longest = int(inputs["input_ids"].shape[-1]), self._longest
        wanted = 0 if request.continuation or request.options else request.max_tokens
        if length + wanted > longest:
            raise ChatRejectedError(
                f"The question takes {length} tokens and its answer up to {wanted}; "
                f"{self.model_id} reads {longest}. Shorten what is asked."
            )
        return dict(inputs.to(self._device))

    @property
    def _longest(self) -> int:
        config = self._model.config.get_text_config()
        return int(getattr(config, "max_position_embeddings", None) or 2**31)

    def _generated(self, inputs: dict[str, Any], request: Request) -> tuple[Choice, ...]:
        import torch

        greedy = request.temperature == 0
        how: dict[str, Any] = {"do_sample": False}
        if not greedy:
            how = {"do_sample": True, "temperature": request.temperature, "top_k": 0, "top_p": 1.0}
            how["num_return_sequences"] = request.n
        seed = request.seed if request.seed is not None else int(request.key(server="")[:15], 16)
        devices = [] if self._device == "cpu" else [self._device]
        with torch.random.fork_rng(devices=devices, device_type=self._device.partition(":")[0]):
            torch.manual_seed(seed)
            made = self._generate(
                inputs, max_new_tokens=request.max_tokens, logits=bool(request.logprobs), **how
            )
        start = int(inputs["input_ids"].shape[-1])
        choices = tuple(
            self._choice(ids, [step[row] for step in made.logits or ()], request.logprobs)
            for row, ids in enumerate(made.sequences[:, start:].tolist())
        )
        return choices * request.n if greedy else choices

    def _generate(
        self, inputs: dict[str, Any], *, max_new_tokens: int, logits: bool, **how: Any
    ) -> Any:
        import torch
        import transformers

        ends = self._ends
        config = transformers.GenerationConfig(  # type: ignore[no-untyped-call]
            max_new_tokens=max_new_tokens,
            repetition_penalty=1.0,
            eos_token_id=ends or None,
            pad_token_id=ends[0] if ends else 0,
            return_dict_in_generate=True,
            output_logits=logits,
            **{name: value for name, value in how.items() if not callable(value)},
        )
        functions = {name: value for name, value in how.items() if callable(value)}
        with torch.inference_mode():
            return self._model.generate(**inputs, generation_config=config, **functions)

    @property
    def _ends(self) -> list[int]:
        """Ids of the tokens that end an answer."""
        end = self._model.generation_config.eos_token_id
        if end is None:
            end = self._processor.tokenizer.eos_token_id
        return [] if end is None else [end] if isinstance(end, int) else list(end)

    def _choice(self, ids: list[int], logits: Sequence[Any], listed: int) -> Choice:
        ends = set(self._ends)
        length = next((n for n, token in enumerate(ids) if token in ends), None)
        kept = ids if length is None else ids[:length]
        tokens = None
        if listed:
            steps = zip(kept, logits, strict=False)  # an end token has logits too
            tokens = tuple(self._token(token, _logprobs(step), listed) for token, step in steps)
        text = self._processor.tokenizer.decode(kept, skip_special_tokens=True)
        outcome = TRUNCATED if length is None else ANSWERED
        return Choice(text=text.strip(), outcome=outcome, tokens=tokens)

    def _token(self, token: int, logprobs: Any, listed: int) -> Token:
        """Different tokens of one spelling are listed as one, with the sum of their probability."""
        values, ids = logprobs.topk(min(listed, logprobs.shape[-1]))
        top: dict[str, float] = {}
        for value, other in zip(values.tolist(), ids.tolist(), strict=True):
            text = self._spelled(other)
            top[text] = _sum(top[text], value) if text in top else value
        return Token(text=self._spelled(token), logprob=float(logprobs[token]), top=top)

    def _spelled(self, token: int) -> str:
        return str(self._processor.tokenizer.decode([token]))

    def _continued(self, inputs: dict[str, Any], text: str) -> Choice:
        ids = self._ids(text)
        steps = self._forced(inputs, ids)
        tokens = tuple(
            Token(text=self._spelled(token), logprob=float(step[token]))
            for token, step in zip(ids, steps, strict=True)
        )
        return Choice(text=text, outcome=ANSWERED, tokens=tokens)

    def _chosen(self, inputs: dict[str, Any], options: Sequence[str]) -> Choice:
        """Each option's own probability, whether or not a blank stands before it."""
        spellings = {
            option: {tuple(self._ids(spelling)) for spelling in (option, f" {option}")}
            for option in options
        }
        after: dict[tuple[int, ...], Any] = {}  # log-probabilities of what follows these tokens
        for ids in (ids for several in spellings.values() for ids in several):
            if ids[:-1] not in after:
                for length, step in enumerate(self._forced(inputs, ids)):
                    after[ids[:length]] = step

        def logprob(ids: tuple[int, ...]) -> float:
            return sum(float(after[ids[:place]][token]) for place, token in enumerate(ids))

        found = {option: _sum(*map(logprob, several)) for option, several in spellings.items()}
        best = max(options, key=lambda option: found[option])
        token = Token(text=best, logprob=found[best], top=found)
        return Choice(text=best, outcome=ANSWERED, tokens=(token,))

    def _forced(self, inputs: dict[str, Any], ids: Sequence[int]) -> list[Any]:
        """Log-probabilities of every token, shape (vocabulary,), at each place of ``ids``.

        The checkpoint's own generation feeds ``ids`` one after another, so that whatever else an
        architecture carries along is right.
        """
        start = int(inputs["input_ids"].shape[-1])

        def only_these(_: int, so_far: Any) -> list[int]:
            return [ids[so_far.shape[-1] - start]]

        made = self._generate(
            inputs,
            max_new_tokens=len(ids),
            logits=True,
            do_sample=False,
            prefix_allowed_tokens_fn=only_these,
        )
        return [_logprobs(step[0]) for step in made.logits]

    def _ids(self, text: str) -> list[int]:
        ids = self._processor.tokenizer(text, add_special_tokens=False)["input_ids"]
        if not ids:
            raise ChatRejectedError(f"The text {text!r} has no tokens for {self.model_id}.")
        return list(ids)

    def _length(self, choice: Choice) -> int:
        return len(self._processor.tokenizer(choice.text, add_special_tokens=False)["input_ids"])


def _conversation(request: Request) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = [
        {"role": message.role, "content": _content(message)} for message in request.messages
    ]
    if request.schema is not None:
        shape = json.dumps(request.schema, ensure_ascii=False)
        sentence = f"The answer is one JSON object of this schema: {shape}"
        told[-1]["content"] = [*told[-1]["content"], {"type": "text", "text": sentence}]
    return told


def _content(message: Message) -> list[dict[str, Any]]:
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image", "image": shown_picture(part)}
        for part in message.parts
    ]


def _logprobs(logits: Any) -> Any:
    return logits.float().log_softmax(dim=-1).cpu()


def _sum(*logprobs: float) -> float:
    """The logarithm of the sum of probabilities."""
    top = max(logprobs)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(value - top) for value in logprobs))


def _wants_torchvision(error: Exception) -> bool:
    # Without torchvision transformers has no video processors, and looking one up fails so.
    said = f"{error}".casefold()
    named = "torchvision" in said or "video_processor_mapping" in said
    return named and not has_torchvision()


def has_torchvision() -> bool:
    return importlib.util.find_spec("torchvision") is not None


def _unusable(error: Exception) -> ChatNotConfiguredError:
    if _wants_torchvision(error):
        return ChatNotConfiguredError(NEEDS_TORCHVISION)
    return ChatNotConfiguredError(
        f"A chat model on this machine needs torch and transformers ({error}). Install "
        "requirements.txt on the machine that runs the worker."
    )
