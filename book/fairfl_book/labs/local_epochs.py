"""Nine alike clients and a tenth that differs, on one parameter: where FedAvg comes to rest after E local steps per round."""

import numpy as np

from fairfl_book.labs.controls import Slider
from fairfl_book.labs.lab import Lab
from fairfl_book.translation.sentences import tr

LONGEST = 50  # local epochs, at most
_PART = 0.1  # ℓh of the nine: the part of its way that each of them covers in one step
_WISH = 100.0  # where the tenth client's loss is least; the nine have their minimum at 0


class LocalEpochs(Lab):
    """Losses ½ h (w − c)²: nine clients with c = 0 and one with c = 100, whose curvature is ``steepness`` times that of the others.

    In E full-batch steps a client covers the part 1 − (1 − ℓh)^E of its way. The server averages with the shares of the data and rests
    where the two sides' pseudo-gradients cancel. ``epochs``: E. ``share``: the tenth client's share of the data.
    """

    view = "local_epochs"
    controls = {
        "epochs": Slider("local epochs", 1, LONGEST, 1, 5, shown=False),
        "share": Slider("the tenth office's share of the data", 0.05, 0.6, 0.01, 0.2),
        "steepness": Slider("how many times as curved the tenth office's loss is", 1.0, 8.0, 0.5, 3.0),
    }
    tries = {
        "1 local epoch": {"epochs": 1},
        "50 local epochs": {"epochs": 50},
        "equally curved losses": {"steepness": 1.0},
    }

    def compute(self, epochs: int, share: float, steepness: float) -> dict:
        rests = rest(np.arange(1, LONGEST + 1), share, steepness)
        here = float(rests[epochs - 1])
        steps = np.arange(epochs + 1)
        return {
            "epochs": epochs,
            "share": share,
            "steepness": steepness,
            "rests": rests,
            "rest": here,
            "limit": _WISH * share,
            "nine": here
            * (1 - _PART) ** steps,  # the models of one of the nine after 0, 1, … E steps from the resting point
            "tenth": _WISH + (here - _WISH) * (1 - _PART * steepness) ** steps,
        }

    def words(self, numbers: dict) -> list[str]:
        return [
            tr(
                "local epochs: {epochs}; share {share}; the model rests at {rest}",
                epochs=numbers["epochs"],
                share=f"{numbers['share']:.2f}",
                rest=f"{numbers['rest']:.1f}",
            ),
            tr(
                "with 1 local epoch: {one}; with very many: {limit}",
                one=f"{numbers['rests'][0]:.1f}",
                limit=f"{numbers['limit']:.1f}",
            ),
        ]


def rest(epochs: np.ndarray, share: float, steepness: float) -> np.ndarray:
    """Where the model comes to rest, for each number of local epochs.

    There, p u₁₀ (100 − w) = (1 − p) u₉ w, with the parts u = 1 − (1 − ℓh)^E that the clients cover of their ways.
    """
    nine, tenth = 1 - (1 - _PART) ** epochs, 1 - (1 - _PART * steepness) ** epochs
    return _WISH * share * tenth / (share * tenth + (1 - share) * nine)
