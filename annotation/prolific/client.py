"""Prolific's API, as much of it as a study needs.

Facts from docs.prolific.com (API reference, Submissions and Messages): a token in the header
``Authorization: Token ...``; lists by ``page`` and ``page_size``; a rejection needs a message of at
least 100 characters and a category; 429 when it is busy. The standard library is enough for that.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings
from django.utils.dateparse import parse_datetime

PAGE_SIZE = 100
TIMEOUT = 20.0  # seconds for one answer
TRIES = 4
LARGEST_ANSWER = 20_000_000  # bytes
FAILED_CHECK = "FAILED_CHECK"  # Prolific's own name for the one ground we reject on


class ProlificError(Exception):
    """Prolific did not do what it was asked. The text is for people."""


class NoToken(ProlificError):
    """No API token is set."""


class Unreachable(ProlificError):
    """No answer came."""


class TokenRefused(ProlificError):
    """The token is unknown there, or may not see this."""


class NotThere(ProlificError):
    """Prolific knows no such study, submission or person."""


class Busy(ProlificError):
    """It asks to be left alone for longer than we may wait."""


class Refused(ProlificError):
    """It understood and said no, in words of its own."""


class ServiceFailed(ProlificError):
    """An error on Prolific's side."""


class UnexpectedAnswer(ProlificError):
    """An answer that is not what its documentation says."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission as Prolific has it. ``status`` is in its own words, e.g. AWAITING REVIEW."""

    id: str
    participant_id: str
    study_id: str
    status: str
    entered_code: str = ""
    started_at: datetime | None = None
    completed_at: datetime | None = None
    return_requested_at: datetime | None = None


def as_status(text: str) -> str:
    """A status in the one spelling that we store: AWAITING_REVIEW and Awaiting review are one."""
    words = " ".join(text.upper().replace("_", " ").replace("-", " ").split())
    return "TIMED-OUT" if words in {"TIMED OUT", "TIMEDOUT"} else words


def as_moment(text: object) -> datetime | None:
    """A time as Prolific writes it; without a zone it is in UTC. None where there is none.

    Raises ValueError for text that is no time.
    """
    if not text:
        return None
    moment = parse_datetime(str(text).strip())
    if moment is None:
        raise ValueError(f"“{text}” is no date and time")
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


