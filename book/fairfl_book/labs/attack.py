"""One client lies: what that turns, rule by rule."""

import numpy as np
import torch

from fairfl import rules
from fairfl.attacks import Bias, Scaling
from fairfl.updates import Updates
from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Choice, Lab, Slider

KINDS = ("adds to its loss", "scales loss and update", "scales its update alone")
RULES = {
    "FedAvg": rules.FedAvg,
    "FedAvg-n": rules.FedAvgN,
    "q-FedAvg, q = 1": lambda: rules.QFedAvg(q=1.0),
    "TERM, t = 1": lambda: rules.TERM(t=1.0),
    "FedMGDA": rules.FedMGDA,
    "FedMGDA+": rules.FedMGDAPlus,
    "AdaFed, γ = 1": lambda: rules.AdaFed(gamma=1.0),
    "FedFV": lambda: rules.FedFV(alpha=0.25),
}


class Attack(Lab):
    """Four clients with moderately conflicting gradients; client 0 lies.

    For each rule: by how many degrees the direction turns, and how many others now lose.
    """

    controls = {
        "kind": Choice("client 0", KINDS, KINDS[0]),
        "size": Slider("how much (powers of ten)", 0.0, 4.0, 0.25, 2.0),
        "conflict": Slider("conflict among clients", 0.0, 1.0, 0.1, 0.9),
    }

    def compute(self, kind, size, conflict):
        chance = torch.Generator().manual_seed(0)
        common, own = (
            torch.randn(30, generator=chance, dtype=torch.float64),
            torch.randn(4, 30, generator=chance, dtype=torch.float64),
        )
        rows = 0.1 * ((1 - conflict) * common + (0.3 + conflict) * own)
        losses = torch.tensor([0.6, 0.8, 1.0, 1.2], dtype=torch.float64)
        honest = Updates(rows, losses=losses, local_lr=0.1)
        much = 10.0**size
        lie = {KINDS[0]: Bias(0, much - 1), KINDS[1]: Scaling(0, much), KINDS[2]: Scaling(0, much, part="update")}[kind]
        turned, hurt = [], []
        for make in RULES.values():
            before, after = (make().direction(u).vector for u in (honest, lie(honest)))
            cosine = (
                before @ after / before.norm() / after.norm()
                if before.norm() > 0 and after.norm() > 0
                else torch.tensor(0.0)
            )
            turned.append(float(torch.rad2deg(torch.arccos(cosine.clamp(-1, 1)))))
            hurt.append(int((rows[1:] @ after < -1e-12 * after.norm()).sum()))
        return {"names": list(RULES), "turned": np.array(turned), "hurt": hurt, "kind": kind, "much": much}

    def axes(self):
        from matplotlib import pyplot as plt

        return plt.subplots(figsize=(7.0, 3.4))

    def draw(self, axes, numbers):
        place = np.arange(len(numbers["names"]))
        colours = [COLOURS["vermilion"] if hurt else COLOURS["blue"] for hurt in numbers["hurt"]]
        axes.barh(place, numbers["turned"], color=colours)
        for y, turned, hurt in zip(place, numbers["turned"], numbers["hurt"]):
            axes.text(
                turned + 1.5,
                y,
                f"{turned:.0f}°" + (f", {hurt} of 3 others lose" if hurt else ""),
                va="center",
                fontsize=8,
                color=GREY,
            )
        axes.set(
            yticks=place,
            yticklabels=numbers["names"],
            xlabel="the direction turns by (°)",
            xlim=(0, 125),
            ylim=(len(place) - 0.4, -0.6),
        )

    def words(self, numbers):
        unmoved = [name for name, turned in zip(numbers["names"], numbers["turned"]) if turned < 0.5]
        lines = [
            f"client 0 {numbers['kind']}, {numbers['much']:g} times"
            if numbers["kind"] != KINDS[0]
            else f"client 0 adds {numbers['much'] - 1:g} to its loss"
        ]
        lines.append("unmoved: " + (", ".join(unmoved) or "nobody"))
        lines.append(
            "largest turn: {} by {:.0f}°".format(
                *max(zip(numbers["names"], numbers["turned"]), key=lambda pair: pair[1])
            )
        )
        return lines

    def alt(self, numbers):
        return (
            "A bar for each rule: by how many degrees one client's lie turns its direction; "
            + "; ".join(self.words(numbers))
            + "."
        )
