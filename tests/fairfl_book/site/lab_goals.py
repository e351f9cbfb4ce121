"""Where the goals of the labs' tasks are, and how a keyboard gets there."""

from fairfl_book.labs.dropout import ARRIVE
from fairfl_book.labs.projections import _TRIANGLE

# Lab → (what brings it from its start to its goal, states that come near and are not the goal).
GOALS = {
    "AffineHull": (
        {"tips": [[0.62, 0.99], [-1.2, 1.0]]},
        [{"tips": [[0.62, 0.99], [0.6, 1.5]]}, {"tips": [[1, 0], [-1, 0]]}],
    ),
    "AllRules": (
        {"lie": ["gradient"], "factor": 0.4},
        [{"lie": ["gradient"]}, {"lie": ["loss"], "factor": 0.4}, {"factor": 0.4}],
    ),
    "Attack": ({"lies": ["its update"]}, [{"lies": ["its loss"]}, {"lies": ["its update"], "power": 0.0}]),
    "Box": (
        {"crowd": "ten: client 1 and seven like it", "epsilon": 0.5},
        [{"crowd": "ten: client 1 and seven like it", "epsilon": 0.2}, {"epsilon": 0.5}],
    ),
    "Dropout": (
        {"rule": "FedAvg", "times": [[t, 0.0] for t in (*ARRIVE[:9], -4.3)], "closing": -2.2},
        [
            {"rule": "FedAvg", "times": [[t, 0.0] for t in (*ARRIVE[:9], -4.3)], "closing": -1.2},
            # Four of the nine late, not five.
            {
                "rule": "FedAvg",
                "times": [[4.4 if k < 4 else -3.0, 0.0] for k in range(9)] + [[-4.3, 0.0]],
                "closing": 4.0,
            },
            {"rule": "FedAvg", "closing": -2.2},
            {"times": [[t, 0.0] for t in (*ARRIVE[:9], -4.3)], "closing": -2.2},
        ],
    ),
    "FairRates": ({"power": -1.5}, [{"power": 1.0}, {"power": -0.5}, {"clients": 2, "power": -1.5}]),
    "Hull": (
        {"rule": "FedMGDA", "tips": [[1.95, 0.35], [-1.0, 0.6], [-0.4, -1.3], [-0.95, -1.15]]},
        [{"rule": "FedMGDA"}, {"tips": [[1.95, 0.35], [-1.0, 0.6], [-0.4, -1.3], [-0.95, -1.15]]}],
    ),
    "LocalEpochs": ({"epochs": 30}, [{"epochs": 15}, {"share": 0.05}, {"epochs": 30, "steepness": 1.0}]),
    "NewtonRates": ({"begin": [[0.3, 0.1]]}, [{"begin": [[0.3, 0.5]]}, {"begin": [[0.3, 0.1]], "steps": "half"}]),
    "Playground": ({"start": [[0.6, 1.8]]}, [{"start": [[0.0, 0.0]]}, {"start": [[0.6, 1.8]], "rules": ["FedMGDA"]}]),
    "Projections": (
        {"step": 6, "tips": _TRIANGLE, "order": "3→1→2"},
        [{"step": 6, "tips": _TRIANGLE}, {"tips": _TRIANGLE, "order": "3→1→2"}, {"step": 6, "order": "3→1→2"}],
    ),
    "ProximalAverage": (
        {"steps": 1},
        [
            {"steps": 150},
            {"steps": 3},
            {"log_eta": -2.0},
            {"shape": "bounded slope"},
            {"shape": "bounded slope", "steps": 1},
            {"h1": 0.3, "h2": 0.3, "h3": 0.3},
        ],
    ),
    "Reweighting": ({"floor3": 2.2}, [{"floor3": 1.5}, {"floor1": 2.5}]),
    "Scalarisation": (
        {"method": "ε-constraint", "bound": 0.63},
        [{"weight": 0.5}, {"method": "ε-constraint"}, {"problem": "convex", "method": "ε-constraint", "bound": 0.63}],
    ),
    "SpreadBound": ({"uneven": 0.0}, [{"uneven": 0.2}, {"uneven": 0.0, "best": 46.0}, {"uneven": 0.0, "best": 60.0}]),
    "ThreeFronts": ({"weights": [[-0.148, 0.148]]}, [{"weights": [[0.0, 1.0]]}, {"turn": 60}]),
    "TwoClients": (
        {"tips": [[1.0, 0.0], [-0.8, 0.6]]},
        [
            {"weight": 0.66},
            {"tips": [[1.5, 0.2], [0.4, 1.5]]},
            {"tips": [[1.0, 0.0], [-1.9, 0.5]]},
            {"tips": [[1.0, 0.0], [-0.85, 1.2]]},  # nobody pays, but the angle is narrower
        ],
    ),
    "Verdicts": (
        {"theirs": 6, "ours": 8},
        [{"ours": 8}, {"margin": 2.0}, {"theirs": 4}, {"theirs": 4, "ours": 8}, {"theirs": 7, "ours": 6}],
    ),
    "Wall": ({"start": [[1.2, 1.2]]}, [{"start": [[0.3, 0.3]]}, {"start": [[1.3, 1.15]]}]),
    "WithoutSeeing": (
        {"step": "all sums' shadows", "sums": 2},
        [{"step": "all sums' shadows"}, {"step": "all sums' shadows", "sums": 3}, {"sums": 2}, {"sums": 8}],
    ),
}

# Lab → how the keyboard alone reaches its goal: (what has the focus, the key, how many times). A handle has its name; a button, a slider
# or a list, "control" or "control: option"; a button below the picture, "try: words".
KEYS = {
    "AffineHull": [("tip2", "Shift+ArrowLeft", 8)],
    "AllRules": [("lie: gradient", "Enter", 1), ("factor", "Home", 1)],
    "Attack": [("lies: its loss", "Space", 1)],
    "Box": [("crowd: ten: client 1 and seven like it", "Enter", 1), ("edge", "Shift+ArrowRight", 8)],
    "Dropout": [("rule: FedAvg", "Enter", 1), ("office9", "Home", 1), ("closing", "Shift+ArrowLeft", 17)],
    "FairRates": [("power", "Home", 1)],
    "Hull": [("rule: FedMGDA", "Space", 1), ("tip3", "Shift+ArrowDown", 10), ("tip3", "Shift+ArrowLeft", 6)],
    "LocalEpochs": [("epochs", "End", 1)],
    "NewtonRates": [("start1", "Shift+ArrowDown", 5)],
    "Playground": [("start", "Shift+ArrowLeft", 5), ("start", "Shift+ArrowUp", 7)],
    "Projections": [("try: no way out", "Enter", 1), ("order: 3→1→2", "Enter", 1)],
    "ProximalAverage": [("steps", "Home", 1)],
    "Reweighting": [("client3", "Shift+ArrowUp", 8)],
    "Scalarisation": [("method: ε-constraint", "Enter", 1), ("wall", "ArrowUp", 1)],
    "SpreadBound": [("uneven", "Home", 1)],
    "ThreeFronts": [("weights", "ArrowLeft", 3), ("weights", "ArrowUp", 3)],
    "TwoClients": [("tip2", "Shift+ArrowDown", 2), ("tip2", "Shift+ArrowRight", 3)],
    "Verdicts": [("ours: 8", "Enter", 1), ("theirs: 6", "Enter", 1)],
    "Wall": [("start", "Shift+ArrowDown", 2), ("start", "ArrowDown", 2)],
    "WithoutSeeing": [("step: all sums' shadows", "Enter", 1), ("sums: 2", "Enter", 1)],
}
