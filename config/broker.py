"""The embedded broker: kombu's filesystem transport, made safe for several processes.

The stock transport creates a file and then fills it, so that a reader can meet an empty one and die
on it. Ours writes messages and binding tables aside and renames them into place: a reader sees all
of a file or nothing of it. A message belongs to whoever removes its file.

It does not redeliver after a kill. Messages therefore carry only a run's primary key; what is to be
done, and whether somebody is doing it, stands in the database (see ``scoring.runs``).
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import IO

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

logger = logging.getLogger("concord.broker")

_binding = threading.Lock()


class Channel(filesystem.Channel):
    def _put(self, queue, payload, **kwargs):
        # The clock leads the name: messages are taken in the order in which they were sent.
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        _write_whole(Path(self.data_folder_out) / name, str_to_bytes(dumps(payload)))

    def _get(self, queue):
        folder = Path(self.data_folder_in)
        for name in sorted(os.listdir(folder)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            try:
                content = (folder / name).read_bytes()
                os.remove(folder / name)
            except FileNotFoundError:
                continue  # another worker was quicker
            try:
                return loads(bytes_to_str(content))
            except ValueError:
                # A power cut can leave a damaged file. Its run is still queued in the database.
                logger.warning("A damaged message was dropped: %s", name)
        raise Empty

    def queue_bind(self, *args, **kwargs):
        # A process remembers a binding before its table is written; without the lock, the first
        # message of another thread would find no queue and be lost.
        with _binding:
            super().queue_bind(*args, **kwargs)

    def get_table(self, exchange):
        try:
            content = self._exchange_file(exchange).read_bytes()
        except FileNotFoundError:
            return []
        return [filesystem.exchange_queue_t(*row) for row in loads(bytes_to_str(content))]

    def _queue_bind(self, exchange, routing_key, pattern, queue):
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._table_lock():
            table = self.get_table(exchange)
            if row not in table:
                self._write_table(exchange, [row, *table])

    def _delete(self, queue, exchange, routing_key, pattern, *args, **kwargs):
        self._purge(queue)
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._table_lock():
            table = self.get_table(exchange)
            if row in table:
                self._write_table(exchange, [other for other in table if other != row])

    def _write_table(self, exchange, table):
        _write_whole(self._exchange_file(exchange), str_to_bytes(dumps(table)))

    @contextlib.contextmanager
    def _table_lock(self) -> Iterator[None]:
        """Whoever changes a binding table reads it again under this lock."""
        self.control_folder.mkdir(parents=True, exist_ok=True)
        with (self.control_folder / "tables.lock").open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    Channel = Channel
    default_connection_params = {}  # there is no host to default to


def lock_as_only_worker(folder: Path) -> IO[str] | None:
    """An open file that holds the worker's place in ``folder``; None if another worker lives.

    The system frees the place when the process ends, however it ends. Keep the file open.
    """
    handle = (folder / "worker.lock").open("w")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.close()
        return None
    return handle


def _write_whole(path: Path, content: bytes) -> None:
    draft = None
    try:
        handle, draft = tempfile.mkstemp(prefix=".draft-", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(draft, path)
    except OSError as error:
        if draft is not None:
            Path(draft).unlink(missing_ok=True)
        raise ChannelError(f"Cannot write {path.name} into {path.parent}: {error}") from error
