"""Run a real SuperLink and real SuperNodes on this computer, each in its own process, connected over 127.0.0.1. Needs ``flwr``.

``python -m post_offices.loopback`` runs the demonstration once and prints its log. For one machine only: it uses no TLS and no
authentication.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from pathlib import Path

from post_offices.demo import SETTINGS, complete

APP = "from post_offices import demo\n\nclient = demo.client()\nserver = demo.server(timeout={timeout})\n"
PROJECT = """[project]
name = "post-offices"
version = "1.0.0"
description = "The book's post offices"
license = "MIT"
dependencies = []

[tool.flwr.app]
publisher = "fairfl"

[tool.flwr.app.components]
serverapp = "offices_app:server"
clientapp = "offices_app:client"

[tool.flwr.app.config]
"""
QUIET = {
    "FLWR_TELEMETRY_ENABLED": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "FLWR_DISABLE_UPDATE_CHECK": "1",
    "FAIRFL_PROGRESS": "0",
    "OMP_NUM_THREADS": "1",
    # Flower's processes import these modules as well, from any working directory.
    "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]),
}


def run(
    settings: dict, *, limit: float = 180, timeout: float = 60, meanwhile: Callable[[list, str], None] | None = None
) -> dict:
    """Run the demonstration with ``settings`` (see ``demo.SETTINGS``) on one SuperLink and one SuperNode per client.

    ``limit``: seconds for the whole run; ``timeout``: seconds that a round waits for replies. ``meanwhile(nodes, output)``: called every
    half second with the SuperNodes' processes and the server's output so far, for example to kill a node. Returns what the server
    wrote: scores, log, words, weights.
    Raises ``RuntimeError`` with the processes' last output if no result was written in time.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        folder = Path(folder)
        out = folder / "out.json"
        s = complete(settings) | {"out": str(out)}
        environment = (
            os.environ
            | QUIET
            | {
                "FLWR_HOME": str(folder),
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
            }
        )
        link, *doors = _free_ports(1 + s["clients"])
        start = lambda name, *words: stack.enter_context(_process(folder / f"{name}.log", words, environment))
        start(
            "superlink", "flower-superlink", "--insecure", "--port", link, "--disable-runtime-dependency-installation"
        )
        _write_app(folder, s, timeout, link)
        _wait_for_port(int(link), 60, folder)
        nodes = [
            start(
                f"supernode-{k}",
                "flower-supernode",
                "--insecure",
                "--superlink",
                f"127.0.0.1:{link}",
                "--port",
                door,
                "--node-config",
                f"partition-id={k} num-partitions={s['clients']}",
            )
            for k, door in enumerate(doors)
        ]
        order = start("run", "flwr", "run", str(folder / "app"), "loopback", "--stream")
        end = time.monotonic() + limit
        while not out.exists():
            if time.monotonic() > end or order.poll():
                why = f"flwr run ended with {order.poll()}" if order.poll() else f"no result within {limit:g} s"
                raise RuntimeError(f"{why}; the processes' last output:\n{_last_words(folder)}")
            if meanwhile is not None:
                meanwhile(nodes, (folder / "run.log").read_text(errors="replace"))
            time.sleep(0.5)
        return json.loads(out.read_text(encoding="utf-8"))


def _write_app(folder, settings, timeout, link):
    """Write the app's two files, and Flower's list of SuperLinks with this run's SuperLink."""
    (folder / "app").mkdir()
    (folder / "app" / "offices_app.py").write_text(APP.format(timeout=timeout), encoding="utf-8")
    # JSON's numbers and strings are valid TOML as well.
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    (folder / "app" / "pyproject.toml").write_text(PROJECT + "\n".join(lines) + "\n", encoding="utf-8")
    (folder / "config.toml").write_text(
        f'[superlink]\ndefault = "loopback"\n\n[superlink.loopback]\naddress = "127.0.0.1:{link}"\ninsecure = true\n',
        encoding="utf-8",
    )


@contextmanager
def _process(log, words, environment):
    """Start a process, and stop it at the end of the block."""
    with open(log, "w") as file:
        # A new session, so its child processes can be stopped with it.
        process = subprocess.Popen(
            [str(word) for word in words],
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        stop(process)


def stop(process: subprocess.Popen) -> None:
    """Stop a process and its child processes."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def _free_ports(count: int) -> list[str]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [str(one.getsockname()[1]) for one in sockets]


def _wait_for_port(port, seconds, folder):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.3)
    raise RuntimeError(f"the SuperLink did not open its port within {seconds} s; last output:\n{_last_words(folder)}")


def _last_words(folder) -> str:
    return "\n".join(
        f"--- {log.stem}\n{log.read_text(errors='replace')[-1500:]}" for log in sorted(folder.glob("*.log"))
    )


if __name__ == "__main__":
    results = run(dict(SETTINGS))
    print("\n".join(results["words"]))
