"""Compute the data of the lab ``Dropout``: run ``python -m fairfl_book.build.dropout_data`` after the training changes.

An aggregation rule depends on the updates only through their inner products. The ten updates of 650 numbers are
therefore replaced by ten rows of ten numbers with the same inner products: the Cholesky factor of their Gram matrix.
"""

import json
from functools import lru_cache
from pathlib import Path

import torch

from fairfl import LocalSGD, _atomic_files, data, models, partition
from fairfl.deployment import Coordinator, Member, Reply, collect
from fairfl_book.labs import javascript

ROUND, ROUNDS, OFFICES = 5, 50, 10
HEAD = (
    "// Written by python -m fairfl_book.build.dropout_data: rows with the products of ten offices' updates in the sixth round, their losses and sizes.\n"
    "// prettier-ignore\n"
)


@lru_cache
def sixth_round() -> tuple[Coordinator, list[Reply]]:
    """The server after five rounds of FedMGDA+, and the valid replies of the ten offices. Offices 0 to 8 have the
    digits 0 to 7, office 9 has 8 and 9."""
    digits, local = data.load("digits"), LocalSGD(lr=0.5, epochs=2, batch_size=16)
    fed = partition.by_class(digits, [range(8)] * 9 + [[8, 9]], scored_on="pool", test=0.4)
    start = models.build("logistic", digits, seed=0)
    members = [Member.of(fed, k, start, local=local, seed=0) for k in range(OFFICES)]
    server = Coordinator("FedMGDAPlus", start, OFFICES, ROUNDS)
    for t in range(ROUND):
        server.receive([m.work(server.arrays(), t, server.needs) for m in members])
    return server, [m.work(server.arrays(), ROUND, ["losses"]) for m in members]


def table() -> dict[str, list]:
    """``rows`` (10, 10) with the Gram matrix of the updates, ``losses`` (10,) and ``sizes`` (10,)."""
    server, replies = sixth_round()
    updates = collect(replies, server.w, server.layout, OFFICES, needs=["losses"])[0]
    assert updates is not None and updates.losses is not None
    G = updates.gradients.double()
    rows = torch.linalg.cholesky(G @ G.T)
    return {
        "rows": [[float(f"{v:.12g}") for v in row] for row in rows.tolist()],
        "losses": updates.losses.tolist(),
        "sizes": [reply.size for reply in replies],
    }


def main() -> None:
    text = json.dumps(table(), indent=1).replace(",\n   ", ", ").replace("[\n   ", "[").replace("\n  ]", "]")
    _atomic_files.write(Path(str(javascript.FOLDER / "offices.js")), f"{HEAD}export const OFFICES = {text};\n".encode())


if __name__ == "__main__":
    main()
