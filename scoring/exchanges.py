"""The store of chat exchanges: what was answered once is not paid for again.

An exchange is stored as soon as its answer is there, one at a time; after a kill, the same work
asked for again goes on where it stopped. Only answers are stored, refusals and cut-off ones among
them (they cost too); errors of transport are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from decimal import Decimal

from django.conf import settings

from scoring.backends.chat import (
    ChatError,
    ChatModel,
    Choice,
    Picture,
    Reply,
    Request,
    Token,
    Usage,
)
from scoring.backends.chat_server import ChatServer
from scoring.models import ChatExchange

LETTERS_A_TOKEN = 4  # English prose; other scripts take more tokens
TOKENS_A_PICTURE = 1100  # servers count from about 85 to 1,600
TOKENS_A_CLIP = 16 * TOKENS_A_PICTURE
MILLION = Decimal(1_000_000)


class BudgetReachedError(ChatError):
    """The next call could go beyond what may be spent. What was answered is stored."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of new calls and their tokens (in and out together); None is no limit."""

    calls: int | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in whatever currency the server bills; None where unknown."""

    tokens_in: Decimal | None = None
    tokens_out: Decimal | None = None

    def of(self, usage: Usage) -> Decimal | None:
        known = None not in (self.tokens_in, self.tokens_out, usage.tokens_in, usage.tokens_out)
        if not known:
            return None
        return (self.tokens_in * usage.tokens_in + self.tokens_out * usage.tokens_out) / MILLION


@dataclass(slots=True)
class Spent:
    """New calls and answers from the store. ``uncounted`` calls came without token numbers."""

    calls: int = 0
    from_store: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0
    unpriced: int = 0
    cost: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A dry run: calls that are new, tokens of what they send (roughly), tokens they may answer."""

    stored: int
    calls: int
    tokens_in: int
    tokens_out_at_most: int

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            stored=self.stored + other.stored,
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out_at_most=self.tokens_out_at_most + other.tokens_out_at_most,
        )


class StoredChat:
    """A chat model with the store before it, a budget, and an account of what was spent."""

    def __init__(
        self,
        chat: ChatModel,
        *,
        budget: Budget = Budget(),  # noqa: B008 (frozen)
        prices: Prices = Prices(),  # noqa: B008 (frozen)
        concurrency: int = 1,
    ) -> None:
        self._chat = chat
        self._budget = budget
        self._prices = prices
        self._concurrency = concurrency
        self.spent = Spent()
        self._estimated: set[str] = set()

    def ask(self, request: Request) -> Reply:
        """One answer; raises ``ChatError``, among them ``BudgetReachedError``."""
        [(_, reply)] = self.ask_all([request])
        return reply

    def ask_all(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Reply]]:
        """Every request with its answer, stored ones first, then as they come in.

        A request that occurs twice is asked once and given once for each. On an error, what is
        under way is still awaited and stored before the error is raised.
        """
        by_key: dict[str, list[Request]] = {}
        for request in requests:
            by_key.setdefault(self._key(request), []).append(request)
        for key, reply in _stored(by_key):
            self.spent.from_store += 1
            yield from ((request, reply) for request in by_key.pop(key))
        for key, reply in self._new(by_key):
            yield from ((request, reply) for request in by_key[key])

    def estimate(self, requests: Iterable[Request]) -> Estimate:
        """What ``ask_all`` would do, without doing it. What an earlier estimate has counted is not
        counted again: estimates of parts add up to that of the whole."""
        tokens = {  # of each question; the questions, with their pictures, are let go
            self._key(request): (tokens_sent(request), request.max_tokens * request.n)
            for request in requests
        }
        tokens = {key: sizes for key, sizes in tokens.items() if key not in self._estimated}
        self._estimated |= tokens.keys()
        stored = _stored_keys(tokens)
        new = [sizes for key, sizes in tokens.items() if key not in stored]
        return Estimate(
            stored=len(stored),
            calls=len(new),
            tokens_in=sum(sent for sent, _ in new),
            tokens_out_at_most=sum(answered for _, answered in new),
        )

    def _key(self, request: Request) -> str:
        return request.key(server=self._chat.server)

    def _new(self, wanted: dict[str, list[Request]]) -> Iterator[tuple[str, Reply]]:
        waiting = list(wanted)
        under_way: dict[Future[Reply], str] = {}
        failure: ChatError | None = None
        with ThreadPoolExecutor(max_workers=self._concurrency) as pool:
            try:
                while under_way or (waiting and failure is None):
                    while waiting and failure is None and len(under_way) < self._concurrency:
                        request = wanted[waiting[0]][0]
                        opened = [wanted[key][0] for key in under_way.values()]
                        if not self._affords([*opened, request]):
                            failure = self._out_of_budget(len(waiting))
                            break
                        under_way[pool.submit(self._chat.ask, request)] = waiting.pop(0)
                    future = next(iter(wait(under_way, return_when=FIRST_COMPLETED).done), None)
                    if future is None:
                        continue  # the budget is spent and nothing is under way
                    key = under_way.pop(future)
                    try:
                        reply = future.result()
                    except ChatError as error:
                        failure = failure or error
                        continue
                    self._keep(key, wanted[key][0], reply)
                    yield key, reply
            finally:
                self._keep_what_comes(under_way, wanted)
        if failure is not None:
            raise failure

    def _keep_what_comes(
        self, under_way: dict[Future[Reply], str], wanted: dict[str, list[Request]]
    ) -> None:
        """Store calls that are still open when nobody wants more answers: they are paid for."""
        wait(under_way)
        for future, key in under_way.items():
            if future.exception() is None:
                self._keep(key, wanted[key][0], future.result())

    def _affords(self, requests: Sequence[Request]) -> bool:
        """Whether these may be open at once: a budget is never exceeded by what comes back."""
        if self._budget.calls is not None and (
            self.spent.calls + len(requests) > self._budget.calls
        ):
            return False
        if self._budget.tokens is None:
            return True
        reserved = sum(tokens_sent(r) + r.max_tokens * r.n for r in requests)
        used = self.spent.tokens_in + self.spent.tokens_out
        return used + reserved <= self._budget.tokens

    def _out_of_budget(self, left: int) -> BudgetReachedError:
        return BudgetReachedError(
            f"The budget is reached after {self.spent.calls} new calls with "
            f"{self.spent.tokens_in + self.spent.tokens_out} tokens; {left} calls of this step are "
            "left. What was answered is stored: start again with a larger budget to go on."
        )

    def _keep(self, key: str, request: Request, reply: Reply) -> None:
        cost = self._prices.of(reply.usage)
        ChatExchange.objects.bulk_create(
            [_row(key, self._chat.server, request, reply, cost)],
            ignore_conflicts=True,  # another worker may have asked the same meanwhile
        )
        spent, usage = self.spent, reply.usage
        spent.calls += 1
        if usage.tokens_in is None or usage.tokens_out is None:
            # Counted as what it may have been, so that a budget of tokens holds.
            spent.uncounted += 1
            spent.tokens_in += tokens_sent(request)
            spent.tokens_out += request.max_tokens * request.n
        else:
            spent.tokens_in += usage.tokens_in
            spent.tokens_out += usage.tokens_out
        spent.unpriced += cost is None
        spent.cost += cost or 0


