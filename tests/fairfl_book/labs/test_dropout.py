"""The ten post offices: the lab's stored rows give what the package's ``Coordinator`` does with their real replies."""

from dataclasses import replace

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import dropout_data, node
from fairfl_book.fault_injection import spoil
from fairfl_book.labs.dropout import LONG, NAN, POSES, RULES, SHAPE, SOUND

from fairfl.deployment import Coordinator, collect

LAB = labs.Dropout()


def in_time(*late):
    return [[4.0 if k in late else 0.0, 0.0] for k in range(10)]


def as_sent(reply, arrays, how):
    if how == LONG:
        return replace(
            reply, arrays={name: arrays[name] + 100 * (a - arrays[name]) for name, a in reply.arrays.items()}
        )
    flaws = {NAN: "not a number", SHAPE: "wrong shape", POSES: "poses as client 0"}
    return reply if how == SOUND else spoil(reply, flaws[how])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("late", [(), (9,), (0, 3), (0, 1, 2, 3, 4, 5, 6, 7), tuple(range(10))])
def test_the_coordinator_takes_the_same_step(rule, late):
    begun, replies = dropout_data.sixth_round()
    truth = collect(replies, begun.w, begun.layout, 10)[0].gradients.double()
    for how in (SOUND, LONG, NAN, SHAPE, POSES):
        sent = [r for k, r in enumerate([*replies[:9], as_sent(replies[9], begun.arrays(), how)]) if k not in late]
        server = Coordinator(RULES[rule](), begun.model, 10, dropout_data.ROUNDS)
        state = server.state_dict()
        server.load_state_dict(state | {"round": dropout_data.ROUND, "server": {"w": begun.w.clone()}})
        record = server.receive(sent)
        step = (begun.w - server.w).double()
        numbers = LAB.numbers(rule=rule, ninth=how, times=in_time(*late))
        assert np.isclose(numbers["length"], float(step.norm()), rtol=1e-5, atol=0)
        if numbers["length"] > 0:
            cosines = truth @ step / truth.norm(dim=1) / step.norm()
            assert np.abs(numbers["cosines"] - cosines.numpy()).max() < 1e-5
        heard = {
            0 if fate == "taken for office 0" else k
            for k, fate in enumerate(numbers["fates"])
            if fate in ("heard", "taken for office 0")
        }
        assert set(record.clients) == heard
        assert len(record.refused) == numbers["fates"].count("refused")


def test_the_stored_rows_are_the_offices():
    stored, table = labs.dropout.offices(), dropout_data.table()
    gram = lambda rows: np.array(rows) @ np.array(rows).T
    assert np.abs(gram(stored["rows"]) - gram(table["rows"])).max() < 1e-4 and stored["sizes"] == table["sizes"]
    assert np.abs(np.array(stored["losses"]) - table["losses"]).max() < 1e-5


def test_silence_forgets_and_fedavg_belongs_to_the_longest():
    start, came, nan, long = (LAB.numbers(**state) for state in ({}, *LAB.tries.values()))
    assert start["cosines"][9] < -0.4 and start["cosines"][:9].min() > 0.9
    assert came["cosines"].min() > 0.4
    assert np.allclose(nan["cosines"], start["cosines"]) and nan["fates"][9] == "refused"
    assert long["cosines"][:9].max() < -0.3 and long["longer"] > 20
    assert np.allclose(LAB.numbers(**{**LAB.tries["office 9 in time"], "ninth": LONG})["cosines"], came["cosines"])


@pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
def test_what_the_words_say_of_refusals():
    states = [
        {"ninth": POSES, "times": in_time()},
        {"ninth": POSES, "times": in_time(0)},
        {"times": in_time(*range(10))},
        {"rule": "FedAvg", "times": in_time()},
        {"rule": "AdaFed", "ninth": LONG, "times": in_time(0)},
        {"ninth": NAN, "times": in_time(9)},
        {"times": in_time()},
    ]
    both, taken, nobody, heard, idle, unread, all_ten = node.each(
        "(s) => view.words(view.compute(s)).lines", [[{**LAB.start, **s}] for s in states], {"{ view }": "dropout"}
    )
    assert "Refused: two replies that both say they are office 0, since nothing in them tells which is." in both
    assert "Late: office 0." in taken and "Office 9's reply counts as office 0's: nothing in it tells." in taken
    assert nobody[0] == "Nobody took part: the model stays as it is."
    assert heard[0] == "The server steps against office 9, although it took part."
    assert idle[0] == "The server steps against nobody, but office 9 gains almost nothing."
    assert "Late: office 9; what office 9's reply holds makes no difference." in unread
    assert all_ten == ["The server's step serves all ten."]
