"""What a step is given while it is done: its chat models, its prompts, and where it stands."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeVar

from django.utils import timezone

from scoring.backends.chat import REFUSED, Request
from scoring.backing import RunChat, Wanted, backend_of
from scoring.exchanges import Budget
from scoring.models import ScoringStep, WorkState
from scoring.prompt_edits import prompt_of
from scoring.prompting.asking import PARSE_FAILED, Answer, ask_all_json
from scoring.prompting.prompt import Prompt
from studies.models import Study

SHOWN_EVERY = 1.0  # seconds between two writes of the same progress
AT_ONCE = 40  # questions of one piece: answered together, then written

Key = TypeVar("Key", bound=Hashable)


class StepGoneError(Exception):
    """The step was cancelled, or given to another worker."""


class StepPutBackError(Exception):
    """The worker is stopping: the step goes back to the queue as it stands."""


class Work:
    """One step under way."""

    def __init__(
        self,
        step: ScoringStep,
        should_stop: Callable[[], bool],
        on_progress: Callable[[ScoringStep], None],
    ) -> None:
        self.step = step
        self._on_progress = on_progress
        self.study: Study = step.study
        self.parameters: Mapping[str, Any] = step.parameters
        self._should_stop = should_stop
        self._chats: dict[str, RunChat] = {}
        self._opened: list[RunChat] = []
        accounts = ("n_calls", "n_stored", "n_tokens", "cost")
        self._spent_before = {name: getattr(step, name) for name in accounts}
        self._written = 0.0

    def chat(self, model: str) -> RunChat:
        """The chat model, with what is left of the step's budget: ask for it before every piece,
        because all models of a step share one. Raises ``ChatNotConfiguredError``.
        """
        left = self._calls_left()
        if left is not None or model not in self._chats:
            wanted = Wanted(parameters={"model": model}, budget=Budget(calls=left))
            self._chats[model] = backend_of("chat", wanted)
            self._opened.append(self._chats[model])
        return self._chats[model]

    def prompt(self, key: str) -> Prompt:
        """In the study's own words, where it has any; the step remembers which it was."""
        found = prompt_of(self.study, key)
        self.step.prompts = {**self.step.prompts, key: prompt_mark(found)}
        return found

    def ask(self, chat: RunChat, requests: Mapping[Key, Request]) -> dict[Key, Answer]:
        """Every answer; a sign of life before them and with each. Raises ``ChatError``, and what
        ``advance`` raises: answers so far are stored."""
        self.alive()
        return ask_all_json(chat, requests, on_progress=lambda done, total: self.alive())

    def begin(self, total: int) -> None:
        """How many pieces there are; the counts start anew."""
        zero = dict.fromkeys(("n_done", "n_skipped", "n_refused", "n_unreadable"), 0)
        self.save(n_total=total, prompts=self.step.prompts, **zero)

    def skip(self, n: int = 1) -> None:
        """n pieces were there already."""
        self.advance(n, skipped=n)

    def advance(self, n: int = 1, *, skipped: int = 0, reasons: Sequence[str] = ()) -> None:
        """n pieces more are done; ``reasons``: those of the answers that they rest on, empty where
        there was one. Raises ``StepGoneError`` and ``StepPutBackError``."""
        step = self.step
        self.save(
            n_done=step.n_done + n,
            n_skipped=step.n_skipped + skipped,
            n_refused=step.n_refused + reasons.count(REFUSED),
            n_unreadable=step.n_unreadable + reasons.count(PARSE_FAILED),
            prompts=step.prompts,
            **self.spent(),
        )
        if self._should_stop():
            raise StepPutBackError

    def alive(self) -> None:
        """A sign of life between two pieces; writes at most once a second."""
        if time.monotonic() - self._written > SHOWN_EVERY:
            self.advance(0)

    def note(self, **result: Any) -> None:
        """Keep something in the step's result."""
        self.save(result={**self.step.result, **result})

    def save(self, **changes: Any) -> None:
        """Write to the row, with a new heartbeat, if it is still ours."""
        now = timezone.now()
        mine = ScoringStep.objects.filter(
            pk=self.step.pk, state=WorkState.RUNNING, heartbeat_at=self.step.heartbeat_at
        )
        if not mine.update(heartbeat_at=now, **changes):
            raise StepGoneError
        self._written = time.monotonic()
        for name, value in {"heartbeat_at": now, **changes}.items():
            setattr(self.step, name, value)
        self._on_progress(self.step)

    def _calls_left(self) -> int | None:
        budget = self.parameters.get("budget_calls")
        if budget is None:
            return None
        return max(0, int(budget) - sum(chat.spent.calls for chat in self._opened))

    def spent(self) -> dict[str, Any]:
        """The row's account of calls, tokens and cost; what was spent before a resumption stays."""
        spent, before = [chat.spent for chat in self._opened], self._spent_before
        return {
            "n_calls": before["n_calls"] + sum(one.calls for one in spent),
            "n_stored": before["n_stored"] + sum(one.from_store for one in spent),
            "n_tokens": before["n_tokens"] + sum(one.tokens_in + one.tokens_out for one in spent),
            "cost": before["cost"] + sum((one.cost for one in spent), start=Decimal(0)),
        }


def prompt_mark(prompt: Prompt) -> str:
    """Template, version and the beginning of its hash."""
    return f"{prompt.name} {prompt.digest[:12]}"
