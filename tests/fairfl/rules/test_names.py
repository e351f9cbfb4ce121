"""A rule has two names, its class's and the one that it prints. Both select the same rule everywhere."""

import re

import own
import pytest

from fairfl import partition, rules, train
from fairfl.errors import Refused
from reproductions import catalogue
from reproductions.jobs import select

NAMES = rules.names()
PRINTED = [rules.make(name).name for name in NAMES]


def test_no_two_rules_share_a_name():
    assert len({*NAMES, *PRINTED}) == len(NAMES) + sum(a != b for a, b in zip(NAMES, PRINTED))


@pytest.mark.parametrize("name, printed", list(zip(NAMES, PRINTED)))
def test_a_printed_name_makes_the_rule_that_prints_it(name, printed):
    assert type(rules.make(printed)) is type(rules.make(name)) is rules.RULES[name]
    assert rules.class_name(printed) == rules.class_name(name) == name


@pytest.mark.parametrize("name, printed", [pair for pair in zip(NAMES, PRINTED) if pair[0] != pair[1]])
def test_both_names_are_one_checkpoint_and_one_recorded_job(small, tmp_path, name, printed):
    federation = partition.iid(small, 3, test=0.2)
    first = train(federation, name, rounds=1, checkpoint=tmp_path / "c.pt")
    again = train(federation, printed, rounds=1, checkpoint=tmp_path / "c.pt")
    assert first.settings["rule"] == again.settings["rule"] and (first.parameters == again.parameters).all()
    head = own.TOML.split("[[rows]]")[0]
    one, other = (
        select(catalogue.load(own.declared(tmp_path, f'{head}[[rows]]\nlabel = "one"\nrule = "{rule}"\n')))
        for rule in (name, printed)
    )
    assert [job.key for job in one] == [job.key for job in other]
    assert [job.settings for job in one] == [job.settings for job in other]


@pytest.mark.parametrize("name", sorted({*NAMES, *PRINTED}))
def test_a_slip_in_a_name_is_never_led_to_another_rule(name):
    for slip in (name.lower(), name.upper(), name + "x", name.replace("-", " "), name.replace("+", " plus")):
        if slip in NAMES or slip in PRINTED:
            continue
        with pytest.raises(Refused) as caught:
            rules.make(slip)
        near = re.search(r"Did you mean '(.*)'\?", str(caught.value)).group(1)
        assert rules.class_name(near) == rules.class_name(name), f"{slip!r} → {near!r}"
