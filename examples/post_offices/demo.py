"""The book's post offices as a Flower app, with the same federation, model and seed as ``fairfl.train``, so the two can be compared.

All settings (``SETTINGS``) are plain values, because Flower passes them to the programs as text. Needs ``flwr``.
"""

import json
from pathlib import Path

from fairfl_book.fault_injection import spoil

from fairfl import LocalSGD, data, models, partition
from fairfl.deployment.coordinator import Coordinator
from fairfl.deployment.flower.apps import client_app, server_app
from fairfl.deployment.flower.strategy import FairStrategy
from fairfl.deployment.member import Member
from fairfl.errors import unknown
from fairfl.rules import make

# "faults" is a list such as "1 0 crash; 2 1 not a number": round, client, fault. "out": the file for the server's results.
SETTINGS = {
    "rule": "FedAvg",
    "rule-settings": "{}",
    "clients": 2,
    "rounds": 5,
    "seed": 0,
    "lr": 0.5,
    "epochs": 2,
    "batch-size": 16,
    "wait-for": 0,
    "faults": "",
    "out": "",
}


def complete(given: dict) -> dict:
    """``SETTINGS`` updated with ``given``. Raises ``Refused`` for an unknown setting."""
    for name in given:
        if name not in SETTINGS:
            raise unknown("setting of the demonstration", name, SETTINGS)
    return SETTINGS | dict(given)


def federation(s: dict):
    """All offices have the digits 0 to 7, except the last one, which has 8 and 9."""
    groups = [range(8)] * (s["clients"] - 1) + [[8, 9]]
    return partition.by_class(data.load("digits"), groups, scored_on="pool", test=0.4)


def local(s: dict) -> LocalSGD:
    return LocalSGD(lr=s["lr"], epochs=s["epochs"], batch_size=s["batch-size"])


def rule(s: dict):
    return make(s["rule"], **json.loads(s["rule-settings"]))


def model(s: dict):
    return models.build("logistic", data.load("digits"), seed=s["seed"])


def faults(s: dict) -> dict[tuple[int, int], str]:
    """(round, client) → fault of that reply."""
    entries = (entry.split(maxsplit=2) for entry in s["faults"].split(";") if entry.strip())
    return {(int(t), int(k)): kind.strip() for t, k, kind in entries}


def client(settings: dict | None = None):
    """The ClientApp; by default it reads its settings from Flower's run configuration."""
    of = lambda context: complete(context.run_config if settings is None else settings)

    def member_of(context) -> Member:
        s = of(context)
        return Member.of(
            federation(s), int(context.node_config["partition-id"]), model(s), local=local(s), seed=s["seed"]
        )

    def tamper(reply, round, context):
        kind = faults(of(context)).get((round, reply.client))
        return spoil(reply, kind) if kind else reply

    return client_app(member_of, tamper)


def strategy(s: dict) -> FairStrategy:
    coordinator = Coordinator(rule(s), model(s), s["clients"], s["rounds"], local=local(s))
    return FairStrategy(coordinator, wait_for=s["wait-for"] or None)


def server(settings: dict | None = None, timeout: float = 60):
    """The ServerApp; it writes scores and log as JSON to the file ``out``."""
    of = lambda context: complete(context.run_config if settings is None else settings)

    def finish(strategy, context):
        state = strategy.state_dict()
        results = {
            "scores": state["scores"],
            "log": state["coordinator"]["log"],
            "words": ["\n".join(r.lines()) for r in strategy.coordinator.log],
            "weights": strategy.coordinator.reported.tolist(),
            "unread": state["unread"],
        }
        if out := of(context)["out"]:
            whole = Path(out).with_suffix(".part")
            whole.write_text(json.dumps(results), encoding="utf-8")
            whole.replace(out)

    return server_app(lambda context: strategy(of(context)), timeout=timeout, finish=finish)
