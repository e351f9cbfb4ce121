"""Finding the JupyterLab that serves a desk already, so that nobody starts a second one beside it."""

import json
import os
import urllib.request
from pathlib import Path

from fairfl import _atomic_files

PATIENCE = 5  # seconds for an answer


def remember(folder: Path) -> None:
    """Write down in ``folder`` that this process is about to serve the desk."""
    _atomic_files.write(folder / "server.json", json.dumps({"process": os.getpid()}).encode())


def find(folder: Path) -> dict | None:
    """What Jupyter knows of the server that ``remember`` wrote down (its ``url``, ``token``, ``port``), if that one is alive and answers."""
    try:
        process = json.loads((folder / "server.json").read_text(encoding="utf-8"))["process"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    from jupyter_server.serverapp import list_running_servers

    for server in list_running_servers():
        if server["pid"] == process and _answers(server):
            return server
    return None


def _answers(server: dict) -> bool:
    request = urllib.request.Request(f"{server['url']}api", headers={"Authorization": f"token {server['token']}"})
    direct = urllib.request.build_opener(
        urllib.request.ProxyHandler({})
    )  # a proxy does not know this computer's servers
    try:
        with direct.open(request, timeout=PATIENCE) as answer:
            return answer.status == 200
    except OSError:
        return False


def address(server: dict, page: str) -> str:
    """Where ``page``, a path under the served folder, opens in that server."""
    token = f"?token={server['token']}" if server["token"] else ""
    return f"{server['url']}lab/tree/{page}{token}"
