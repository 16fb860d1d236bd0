"""A small server that speaks Prolific's API, for tests: on this machine only, all in memory.

    with ProlificServer() as prolific:
        prolific.add("s1", pid="p1", study="st1", status="ACTIVE")
        settings.PROLIFIC_API, settings.PROLIFIC_TOKEN = prolific.api, prolific.token
        prolific.fail_next(429, retry_after=1)
        prolific.event("s1")           # headers and body of a signed event
        prolific.post_event(url, "s1")  # and sent

Also the page people end at, ``/submissions/complete?cc=CODE``: it takes the code for the submission
that ``prolific.signed_in`` names.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from annotation.prolific.webhook import signature

PAGE_SIZE = 20  # Prolific's own default


class ProlificServer:
    token = "token-of-the-lab"  # noqa: S105 (made up)
    secret = "secret-of-the-workspace"  # noqa: S105

    def __init__(self) -> None:
        self.submissions: dict[str, dict] = {}
        self.messages: list[dict] = []
        self.return_requests: list[tuple[str, list[str]]] = []
        self.transitions: list[tuple[str, dict]] = []
        self.calls: list[str] = []
        self.signed_in = ""  # the submission of whoever opens the completion page
        self._faults: list[tuple[int, dict[str, str], float]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._events = 0

    def __enter__(self) -> ProlificServer:
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def api(self) -> str:
        return f"{self.root}/api/v1"

    def complete_url(self, code: str) -> str:
        return f"{self.root}/submissions/complete?cc={code}"

    def add(
        self, submission_id: str, *, pid: str, study: str, status: str = "ACTIVE", code: str = ""
    ) -> dict:
        row = {
            "id": submission_id,
            "participant_id": pid,
            "study_id": study,
            "status": status,
            "started_at": datetime.now(UTC).isoformat(),
            "completed_at": None,
            "study_code": code or None,
            "return_requested": None,
            "has_siblings": False,
        }
        self.submissions[submission_id] = row
        return row

    def set(self, submission_id: str, **fields) -> None:
        self.submissions[submission_id].update(fields)

    def fail_next(
        self, status: int, *, retry_after: str | int | None = None, times: int = 1, slow: float = 0
    ) -> None:
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        self._faults += [(status, headers, slow)] * times

    def event(
        self,
        submission_id: str,
        *,
        status: str = "",
        event_id: str = "",
        happened: float | None = None,
        requested: float | None = None,
        secret: str = "",
    ) -> tuple[dict[str, str], bytes]:
        """Headers and body of a signed event about a submission."""
        row = self.submissions[submission_id]
        self._events += 1
        body = json.dumps(
            {
                "resource_id": submission_id,
                "event_type": "submission.status.change",
                "participant_id": row["participant_id"],
                "status": status or row["status"],
            }
        ).encode()
        timestamp = str(int(requested if requested is not None else time.time()))
        headers = {
            "Content-Type": "application/json",
            "X-Prolific-Request-Timestamp": timestamp,
            "X-Prolific-Request-Signature": signature(
                secret=secret or self.secret, timestamp=timestamp, body=body
            ),
            "X-Event-ID": event_id or f"event-{self._events}",
            "X-Timestamp": str(happened if happened is not None else time.time()),
        }
        return headers, body

    def post_event(self, url: str, submission_id: str, **kwargs) -> int:
        """Send a signed event; the answer's status."""
        headers, body = self.event(submission_id, **kwargs)
        address = urlsplit(url)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
        try:
            connection.request("POST", address.path, body, headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def take_fault(self) -> tuple[int, dict[str, str], float] | None:
        return self._faults.pop(0) if self._faults else None


class _Answer(Exception):
    def __init__(self, status: int, body: object) -> None:
        self.status, self.body = status, body


def _problem(status: int, detail: str) -> _Answer:
    return _Answer(status, {"error": {"status": status, "title": "Error", "detail": detail}})


def _handler_of(prolific: ProlificServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_) -> None:
            """Tests read ``calls`` instead."""

        def do_GET(self) -> None:
            self._serve("GET")

        def do_POST(self) -> None:
            self._serve("POST")

        def _serve(self, method: str) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(length)
            address = urlsplit(self.path)
            prolific.calls.append(f"{method} {self.path}")
            if method == "GET" and address.path == "/submissions/complete":
                self._complete(parse_qs(address.query).get("cc", [""])[0])
                return
            fault = prolific.take_fault()
            if fault is not None:
                status, headers, slow = fault
                time.sleep(slow)
                self._reply(status, {"error": {"detail": "as the test wished"}}, headers)
                return
            try:
                self._know()
                body = json.loads(raw) if raw else {}
                answer = _route(prolific, method, address.path, parse_qs(address.query), body)
                self._reply(200, answer)
            except _Answer as answer:
                self._reply(answer.status, answer.body)

        def _know(self) -> None:
            if self.headers.get("Authorization") != f"Token {prolific.token}":
                raise _problem(401, "Invalid token.")

        def _complete(self, code: str) -> None:
            row = prolific.submissions.get(prolific.signed_in)
            if row is not None:
                now = datetime.now(UTC).isoformat()
                row.update(status="AWAITING REVIEW", study_code=code, completed_at=now)
            page = f"<!doctype html><title>Prolific</title><p>Completed with <b>{code}</b></p>"
            self._send(200, page.encode(), {"Content-Type": "text/html"})

        def _reply(self, status: int, body: object, headers: dict | None = None) -> None:
            kind = {"Content-Type": "application/json"}
            self._send(status, json.dumps(body).encode(), kind | (headers or {}))

        def _send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def _route(prolific: ProlificServer, method: str, path: str, query: dict, body: dict) -> object:
    parts = [unquote(part) for part in path.removeprefix("/api/v1").strip("/").split("/")]
    match method, parts:
        case "GET", ["submissions"]:
            return _listed(prolific, query)
        case "GET", ["submissions", submission]:
            row = dict(_row(prolific, submission))
            row["entered_code"], row["participant"] = row.pop("study_code"), row["participant_id"]
            return row
        case "POST", ["submissions", submission, "transition"]:
            return _transition(prolific, submission, body)
        case "POST", ["submissions", submission, "request-return"]:
            row = _row(prolific, submission)
            prolific.return_requests.append((submission, body["request_return_reasons"]))
            row["return_requested"] = datetime.now(UTC).isoformat()
            return {"id": submission, "status": row["status"]}
        case "POST", ["messages"]:
            if not body.get("body") or not body.get("recipient_id") or not body.get("study_id"):
                raise _problem(400, "A message needs recipient_id, body and study_id.")
            prolific.messages.append(body)
            return {}
    raise _problem(404, "Not found.")


def _row(prolific: ProlificServer, submission: str) -> dict:
    if submission not in prolific.submissions:
        raise _problem(404, "No such submission.")
    return prolific.submissions[submission]


def _listed(prolific: ProlificServer, query: dict) -> dict:
    study = query.get("study", [""])[0]
    rows = [row for row in prolific.submissions.values() if not study or row["study_id"] == study]
    if study and not rows and study.startswith("unknown"):
        raise _problem(404, "No such study.")
    size = int(query.get("page_size", [PAGE_SIZE])[0])
    page = int(query.get("page", [1])[0])
    shown = rows[(page - 1) * size : page * size]
    following = f"{prolific.api}/submissions/?page={page + 1}" if page * size < len(rows) else None
    return {
        "results": shown,
        "meta": {"count": len(rows)},
        "_links": {"next": {"href": following, "title": "Next"}},
    }


def _transition(prolific: ProlificServer, submission: str, body: dict) -> dict:
    row = _row(prolific, submission)
    action = body.get("action")
    if action == "REJECT":
        if len(body.get("message", "")) < 100 or not body.get("rejection_category"):
            raise _problem(400, "A rejection needs a message of 100 characters and a category.")
        if row["status"] == "APPROVED":
            raise _problem(400, "The submission was approved already.")
    elif action != "APPROVE":
        raise _problem(400, "Unknown action.")
    prolific.transitions.append((submission, body))
    row["status"] = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}[action]
    return {"id": submission, "status": row["status"]}
