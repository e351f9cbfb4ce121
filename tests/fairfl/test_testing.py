"""``fairfl.testing`` in the hands of somebody who writes a rule: broken rules are caught, by the right property."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import Direction, GramRule, Rule, Updates, WeightRule, rules
from fairfl.testing import PROPERTIES, PropertyFailed, check_rule, parametrize_with_properties
from fairfl.testing.check import find_failure
from fairfl.testing.properties import OWED
from fairfl.testing.request import maker, requests


class Counter(GramRule):
    """Weights that follow how often each client took part: correct, and with a state."""

    remembers = ("counts",)

    def weights(self, gram, updates):
        counts = torch.zeros(updates.population, dtype=torch.float64) if self._counts is None else self._counts
        self._counts = counts.clone()
        self._counts[updates.clients] += 1
        return self._counts[updates.clients] / self._counts[updates.clients].sum()


class FirstRow(WeightRule):
    """Broken: follows whoever stands in the first row."""

    def weights(self, updates):
        return torch.eye(len(updates))[0]


class ByRow(Counter):
    """Broken: remembers the losses by row, not by client."""

    needs = frozenset({"losses"})
    remembers = ("last",)

    def weights(self, gram, updates):
        before = self._last
        self._last = updates.losses.clone()
        told = updates.losses if before is None or len(before) != len(updates) else before
        return told / told.sum()


class Forgets(Counter):
    """Broken: its state_dict forgets the counts."""

    def state_dict(self):
        return dict.fromkeys(super().state_dict())


class InPlace(Counter):
    """Broken: its state_dict hands out the tensor that the rule goes on changing."""

    def weights(self, gram, updates):
        if self._counts is None:
            self._counts = torch.zeros(updates.population, dtype=torch.float64)
        self._counts[updates.clients] += 1
        return self._counts[updates.clients] / self._counts[updates.clients].sum()

    def state_dict(self):
        return {} if self._counts is None else {"counts": self._counts}


class Undeclared(GramRule):
    """Broken: keeps a state that it does not declare."""

    def __init__(self):
        self._rounds = 0

    def weights(self, gram, updates):
        self._rounds += 1
        return torch.ones(len(updates)) / self._rounds


class UnitRows(Rule):
    """Broken: divides by the length of an update that may be zero."""

    def combine(self, updates):
        rows = updates.gradients
        return Direction((rows / rows.norm(dim=1, keepdim=True)).mean(0))


class Inverse(GramRule):
    """Broken: inverts a Gram matrix that may be singular."""

    def weights(self, gram, updates):
        return torch.linalg.solve(gram, torch.ones(len(updates), dtype=torch.float64))


class Writes(WeightRule):
    """Broken: sorts out negative coordinates in the caller's tensor."""

    def weights(self, updates):
        updates.gradients.clamp_(min=0)
        return updates.shares


class Velocity(Rule):
    """Broken: goes on changing the direction that it has returned."""

    remembers = ("velocity",)

    def combine(self, updates):
        mean = updates.gradients.mean(0)
        if self._velocity is None:
            self._velocity = torch.zeros_like(mean)
        return Direction(self._velocity.mul_(0.9).add_(mean))


class Random(WeightRule):
    """Broken: draws from the process's generator."""

    def weights(self, updates):
        return torch.rand(len(updates))


class Wide(Rule):
    """Broken: answers in float64, whatever it was asked in."""

    def combine(self, updates):
        return Direction(updates.gradients.double().mean(0))


class Shared(Counter):
    """Broken: counts in the class, for all instances."""

    remembers = ()
    counts = torch.zeros(99)

    def weights(self, gram, updates):
        self.counts[updates.clients] += 1
        return self.counts[updates.clients] / self.counts[updates.clients].sum()


class Tired(Rule):
    """Broken: its report moves on with every question."""

    remembers = ("asked",)

    def combine(self, updates):
        return Direction(updates.gradients.mean(0))

    def report(self, w):
        self._asked = (self._asked or 0) + 1
        return w + self._asked


class OfOne(WeightRule):
    """Broken: a spread with K - 1 below the line."""

    needs = frozenset({"losses"})

    def weights(self, updates):
        deviations = updates.losses - updates.losses.mean()
        return 1 + deviations.square() / torch.tensor(len(updates) - 1)


class Unserved(WeightRule):
    """Broken: needs what ``train`` cannot provide."""

    needs = frozenset({"height"})

    def weights(self, updates):
        return updates.extras["height"]


class Configured(WeightRule):
    """Broken: a setting that no checkpoint can compare."""

    def __init__(self):
        self.of = lambda updates: updates.shares

    def weights(self, updates):
        return self.of(updates)


BROKEN = {
    FirstRow: "order",
    ByRow: "order",
    Forgets: "state",
    InPlace: "state",
    Undeclared: "state",
    UnitRows: "zero_updates",
    Inverse: "more_clients_than_parameters",
    Writes: "inputs",
    Velocity: "inputs",
    Random: "repeatable",
    Wide: "answer",
    Shared: "repeatable",
    Tired: "report",
    OfOne: "one_client",
    Unserved: "engines",
    Configured: "checkpoint",
}


