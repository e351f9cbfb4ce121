"""The playground: each rule's closed form in the plane is the package's, paths keep their promises, buttons theirs."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from fairfl_book import labs, toy
from fairfl_book.build import lab_images, node
from fairfl_book.labs import descent_paths

from fairfl import Updates, rules

PACKAGE = {
    "FedAvg": lambda epsilon, gamma: rules.FedAvg("uniform"),
    "FedMGDA": lambda epsilon, gamma: rules.FedMGDA(),
    "FedMGDA+": lambda epsilon, gamma: rules.FedMGDAPlus(epsilon=epsilon),
    "AdaFed": lambda epsilon, gamma: rules.AdaFed(gamma=gamma),
    "FedFV": lambda epsilon, gamma: rules.FedFV(alpha=0.0),
    "DQN-Fed": lambda epsilon, gamma: rules.DQNFed(),
}
CENTRES = [[-1.0, -0.5], [1.0, 0.5], [-0.2, 1.4]]
needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")


def at_random(rng):
    """A landscape, a point and settings."""
    problem = str(rng.choice(descent_paths.PROBLEMS))
    land = descent_paths.landscape(problem, rng.uniform(-1.4, 1.4, (3, 2)).tolist())
    return problem, land, rng.uniform(-1.4, 1.4, 2).tolist(), rng.choice([0.05, 0.2, 1.0]), rng.choice([0.0, 0.5, 1.0])


@pytest.mark.parametrize("rule", descent_paths.RULES)
def test_every_direction_is_the_packages(rule):
    rng, compared = np.random.default_rng(0), 0
    for _ in range(200):
        problem, land, w, epsilon, gamma = at_random(rng)
        if rule == "DQN-Fed" and land.falls is None:
            continue
        along, far = descent_paths.direction(rule, land, w, epsilon, gamma)
        if far < 1e-2:  # next to rest: which way it would go is not determined
            continue
        G = torch.tensor(land.gradients(w), dtype=torch.float64)
        extras = {"newton_rates": torch.tensor(land.falls(land.gradients(w)))} if land.falls else {}
        sent = Updates(G, losses=torch.tensor(land.losses(w)), extras=extras)
        theirs = PACKAGE[rule](float(epsilon), float(gamma)).direction(sent).vector.numpy()
        ours = np.array(along)
        assert np.allclose(ours / np.linalg.norm(ours), theirs / np.linalg.norm(theirs), atol=1e-7), (problem, w)
        compared += 1
    assert compared > 90


def test_the_landscapes_are_the_toy_problems():
    fonseca = toy.FonsecaFleming()
    pairs = {"two valleys": (toy.two_valleys(), CENTRES), "Fonseca–Fleming": (fonseca, fonseca.centres.tolist())}
    for problem, (theirs, centres) in pairs.items():
        land = descent_paths.landscape(problem, centres)
        for w in np.random.default_rng(1).uniform(-2, 2, (50, 2)):
            assert np.allclose(land.losses(w), theirs.losses(w)) and np.allclose(land.gradients(w), theirs.gradients(w))


def test_promises_hold_along_the_paths():
    """No step is longer than the others'; with two clients nobody pays but under FedAvg; the convex rules reach the Pareto set."""
    rng = np.random.default_rng(2)
    for _ in range(60):
        problem, land, start, epsilon, gamma = at_random(rng)
        for rule in descent_paths.RULES:
            if rule == "DQN-Fed" and land.falls is None:
                continue
            path, where = descent_paths.walk(rule, land, start, epsilon, gamma)
            assert len(path) == descent_paths.ROUNDS + 1
            assert np.linalg.norm(np.diff(path, axis=0), axis=1).max(initial=0) < descent_paths.STRIDE + 1e-12
            losses = np.array([land.losses(w) for w in path])
            if rule in ("FedMGDA", "AdaFed", "DQN-Fed") or (rule != "FedAvg" and len(losses[0]) == 2):
                assert np.diff(losses, axis=0).max() < 1e-5, (rule, problem, start)
            if rule in ("FedMGDA", "FedMGDA+") and problem != "Fonseca–Fleming":
                assert where == "Pareto set", (rule, problem, start)


def test_arrived_means_that_no_direction_lowers_every_loss():
    land = descent_paths.landscape("two valleys", CENTRES)
    path, where = descent_paths.walk("FedMGDA", land, [0.3, -1.5], 1.0, 0.0)
    front = toy.two_valleys().pareto_set(2001)
    assert where == "Pareto set" and np.linalg.norm(front - path[-1], axis=1).min() < 2e-2


