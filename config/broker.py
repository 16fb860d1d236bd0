"""The embedded broker: kombu's filesystem transport, made safe for readers beside writers.

The stock transport creates a message file and then fills it, so that a worker can pick up an empty
file and die on it. Ours writes the message aside and renames it into place: a reader sees all of a
message or nothing of it.

It does not redeliver after a kill. Messages therefore carry only a run's primary key; what is to be
done, and whether somebody is doing it, stands in the database (see ``scoring.runs``).
"""

import os
import tempfile
import time
import uuid
from pathlib import Path

from kombu.transport import filesystem
from kombu.utils.encoding import str_to_bytes
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    def _put(self, queue, payload, **kwargs):
        folder = Path(self.data_folder_out)
        handle, draft = tempfile.mkstemp(prefix=".draft-", dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(str_to_bytes(dumps(payload)))
        os.replace(draft, folder / f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg")


class Transport(filesystem.Transport):
    Channel = Channel
