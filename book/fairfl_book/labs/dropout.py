"""Ten post offices answer, or do not, or send something else: whom the server's step still serves."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import torch

from fairfl import LocalSGD, data, models, partition, rules
from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Choice, Lab, Slider

RULES = {"FedAvg": rules.FedAvg, "FedMGDA+": rules.FedMGDAPlus, "FedFV": rules.FedFV, "AdaFed": rules.AdaFed}
ANSWERS = (
    "is sound",
    "does not come",
    "has a NaN",
    "has the wrong shape",
    "claims to be office 0",
    "is 100 times too long",
)
ROUND = 5


@lru_cache
def replies():
    """The model after five rounds of FedMGDA+, the ten offices' sound replies to it, and a coordinator's module."""
    from fairfl.server import Coordinator, Member

    digits, local = data.load("digits"), LocalSGD(lr=0.5, epochs=2, batch_size=16)
    fed = partition.by_class(digits, [range(8)] * 9 + [[8, 9]], scored_on="pool", test=0.4)
    start = models.build("logistic", digits, seed=0)
    members = [Member.of(fed, k, start, local=local, seed=0) for k in range(10)]
    server = Coordinator("FedMGDAPlus", start, 10, 50)
    for t in range(ROUND):
        server.receive([m.work(server.arrays(), t, server.needs) for m in members])
    return server.arrays(), [m.work(server.arrays(), ROUND, ["losses"]) for m in members], start


class Dropout(Lab):
    """Offices 0 to 8 see the digits 0 to 7, office 9 sees 8 and 9. Some of the first nine may be silent as well."""

    controls = {
        "rule": Choice("rule", tuple(RULES), "FedMGDA+"),
        "ninth": Choice("office 9's reply", ANSWERS, "does not come"),
        "silent": Slider("how many others are silent", 0, 9, 1, 0),
    }

    def compute(self, rule, ninth, silent):
        from fairfl.server import Coordinator, collect
        from fairfl_book.faults import spoil

        arrays, sound, model = replies()
        flaws = {
            "has a NaN": "not a number",
            "has the wrong shape": "wrong shape",
            "claims to be office 0": "poses as client 0",
        }
        last = sound[9]
        if ninth in flaws:
            last = spoil(last, flaws[ninth])
        elif ninth == "is 100 times too long":
            last = replace(last, arrays={n: arrays[n] + 100 * (a - arrays[n]) for n, a in last.arrays.items()})
        sent = sound[silent:9] + [last] * (ninth != "does not come")
        server = Coordinator(RULES[rule](), model, 10, 50)
        server.load_state_dict(server.state_dict() | {"round": ROUND, "server": {"w": _flat(server, arrays)}})
        before = server.w.clone()
        record = server.receive(sent)
        step = (before - server.w).double()
        truth = collect(sound, before, server.layout, 10)[0].gradients.double()
        length = step.norm()
        cosines = torch.zeros(10).double() if length == 0 else truth @ step / truth.norm(dim=1) / length
        return {"cosines": cosines.numpy(), "length": float(length), "record": record, "rule": rule}

    def axes(self):
        from matplotlib import pyplot as plt

        return plt.subplots(
            figsize=(7.6, 3.0), layout="none", gridspec_kw={"left": 0.1, "right": 0.98, "bottom": 0.17, "top": 0.88}
        )

    def draw(self, axes, numbers):
        heard = np.isin(np.arange(10), numbers["record"].clients)
        for mask, colour, label in ((heard, COLOURS["blue"], "heard"), (~heard, COLOURS["vermilion"], "not heard")):
            axes.bar(np.arange(10)[mask], numbers["cosines"][mask], color=colour, label=label)
        axes.axhline(0, color=GREY, linewidth=1)
        axes.set(
            xlabel="office",
            ylabel="agreement with the step",
            ylim=(-1, 1.05),
            xticks=range(10),
            title=f"{numbers['rule']}: cosine of each office's sound update with the server's step",
        )
        axes.legend(loc="lower left", ncols=2)

    def words(self, numbers):
        lows = [f"office {k}" for k in np.flatnonzero(numbers["cosines"] < -5e-3)]
        if numbers["length"] == 0:
            who = "the model stays where it is"
        else:
            who = f"it goes against {', '.join(lows) or 'nobody'}"
        return [*numbers["record"].lines(), f"length of the step {numbers['length']:.3g}; {who}"]

    def alt(self, numbers):
        c = numbers["cosines"]
        return (
            f"Bars of ten offices' agreement with the step of {numbers['rule']}: offices 0 to 8 between {c[:9].min():.2f} and "
            f"{c[:9].max():.2f}, office 9 {c[9]:.2f}"
        )


def _flat(server, arrays):
    return torch.cat([torch.as_tensor(arrays[name]).reshape(-1) for name in server.layout.names])
