"""Chapter 0's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="start.turn.all_weight",
    task="the client that pays if client 1 has all the weight",
    right=2,
    wrong={
        "client 1": Wrong(1, "The server then steps exactly against client 1's gradient. No other direction of the same length lowers client 1's loss faster."),
        "nobody": Wrong(0, "Client 1 gains. But the two gradients are more than a right angle apart, so a step against g₁ goes uphill for the other client."),
    },
    praise="The step against g₁ lowers client 1's loss. But g₂ points largely against g₁, so the same step raises client 2's loss.",
))

register(Exercise(
    slug="start.turn.smallest",
    task="the smallest weight of client 1 at which nobody pays",
    right=1.6 / 2.6,
    tolerance=0.006,  # absolute and relative: from 0.606 to 0.625
    wrong={
        "equal": Wrong(0.5, "At one half client 1 still pays: its bar points to the left. Give it a little more weight."),
        "not quite": Wrong(0.6, "At 0.60 client 1 still pays a little. Read off the next values, to two decimals, until its bar no longer points to the left."),
        "largest": Wrong(4 / 5.6, "This is the other end of the green part, the largest weight at which nobody pays. Drag the tip back towards the middle."),
        "client 2's": Wrong(1 / 2.6, "This is the weight of client 2 at that point. Client 1 has the rest."),
        "all": Wrong(1.0, "With all the weight on client 1, it is client 2 who pays. Look for the smallest weight at which neither bar points to the left."),
    },
    praise="Client 1's bar has just reached zero, and client 2 still gains.",
))

register(Exercise(
    slug="start.turn.rate",
    task="client 1's rate under the weights 1/4 and 3/4",
    right=-0.5,
    wrong={
        "own part": Wrong(1.0, "This is what client 1 gets from its own gradient, 4 · 1/4. Client 2's gradient takes something away: add −2 · 3/4."),
        "others' part": Wrong(-1.5, "This is what client 2's gradient takes from client 1, −2 · 3/4. Add what client 1 gets from its own gradient."),
        "client 2": Wrong(7.0, "This is client 2's rate, −2 · 1/4 + 10 · 3/4. The question is about client 1."),
        "sign": Wrong(0.5, "Check the sign: the dot product of the two gradients is −2."),
        "swapped": Wrong(2.5, "You gave client 1 the weight 3/4. It has 1/4."),
    },
    praise="The rate is negative, so client 1 pays, although both weights are positive.",
))