@pytest.mark.parametrize("broken, name", BROKEN.items(), ids=lambda value: getattr(value, "__name__", value))
def test_a_broken_rule_is_told_what_is_broken(broken, name):
    with pytest.raises(PropertyFailed) as caught:
        check_rule(broken)
    error = caught.value
    assert error.property_name == name and error.rule == f"{broken.__name__}()" and error.fault
    assert repr(name) in str(error) and PROPERTIES[name] in str(error) and error.fault in str(error)
    assert isinstance(error, AssertionError) and error.case is not None


def test_a_correct_rule_passes_and_is_not_used_itself():
    rule = Counter()
    assert check_rule(rule, {"convex"}, {"descent": "it counts, and does not look at the updates"}) is None
    assert rule._counts is None


def fault(rule, name, value=True):
    """What is wrong with one property of a rule; empty if it holds."""
    (request,) = (r for r in requests({name: value}, {}) if r.tested.name == name)
    failure = find_failure(maker(rule), request)
    return "" if failure is None else failure.fault


def test_a_rule_is_given_as_class_as_instance_or_as_a_function():
    for given in (Counter, Counter(), lambda: Counter()):
        assert fault(given, "convex") == "" != fault(given, "stationary")


def found(rule, **more):
    with pytest.raises(PropertyFailed) as caught:
        check_rule(rule, **more)
    return caught.value


def test_the_case_is_the_smallest_and_its_code_gives_it_again():
    error = found(rules.FedAvg, promises={"descent"})
    (case,) = error.case.rounds
    assert error.property_name == "descent" and case.gradients.shape == (2, 2)
    assert (case.gradients == case.gradients.round()).all() and case.gradients.abs().max() <= 30
    code = error.case.code(())
    assert all(line.strip() in str(error) for line in code.splitlines())
    namespace = {"Updates": Updates, "torch": torch, "rule": rules.FedAvg()}
    exec(f"{code}\nrates = {error.case.note}.rates", namespace)
    assert torch.equal(namespace["updates"].gradients, case.gradients) and namespace["rates"].min() < 0


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_code_has_what_the_rule_reads_and_gives_the_same_numbers(dtype):
    from fairfl import Layout
    from fairfl.testing.case import Case
    from fairfl.testing.rounds import stream

    rounds = tuple(stream(rules.FedLF(), 3, 2, 2, 4, dtype))
    code = Case(rounds).code({"losses", "layout", "accuracies"})
    namespace = {"Updates": Updates, "torch": torch, "Layout": Layout}
    exec(code, namespace)
    for u, again in zip(rounds, namespace["rounds"], strict=True):
        assert torch.equal(u.gradients, again.gradients) and u.gradients.dtype == again.gradients.dtype
        assert torch.equal(u.losses, again.losses) and torch.equal(u.shares, again.shares)
        assert torch.equal(u.clients, again.clients) and (u.round, u.layout) == (again.round, again.layout)
        assert u.population == again.population and list(again.extras) == ["accuracies"]


def test_an_error_inside_the_rule_is_the_cause():
    error = found(Inverse)
    assert isinstance(error.__cause__, torch.linalg.LinAlgError) and "LinAlgError" in error.fault


class UnitInPlace(Rule):
    """Broken: scales the caller's rows."""

    def combine(self, updates):
        rows = updates.gradients
        rows /= rows.norm(dim=1, keepdim=True).clamp(min=1e-12)
        return Direction(rows.mean(0), torch.full((len(rows),), 1 / len(rows), dtype=torch.float64))


class Sum(Rule):
    """Broken: adds to the direction that it has returned."""

    remembers = ("sum",)

    def combine(self, updates):
        if self._sum is None:
            self._sum = updates.gradients.mean(0)
        else:
            self._sum += updates.gradients.mean(0)
        return Direction(self._sum)


class ByRound(Counter):
    """Broken: counts as many clients as the first round has."""

    def weights(self, gram, updates):
        counts = torch.zeros(len(updates), dtype=torch.float64) if self._counts is None else self._counts.clone()
        counts[updates.clients] += 1
        self._counts = counts
        return counts[updates.clients] / counts[updates.clients].sum()


class Array(WeightRule):
    """Broken: remembers what no checkpoint can give back."""

    remembers = ("counts",)

    def weights(self, updates):
        self._counts = np.zeros(len(updates))
        return updates.shares


class Unlisted(WeightRule):
    """Broken: reads losses, and does not list them."""

    def weights(self, updates):
        return torch.softmax(updates.losses, 0)


# What the message has to say, and what it said before, of another fault.
HINTS = {
    UnitInPlace: ("inputs", "no +=", "random numbers"),
    Sum: ("inputs", "no +=", "Compute on a copy: no methods"),
    ByRound: ("repeatable", "updates.population", "random numbers"),
    Array: ("state", "keep tensors, plain numbers", "weights_only"),
    Unlisted: ("engines", "needs = frozenset({'losses'})", "rounding can turn"),
}