def configured_chat(*, budget: Budget, concurrency: int | None = None) -> StoredChat:
    """The chat server of the settings; raises ``ChatNotConfiguredError`` where none is set."""
    at_once = concurrency or settings.CHAT_CONCURRENCY
    server = ChatServer(
        base_url=settings.CHAT_BASE_URL,
        api_key=settings.CHAT_API_KEY,
        json_schema=settings.CHAT_JSON_SCHEMA,
        timeout=settings.CHAT_TIMEOUT,
        concurrency=at_once,
    )
    prices = Prices(tokens_in=settings.CHAT_PRICE_IN, tokens_out=settings.CHAT_PRICE_OUT)
    return StoredChat(server, budget=budget, prices=prices, concurrency=at_once)


def tokens_sent(request: Request) -> int:
    """A rough number: servers count with tokenisers of their own."""
    letters = media = 0
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, Picture):
                media += TOKENS_A_CLIP if part.is_clip else TOKENS_A_PICTURE
            else:
                letters += len(part)
    return -(-letters // LETTERS_A_TOKEN) + media


def _stored(keys: Iterable[str]) -> list[tuple[str, Reply]]:
    keys = list(keys)
    found = []
    for start in range(0, len(keys), 500):
        rows = ChatExchange.objects.filter(key__in=keys[start : start + 500])
        found += [(row.key, _reply(row)) for row in rows]
    return found


def _stored_keys(keys: Iterable[str]) -> set[str]:
    keys, found = list(keys), set()
    for start in range(0, len(keys), 500):
        rows = ChatExchange.objects.filter(key__in=keys[start : start + 500])
        found |= set(rows.values_list("key", flat=True))
    return found


def _row(
    key: str, server: str, request: Request, reply: Reply, cost: Decimal | None
) -> ChatExchange:
    return ChatExchange(
        key=key,
        server=server,
        model=request.model,
        answered_by=reply.model[:200],
        prompt=request.prompt,
        parameters=request.parameters,
        messages=request.stored_messages,
        choices=[asdict(choice) for choice in reply.choices],
        tokens_in=reply.usage.tokens_in,
        tokens_out=reply.usage.tokens_out,
        cost=cost,
        tries=reply.tries,
        seconds=reply.seconds,
    )


def _reply(row: ChatExchange) -> Reply:
    return Reply(
        choices=tuple(_choice(stored) for stored in row.choices),
        usage=Usage(row.tokens_in, row.tokens_out),
        model=row.answered_by,
        tries=row.tries,
        seconds=row.seconds,
    )


def _choice(stored: dict) -> Choice:
    tokens = stored["tokens"]
    return Choice(
        text=stored["text"],
        outcome=stored["outcome"],
        tokens=None if tokens is None else tuple(Token(**token) for token in tokens),
    )
