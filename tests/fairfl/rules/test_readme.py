"""The rules' index: one table with every rule, and an example that runs."""

import contextlib
import io
import re
from pathlib import Path

import torch

from fairfl import rules

README = Path(rules.__file__).with_name("README.md").read_text(encoding="utf-8")


def test_the_table_lists_exactly_the_rules_and_says_who_has_a_state():
    rows = dict(
        re.findall(r"^\| `(\w+)` \| \w+ \| .*? \| ([^|]+) \| [^|]+ \|$", README.replace(r"\|", "¦"), re.MULTILINE)
    )
    assert list(rows) == rules.names()
    assert all(bool(rules.make(name).remembers) == (state != "none") for name, state in rows.items())


def test_the_worked_example_runs_and_prints_what_the_text_says():
    code, check = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 15
    space, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), space)
    direction = space["WorstHalf"]().direction(space["updates"])
    assert str(direction) in printed.getvalue()
    assert direction.vector.tolist() == [-0.5, 1.5] and direction.weights.tolist() == [0, 0.5, 0.5]
    assert torch.equal(direction.rates, torch.tensor([-0.5, 3, 2], dtype=torch.float64))
    exec(compile(check, "README.md", "exec"), space)  # raises PropertyFailed if the text is wrong


def test_every_rule_says_where_it_comes_from():
    for name in rules.names():
        assert re.search(r"et al\.|&", rules.RULES[name].__doc__) and len(rules.RULES[name].__doc__) > 200