@pytest.mark.parametrize("broken", HINTS)
def test_a_hint_is_about_the_fault(broken):
    name, hint, other = HINTS[broken]
    error = found(broken)
    assert error.property_name == name and hint in str(error) and other not in str(error)


def test_a_case_is_printed_as_it_was_before_the_rule_wrote_into_it():
    error = found(UnitInPlace)
    gradients = error.case.rounds[0].gradients
    assert (gradients == gradients.round()).all() and repr(gradients.tolist()) in str(error)


def test_a_case_shows_the_losses_that_scales_read():
    error = found(rules.FedAvg, promises={"rates": lambda updates: updates.losses})
    assert f"losses={error.case.rounds[0].losses.tolist()}" in str(error)


def test_what_is_expected_to_fail_must_fail():
    error = found(rules.FedMGDA, expected_failures={"inflation": "it is so", "descent": "because I say so"})
    assert error.property_name == "descent" and error.case is None and "because I say so" in str(error)


@pytest.mark.parametrize("rule, power", [("FedAvg", 1), ("FedMGDAPlus", 0), ("DQNFed", -1)])
def test_a_promise_may_carry_a_power(rule, power):
    assert fault(rules.make(rule), "homogeneous", power) == ""
    assert f"power {power + 1}" in fault(rules.make(rule), "homogeneous", power + 1)


def test_a_promise_may_carry_scales():
    assert fault(rules.AdaFed(), "rates", lambda updates: updates.losses) == ""
    assert fault(rules.AdaFed(), "rates") and fault(rules.AdaFed(), "rates", lambda updates: 1 / updates.losses)


@pytest.mark.parametrize(
    "given, kind, mentions",
    [
        (dict(promises={"decent"}), "name", ["'decent'", "'descent'"]),
        (dict(expected_failures={"odrer": "x"}), "name", ["'odrer'", "'order'"]),
        (dict(promises="descent"), "type", ["promises", "'descent'"]),
        (dict(expected_failures={"order"}), "type", ["expected_failures"]),
        (dict(expected_failures={"order": ""}), "type", ["expected_failures['order']"]),
        (dict(expected_failures={"order": None}), "type", ["expected_failures['order']", None]),
        (dict(promises={"descent"}, expected_failures={"descent": "x"}), "combination", ["'descent'"]),
        (dict(promises={"homogeneous": "1"}), "type", ["promises['homogeneous']", "'1'"]),
        (dict(promises={"rates": 1}), "type", ["promises['rates']", 1]),
        (dict(promises={"descent": 2}), "type", ["promises['descent']", 2]),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_refused(given, kind, mentions):
    with refused(kind, *mentions):
        check_rule(Counter, **given)


@pytest.mark.parametrize(
    "rule",
    ["FedAvg", 3, lambda gamma: Counter(), lambda: 3, rules.TorchJD],
    ids=["a name", "a number", "a function with an argument", "a function that makes none", "a class with arguments"],
)
def test_what_makes_no_rule_is_refused(rule):
    with refused("type", "rule"):
        check_rule(rule)


@parametrize_with_properties(
    [Counter, FirstRow()],
    promises=lambda rule: {"convex"},
    expected_failures=lambda rule: {"order": "first"} if type(rule) is FirstRow else {},
)
def test_one_test_per_rule_and_property(rule, check):
    check(rule)


def test_marks_and_ids_are_those_of_the_request():
    mark = parametrize_with_properties([FirstRow()], {"convex"}, {"order": "it follows the first row"})
    names, cases = mark.args
    assert names == "rule, check" and {case.id for case in cases} == {f"FirstRow()-{n}" for n in (*OWED, "convex")}
    marked = {case.id: case.marks[0] for case in cases if case.marks}
    assert list(marked) == ["FirstRow()-order"] and marked["FirstRow()-order"].kwargs["strict"] is True
    with refused("name", "'descent'"):
        parametrize_with_properties([FirstRow()], {"desent"})


def test_pytest_and_hypothesis_are_not_needed_to_check_a_rule():
    code = (
        "import sys\nsys.modules['pytest'] = sys.modules['hypothesis'] = None\n"
        "from fairfl import rules, testing\n"
        "try:\n    testing.check_rule(rules.FedAvg, {'descent'})\n"
        "except testing.PropertyFailed as error:\n    print(error.property_name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "descent\n", done.stderr


def test_draws_are_independent_rows_from_small_to_large():
    from fairfl.testing.rounds import draws

    sizes = []
    for rows, losses, _, _ in draws():
        assert np.linalg.matrix_rank(rows) == len(rows) == len(losses) and (losses > 0).all()
        sizes.append(rows.shape)
    small = [size for size in sizes if size[0] <= 4]
    assert sizes[0] == (1, 1) and max(K for K, _ in sizes) >= 10 and len(small) >= 30