class Client:
    """Asks and tells Prolific. ``longest_wait``: seconds a busy service may ask us to wait."""

    def __init__(
        self,
        *,
        token: str = "",
        base_url: str = "",
        longest_wait: float = 5.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._token = token or settings.PROLIFIC_TOKEN
        if not self._token:
            raise NoToken(
                "No Prolific token is set, so nothing was asked or sent. Set PROLIFIC_TOKEN on the "
                "server, or upload Prolific's demographic export instead."
            )
        self._address = urlsplit((base_url or settings.PROLIFIC_API).rstrip("/"))
        self._longest_wait = longest_wait
        self._sleep = sleep

    def submissions(
        self, study_id: str, *, told: Callable[[int, int], None] | None = None
    ) -> Iterator[Submission]:
        """Every submission of a study, page by page. ``told`` hears how many of how many came."""
        page, came = 1, 0
        while True:
            query = urlencode({"study": study_id, "page": page, "page_size": PAGE_SIZE})
            answer = self._call("GET", f"/submissions/?{query}")
            rows = answer.get("results")
            if not isinstance(rows, list):
                raise UnexpectedAnswer("Prolific's list of submissions has no results in it.")
            for row in rows:
                yield _submission(row, study_id)
            came += len(rows)
            total = _total(answer)
            if told is not None:
                told(came, total)
            if len(rows) < PAGE_SIZE or came >= total > 0:
                return
            page += 1

    def submission(self, submission_id: str) -> Submission:
        return _submission(self._call("GET", f"/submissions/{quote(submission_id, safe='')}/"), "")

    def send_message(self, *, participant_id: str, study_id: str, text: str) -> None:
        body = {"recipient_id": participant_id, "body": text, "study_id": study_id}
        self._call("POST", "/messages/", body)

    def request_return(self, submission_id: str, *, reason: str) -> None:
        path = f"/submissions/{quote(submission_id, safe='')}/request-return/"
        self._call("POST", path, {"request_return_reasons": [reason]})

    def approve(self, submission_id: str) -> None:
        self._transition(submission_id, {"action": "APPROVE"})

    def reject(self, submission_id: str, *, message: str, category: str = FAILED_CHECK) -> None:
        body = {"action": "REJECT", "message": message, "rejection_category": category}
        self._transition(submission_id, body)

    def _transition(self, submission_id: str, body: dict) -> None:
        self._call("POST", f"/submissions/{quote(submission_id, safe='')}/transition/", body)

    def _call(self, method: str, path: str, body: dict | None = None) -> dict:
        """One call. Waits where the service is busy; asks again after a failure, tells only once.

        What is told (a message, a transition) is repeated only after 429, which says that it was
        not taken; after a failure nobody knows, and a second message would be one too many.
        """
        tries = TRIES if method == "GET" else 1
        busy = failed = 0
        while True:
            try:
                status, headers, raw = self._exchange(method, path, body)
            except (OSError, http.client.HTTPException) as error:
                failed += 1
                if failed >= tries:
                    raise Unreachable(_UNREACHABLE[method]) from error
                self._sleep(failed)
                continue
            if status == 429:
                busy += 1
                self._wait(headers, busy)
            elif status >= 500:
                failed += 1
                if failed >= tries:
                    raise ServiceFailed(f"Prolific failed with error {status}. {_TAIL[method]}")
                self._sleep(failed)
            else:
                return _answer(status, raw)

    def _wait(self, headers: http.client.HTTPMessage, busy: int) -> None:
        seconds = _seconds(headers.get("Retry-After"), otherwise=2.0**busy)
        if busy >= TRIES or seconds > self._longest_wait:
            raise Busy(
                f"Prolific is busy and asks to wait {max(1, round(seconds))} s. "
                "Nothing was changed there. Try again then."
            )
        self._sleep(seconds)

    def _exchange(
        self, method: str, path: str, body: dict | None
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """A connection a call, and no redirect is followed: the token goes to one host only."""
        secure = self._address.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(self._address.hostname, self._address.port, timeout=TIMEOUT)
        headers = {"Authorization": f"Token {self._token}", "Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, f"{self._address.path}{path}", data, headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read(LARGEST_ANSWER)
        finally:
            connection.close()


_TAIL = {
    "GET": "Nothing was changed here. Ask again later.",
    "POST": "It may or may not have been taken: look on Prolific before you send it again.",
}
_UNREACHABLE = {method: f"Prolific did not answer. {tail}" for method, tail in _TAIL.items()}


def _answer(status: int, raw: bytes) -> dict:
    if status in {401, 403}:
        raise TokenRefused(
            "Prolific does not accept our token for this. Look whether PROLIFIC_TOKEN is current "
            "and whether its account may see the study."
        )
    if status == 404:
        raise NotThere(
            "Prolific knows nothing by this id. Look whether the study id is right and whether "
            "the token's account may see it."
        )
    if 300 <= status < 400:
        raise UnexpectedAnswer("Prolific sent us elsewhere. Look whether PROLIFIC_API is right.")
    if status >= 400:
        raise Refused(f"Prolific refused: {_their_words(raw) or f'error {status}'}")
    if not raw.strip():
        return {}
    try:
        answer = json.loads(raw)
    except ValueError as error:
        raise UnexpectedAnswer("Prolific's answer is no JSON.") from error
    if not isinstance(answer, dict):
        raise UnexpectedAnswer("Prolific's answer is not what its documentation says.")
    return answer


def _their_words(raw: bytes) -> str:
    """The sentence inside an error, wherever it stands; at most 300 characters."""
    try:
        found = json.loads(raw)
    except ValueError:
        return ""
    if isinstance(found, dict) and isinstance(found.get("error"), dict):
        found = found["error"]
    if isinstance(found, dict):
        found = found.get("detail") or found.get("title") or found.get("message") or found
    return (found if isinstance(found, str) else json.dumps(found, ensure_ascii=False))[:300]


def _seconds(header: str | None, *, otherwise: float) -> float:
    """What ``Retry-After`` asks for: a number of seconds, or a date (RFC 9110, 10.2.3)."""
    if not header:
        return otherwise
    if header.strip().isdigit():
        return float(header)
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return otherwise
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _total(answer: dict) -> int:
    meta = answer.get("meta")
    count = meta.get("count") if isinstance(meta, dict) else None
    return count if isinstance(count, int) else 0


def _submission(row: object, study_id: str) -> Submission:
    """Lists and single submissions name some fields differently."""
    if not isinstance(row, dict) or not row.get("id") or not row.get("status"):
        raise UnexpectedAnswer("Prolific sent a submission without an id or a status.")
    try:
        return Submission(
            id=str(row["id"]),
            participant_id=str(row.get("participant_id") or row.get("participant") or ""),
            study_id=str(row.get("study_id") or study_id),
            status=as_status(str(row["status"])),
            entered_code=str(row.get("entered_code") or row.get("study_code") or ""),
            started_at=as_moment(row.get("started_at")),
            completed_at=as_moment(row.get("completed_at")),
            return_requested_at=as_moment(row.get("return_requested")),
        )
    except ValueError as error:
        raise UnexpectedAnswer(f"Prolific sent a submission in which {error}.") from error
