"""A site for real worker processes: a metric that can be held, a worker not thought lost by chance.

    python -m tests.worker_site N_ITEMS         makes tables, a study and a run; prints its id
    celery -A tests.worker_site worker ...

WORKER_CHUNK is the size of chunks, WORKER_STALE after how many seconds a worker is thought lost,
and WORKER_FOLDER where processes tell each other how far they are:

    log         "PID ITEM" of every item as it is scored
    here-PID    this process has begun; the first item waits until two have
    hold        while it is there, a process waits in its second chunk, after ``held-PID``
"""

from __future__ import annotations

import os
import sys
import time
from datetime import timedelta
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

import config.celery  # noqa: E402
from scoring import chunks, executing, pulse, run_rows  # noqa: E402
from scoring.metrics import base  # noqa: E402
from tests.scoring.fake_metric import LettersMetric  # noqa: E402

FOLDER = Path(os.environ["WORKER_FOLDER"])
CHUNK = int(os.environ["WORKER_CHUNK"])
GIVE_UP = 240.0  # seconds that a process waits for another at most

app = config.celery.app
config.celery.LOOK_EVERY = 1
executing.CHUNK = CHUNK
pulse.EVERY = 0.5
for module in (run_rows, chunks, executing):
    module.STALE_AFTER = timedelta(seconds=float(os.environ["WORKER_STALE"]))


class Held(LettersMetric):
    def __init__(self) -> None:
        super().__init__()
        self.before_item = self.meet

    def meet(self, item: base.MetricItem) -> None:
        with (FOLDER / "log").open("a") as log:
            log.write(f"{os.getpid()} {item.key}\n")
        if not self.scored:
            (FOLDER / f"here-{os.getpid()}").touch()
            wait_until(lambda: len(list(FOLDER.glob("here-*"))) >= 2)
        if len(self.scored) == CHUNK + 1 and (FOLDER / "hold").exists():
            (FOLDER / f"held-{os.getpid()}").touch()
            wait_until(lambda: not (FOLDER / "hold").exists())


def wait_until(is_so) -> None:
    until = time.monotonic() + GIVE_UP
    while not is_so():
        if time.monotonic() > until:
            raise RuntimeError("Nobody came.")
        time.sleep(0.02)


base.register(Held())


def make(n_items: str) -> None:
    """Tables, a study, and a run that waits; prints the run's id."""
    from django.core.management import call_command

    from accounts.models import User
    from scoring import runs
    from studies.models import Item, Study

    call_command("migrate", run_syncdb=True, verbosity=0)
    owner = User.objects.create_superuser("ana", password="x")
    study = Study.objects.create(owner=owner, title="W", slug="w", public_title="W")
    Item.objects.bulk_create(
        Item(study=study, external_id=f"i-{n}", sha256=f"{n:064x}", prompt="x" * n)
        for n in range(1, int(n_items) + 1)
    )
    run = runs.request_run(study=study, metric="letters", parameters={"times": 2}, by=owner)
    print(run.pk)


if __name__ == "__main__":
    make(sys.argv[1])