def test_at_the_wall_gradients_are_parallel_and_agree():
    numbers = labs.Playground().numbers(**labs.Playground.tries["AdaFed's wall (two circles)"])
    land = descent_paths.landscape("two circles", labs.Playground.tries["AdaFed's wall (two circles)"]["minimisers"])
    (a, b), (c, d) = land.gradients(numbers["paths"]["AdaFed"][-1])
    assert numbers["where"]["AdaFed"] == "wall"
    assert abs(a * d - b * c) < 2e-2 * np.hypot(a, b) * np.hypot(c, d) and a * c + b * d > 0
    assert numbers["where"]["FedMGDA"] == "Pareto set"


def test_at_the_start_fedavg_makes_client_2_pay_and_adafed_stops_at_a_wall():
    numbers = labs.Playground().numbers()
    after = numbers["after"]["FedAvg"]
    assert after[1] > 1.5 * numbers["before"][1] and after[0] < numbers["before"][0]
    assert numbers["where"] == {
        "FedAvg": "Pareto set",
        "FedMGDA": "Pareto set",
        "AdaFed": "wall",
        "FedFV": "Pareto set",
    }


@needs_node
def test_the_words_say_what_the_buttons_promise():
    lab = labs.Playground()
    states = [*lab.tries.values(), {"rules": []}, {"problem": "Fonseca–Fleming", "rules": ["DQN-Fed"]}]
    states.append({"rules": ["AdaFed", "DQN-Fed"], "gamma": 1.0})
    told = node.each(
        "(state) => view.words(view.compute(state)).lines.join(' ')",
        [[{**lab.start, **state}] for state in states],
        {"{ view }": "playground"},
    )
    assert "AdaFed stops at a wall" in told[0]
    assert "FedAvg makes client 1 pay" in told[1] and "All paths reach the Pareto set" in told[1]
    assert "FedAvg makes client 2 pay" in told[2] and "DQN-Fed" in told[2]
    assert told[3] == "No rule is running: switch one on."
    assert "DQN-Fed does not run here" in told[4] and "AdaFed goes DQN-Fed's way" in told[5]


@needs_node
def test_a_run_begins_at_the_start_and_ends_with_the_whole_paths():
    lab = labs.Playground()
    function = "(state, time) => { const n = view.compute(state), d = view.draw(n, time); return [d.plane, d.losses]; }"
    first, middle, last, rest = node.each(
        function, [[lab.start, 0], [lab.start, 0.5], [lab.start, 1], [lab.start]], {"{ view }": "playground"}
    )
    assert last == rest and len({first[0], middle[0], last[0]}) == len({first[1], middle[1], last[1]}) == 3


@needs_node
def test_the_readmes_picture_is_the_starts_race_in_motion():
    drawn = lab_images.PLAYGROUND.read_text(encoding="utf-8")
    assert drawn == lab_images.animated_playground(), "run python -m fairfl_book.build.lab_images"
    assert len(drawn) < 150_000 and "<script" not in drawn and "var(" not in drawn
    before, _, moving = drawn.partition("@media (prefers-reduced-motion:no-preference){")
    assert "animation" not in before and "animate" not in moving.partition("</style>")[2]
    numbers = labs.Playground().numbers()
    assert moving.count('class="way w') == moving.count('class="dot d') == 2 * len(numbers["running"])
    root = ElementTree.fromstring(drawn)
    assert root.get("role") == "img" and "FedAvg makes client 2 pay" in root.get("aria-label")


@pytest.mark.parametrize("rule, colour", [("FedFV", "#CC79A7"), ("FedMGDA", "#56B4E9"), ("AdaFed", "#D55E00")])
def test_the_readmes_names_have_their_paths_colours_and_are_led_to_their_ends(rule, colour):
    drawn = lab_images.PLAYGROUND.read_text(encoding="utf-8")
    worded = lab_images._coloured(f"color-mix(in srgb, {colour} 55%, var(--ink))")
    fills = re.findall(rf'<text [^>]*?fill="([^"]+)"[^>]*>{rule}</text>', drawn)
    assert fills == [worded, worded]  # one in each panel
    assert re.search(rf'<line [^>]*?stroke="{colour}"', drawn)
    assert bool(re.search(rf'<circle [^>]*?fill="none" stroke="{colour}"', drawn)) == (rule == "FedMGDA"), (
        "its end lies below a handle"
    )


def test_the_readmes_words_are_the_races_numbers():
    numbers = labs.Playground().numbers()
    assert set(numbers["running"]) == {"FedAvg", "FedMGDA", "AdaFed", "FedFV"}
    assert f"{numbers['after']['FedAvg'][1] / numbers['before'][1]:.2f}" == "1.67"
    for page in ("README.md", "README.zh.md"):
        text = (lab_images.PLAYGROUND.parents[1] / page).read_text(encoding="utf-8")
        assert "](book/playground.svg)" in text and "1.67" in text
