"""Work done at the same moment, each piece on a database connection of its own."""

import threading
from collections.abc import Callable

from django.db import close_old_connections, connection


def in_threads(n: int, work: Callable) -> list:
    """Run ``work(i)`` in n threads that start together, each on its own connection."""
    barrier, results, errors = threading.Barrier(n), [None] * n, []

    def run(i):
        try:
            close_old_connections()
            if connection.vendor == "sqlite":
                # SQLite's queue of writers is unfair: on a machine that is busy with other things
                # one that never thinks between writes can keep another waiting for long.
                connection.settings_dict["OPTIONS"]["timeout"] = 120
            barrier.wait()
            results[i] = work(i)
        except Exception as error:
            errors.append(error)  # raised below, with its own traceback
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[i]) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
