"""Find a JupyterLab that already serves a folder of copies, so that no second one is started."""

import json
import os
import urllib.request
from pathlib import Path

from fairfl import _atomic_files

PATIENCE = 5  # seconds to wait for an answer


def remember(folder: Path) -> None:
    """Record in ``folder`` that this process is about to serve the copies."""
    _atomic_files.write(folder / "server.json", json.dumps({"process": os.getpid()}).encode())


def find(folder: Path) -> dict | None:
    """Jupyter's entry (``url``, ``token``, ``port``) for the server that ``remember`` recorded, or ``None`` if it does not answer."""
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
    )  # a proxy cannot reach servers on this computer
    try:
        with direct.open(request, timeout=PATIENCE) as answer:
            return answer.status == 200
    except OSError:
        return False


def address(server: dict, page: str) -> str:
    """The URL that opens ``page``, a path relative to the served folder."""
    token = f"?token={server['token']}" if server["token"] else ""
    return f"{server['url']}lab/tree/{page}{token}"
