"""Run the demonstration in Flower's simulation (Ray), in a separate process. Needs ``flwr[simulation]``."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from post_offices.demo import client, complete, server
from post_offices.loopback import QUIET


def run(settings: dict, *, limit: float = 180) -> dict:
    """Run the demonstration with ``settings`` (see ``demo.SETTINGS``) on simulated nodes; returns what the server wrote.

    It runs in a separate process, because Ray leaves threads and workers behind. Raises ``RuntimeError`` with its last output if it fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        s = complete(settings) | {"out": str(out)}
        done = subprocess.run(
            [sys.executable, "-m", "post_offices.simulated", json.dumps(s)],
            env=os.environ | QUIET,
            capture_output=True,
            text=True,
            timeout=limit,
        )
        if not out.exists():
            raise RuntimeError(
                f"the simulation wrote no result; its last output:\n{(done.stdout + done.stderr)[-3000:]}"
            )
        return json.loads(out.read_text(encoding="utf-8"))


if __name__ == "__main__":
    from flwr.simulation import run_simulation

    given = complete(json.loads(sys.argv[1]))
    run_simulation(
        server_app=server(given),
        client_app=client(given),
        num_supernodes=given["clients"],
        backend_config={"client_resources": {"num_cpus": 1, "num_gpus": 0.0}},
    )
