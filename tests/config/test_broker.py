"""The embedded broker: whole messages, in order, each to one reader; and the worker's place."""

import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from kombu import Connection, Exchange, Queue
from kombu.exceptions import ChannelError

from annotation import tasks as annotation_tasks
from config import celery
from config.broker import lock_as_only_worker


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "control").mkdir()
    return tmp_path


def connect(folder: Path) -> Connection:
    return Connection(
        "embedded://",
        transport_options={
            "data_folder_in": str(folder),
            "data_folder_out": str(folder),
            "control_folder": str(folder / "control"),
            "polling_interval": 0.01,
        },
    )


def runs_queue(folder: Path) -> Queue:
    """Bindings are known to a process by name: each folder has a queue of its own."""
    name = f"runs-{folder.name}"
    return Queue(name, Exchange(name), routing_key=name)


def send(folder: Path, *payloads) -> None:
    queue = runs_queue(folder)
    with connect(folder) as connection:
        producer = connection.Producer()
        for payload in payloads:
            producer.publish(
                payload, exchange=queue.exchange, routing_key=queue.name, declare=[queue]
            )


def take_all(folder: Path) -> list:
    """What one reader gets until the queue is empty."""
    got = []
    with connect(folder) as connection:
        channel = connection.channel()
        while (message := channel.basic_get(runs_queue(folder).name, no_ack=True)) is not None:
            got.append(message.payload)
    return got


def test_messages_come_in_the_order_in_which_they_were_sent(folder):
    send(folder, *range(20))
    assert take_all(folder) == list(range(20))


def test_two_readers_share_the_messages_without_doubles(folder):
    send(folder, *range(60))
    results: list[list[int]] = []
    readers = [threading.Thread(target=lambda: results.append(take_all(folder))) for _ in range(2)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(timeout=60)
    assert sorted(n for got in results for n in got) == list(range(60))


def test_a_reader_never_meets_a_message_that_is_still_being_written(folder):
    sender = threading.Thread(target=lambda: send(folder, *({"n": "x" * 50_000},) * 60))
    sender.start()
    seen = []
    while sender.is_alive():
        for path in folder.glob("*.msg"):
            seen.append(path.stat().st_size)
        time.sleep(0.001)
    sender.join()
    assert min(seen) > 50_000


def test_a_damaged_message_is_dropped_and_the_next_one_read(folder, caplog):
    (folder / f"0_damaged.{runs_queue(folder).name}.msg").write_bytes(b"")
    send(folder, "whole")
    assert take_all(folder) == ["whole"]
    assert "0_damaged." in caplog.text


def test_senders_that_start_together_bind_one_table(folder):
    barrier = threading.Barrier(4)

    def first_message():
        barrier.wait(timeout=30)
        send(folder, "hello")

    senders = [threading.Thread(target=first_message) for _ in range(4)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join(timeout=60)
    with connect(folder) as connection:
        assert len(connection.channel().get_table(runs_queue(folder).name)) == 1
    assert take_all(folder) == ["hello"] * 4


def test_a_folder_that_is_gone_is_an_error_that_names_it(folder):
    with connect(folder / "gone") as connection:
        channel = connection.channel()
        with pytest.raises(ChannelError, match="gone"):
            channel._put("runs", {"body": "lost"})


def test_only_one_worker_holds_the_place_and_its_end_frees_it(folder):
    place = lock_as_only_worker(folder)
    assert place is not None
    assert lock_as_only_worker(folder) is None
    place.close()
    again = lock_as_only_worker(folder)
    assert again is not None
    again.close()


def test_a_worker_takes_up_what_was_left_at_its_start_and_every_minute(
    monkeypatch, settings, tmp_path
):
    settings.CELERY_BROKER_URL, settings.QUEUE_DIR = "embedded://", tmp_path
    done = []
    for of in ("studies", "scoring", "annotation"):
        monkeypatch.setattr(f"{of}.tasks.take_up", lambda alone=False: done.append(alone))
    monkeypatch.setattr(celery, "_place", None)
    names = {
        annotation_tasks.review_studies: "review",
        annotation_tasks.forget_who_people_are: "forget",
    }
    timer = SimpleNamespace(
        call_repeatedly=lambda seconds, act: done.append(names.get(act, seconds))
    )
    celery.take_up_what_was_left(SimpleNamespace(timer=timer))
    assert done == [*[True, 60] * 3, "review", "forget"], (
        "alone: what runs by its row has lost its worker"
    )
    done.clear()
    celery.take_up_what_was_left(SimpleNamespace(timer=timer))
    assert done == [*[False, 60] * 3, "review", "forget"], "the first worker lives"


def test_the_project_runs_on_the_embedded_broker_with_one_process():
    app = celery.app
    assert app.conf.worker_pool == "solo"
    assert app.conf.task_ignore_result
    app.loader.import_default_modules()
    assert "scoring.execute_run" in app.tasks
