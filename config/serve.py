"""Web server and Celery worker in one terminal, for a laptop or a small server.

``python -m config.serve`` starts both, prints where to look, and stops both on Ctrl-C or SIGTERM.
If one of them dies, the other is stopped too and the exit code is 1. On a larger site run them
apart, under the machine's own service manager (see docs/production.md).
"""

import os
import signal
import socket
import subprocess
import sys
import time

HOST = "127.0.0.1"
GRACE = 15  # seconds until a process that was asked to stop is killed


def free_port(wanted: int) -> int:
    """``wanted``, or the next port nobody listens on."""
    for port in range(wanted, wanted + 50):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    raise SystemExit(f"No free port from {wanted} to {wanted + 49}. Set PORT to another one.")


def web_command(port: int) -> list[str]:
    # Two processes: a sent screen is mostly Python, which uses one core a process. Many threads: a
    # slow reader of a large file holds one, and must not stop the others. (One is a sync worker.)
    return [
        *[sys.executable, "-m", "gunicorn", "config.wsgi:application"],
        *["--bind", f"{HOST}:{port}", "--workers", "2"],
        *["--threads", "16", "--timeout", "60", "--log-level", "warning", "--no-control-socket"],
    ]


def worker_command() -> list[str]:
    return [
        # Celery warns of root; a container's only user is root.
        *[sys.executable, "-W", "ignore:::celery.platforms"],
        *["-m", "celery", "--quiet", "-A", "config", "worker", "--pool", "solo"],
        *["--concurrency", "1", "--prefetch-multiplier", "1", "--hostname", "concord@localhost"],
        *["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "warning"],
    ]


def main() -> int:
    wanted = os.environ.get("PORT", "8000")
    if not (wanted.isdecimal() and 0 < int(wanted) < 65_486):
        raise SystemExit(f"PORT is {wanted!r}; write a number like 8000.")
    port = free_port(int(wanted))
    site = os.environ.get("SITE_URL") or f"http://{HOST}:{port}"
    environment = os.environ | {"SITE_URL": site}
    introduction = subprocess.Popen(
        [sys.executable, "manage.py", "addresses"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    # In sessions of their own, so that Ctrl-C reaches them through us, once.
    processes = {
        name: subprocess.Popen(command, env=environment, start_new_session=True)
        for name, command in (("web server", web_command(port)), ("worker", worker_command()))
    }
    stopping = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stopping.append(True))
    if wait_until_open(port, processes, stopping):
        print(introduction.communicate()[0], flush=True)
    died = None
    while not stopping and died is None:
        time.sleep(0.2)
        died = next((name for name, child in processes.items() if child.poll() is not None), None)
    stop(processes)
    if died:
        print(f"The {died} stopped by itself (exit code {processes[died].returncode}).", flush=True)
        return 1
    print("Stopped. Your data are kept.", flush=True)
    return 0


def wait_until_open(port: int, processes, stopping) -> bool:
    """True as soon as the web server takes connections; False when somebody died or gave up."""
    while not stopping and all(child.poll() is None for child in processes.values()):
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return True
        time.sleep(0.1)
    return False


def stop(processes) -> None:
    for child in processes.values():
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    for child in processes.values():
        try:
            child.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


if __name__ == "__main__":
    sys.exit(main())
