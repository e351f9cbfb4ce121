"""Chapter 14: real federations."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _shares(sizes, answered):
    sizes = np.asarray(sizes, float) * np.asarray(answered, float)
    return sizes / sizes.sum()


def _uniform(sizes, answered):
    answered = np.asarray(answered, float)
    return answered / answered.sum()


register(Exercise(
    slug="real.shares",
    task="n_k / Σ n over those who answered, 0 for the others",
    right=_shares,
    cases=[([30, 10, 60], [True, True, False]), ([5, 5], [True, False]), ([1, 2, 3, 4], [True, True, True, True])],
    wrong={
        "not renormalised": Wrong(lambda sizes, answered: np.asarray(sizes, float) * np.asarray(answered, float) / np.sum(sizes),
                                  "For sizes and answers {case} you answer {given}; it should be {right}. Your shares of those who "
                                  "answered do not sum to 1, so that the server would take a shorter step whenever somebody is away, and "
                                  "Updates would refuse them"),
        "absent kept": Wrong(lambda sizes, answered: np.asarray(sizes, float) / np.sum(sizes),
                             "For sizes and answers {case} you answer {given}. That weighs an update that never came; it should be {right}"),
        "uniform": Wrong(_uniform, "For sizes and answers {case} you answer {given}; it should be {right}. You count heads. Among those who "
                                   "answered, data shares still decide"),
        "ones": Wrong(
            lambda sizes, answered: np.asarray(sizes, float) * np.asarray(answered, float),
            "For sizes and answers {case} you answer {given}; it should be {right}. These are the sizes of those who answered. "
            "Weights sum to 1: divide by their sum",
        ),
        "only those who answered": Wrong(
            lambda sizes, answered: np.asarray(sizes, float)[np.asarray(answered)] / np.asarray(sizes, float)[np.asarray(answered)].sum(),
            "For sizes and answers {case} you answer {given}; it should be {right}. The weights are right, but asked is for all "
            "clients', with 0 for who is absent",
        ),
    },
    praise="collect does the same, and so a client that is away hands its weight to the others",
    hints=(
        "True counts as 1 and False as 0: sizes times answers are the sizes of those who answered.",
        "The weights of those who answered must sum to 1: by what sum do you divide?",
    ),
))

register(Exercise(
    slug="real.expected",
    task="client 1's mean weight over the three equally likely rounds in which somebody answers",
    right=7 / 12,
    wrong={
        "the share": Wrong(3 / 4, "3/4 is its share when both answer. When only client 2 answers its weight is 0, and when it is alone it is 1: "
                                  "renormalising does not average back to the share"),
        "empty round counted": Wrong(7 / 16, "You divide by four rounds, but in one of them nobody answers and the model stays where it is. "
                                             "Given that there is a step, three rounds are left"),
        "chance of answering": Wrong(1 / 2, "1/2 is how often it answers. Asked is its weight, which is 3/4, 1 or 0"),
        "when it answers": Wrong(
            7 / 8,
            "7/8 is its mean weight over the rounds in which *it* answers. In a third of the rounds with an answer only client 2 "
            "does, and client 1 has weight 0",
        ),
        "share times chance": Wrong(
            3 / 8,
            "3/8 is its share times its chance to answer. The shares are renormalised: alone, it has weight 1",
        ),
    },
    tolerance=1e-3,
    praise="Less than 3/4: drop-out pulls the weights towards equal ones, even where it strikes everybody alike",
    hints=(
        "Four outcomes are equally likely. In one of them nobody answers: leave it out.",
        "In each of the other three renormalise the shares over those who answered. What is client 1's weight in each?",
        "Average the three.",
    ),
))


def _unsound(rows):
    return [k for k, row in enumerate(rows) if not np.isfinite(np.asarray(row, float)).all()]


_ROWS = [([[1.0, 2.0], [float("nan"), 0.0], [3.0, 4.0]],), ([[float("inf"), 1.0], [1.0, 1.0], [0.0, float("nan")]],),
         ([[1e308, 1e308], [float("inf"), float("-inf")]],), ([[0.5], [0.25]],)]


def _by_sum(rows):
    with np.errstate(all="ignore"):
        return [k for k, row in enumerate(rows) if not np.isfinite(np.sum(row))]


register(Exercise(
    slug="real.unsound",
    task="the indices of the rows with an entry that is NaN or infinite",
    right=_unsound,
    cases=_ROWS,
    wrong={
        "nan only": Wrong(lambda rows: [k for k, row in enumerate(rows) if np.isnan(row).any()],
                          "For rows {case} you answer {given}; it should be {right}. An infinite entry is no number to compute with either: "
                          "inf − inf is NaN one step later"),
        "by sum": Wrong(_by_sum, "For rows {case} you answer {given}; it should be {right}. The sum of two large finite numbers can overflow: "
                                 "their owner did nothing wrong. A suspicious sum is a reason to look, not a verdict"),
        "whole round": Wrong(lambda rows: list(range(len(rows))) if _unsound(rows) else [],
                             "For rows {case} you answer {given}; it should be {right}. You refuse everybody because of one: then any client "
                             "can stop the federation"),
        "sound": Wrong(
            lambda rows: [k for k in range(len(rows)) if k not in _unsound(rows)],
            "For rows {case} you answer {given}, the sound rows. Asked are the others: {right}",
        ),
        "counted from one": Wrong(
            lambda rows: [k + 1 for k in _unsound(rows)],
            "For rows {case} you answer {given}; it should be {right}. You count from 1; Python's first index is 0",
        ),
        "mask": Wrong(
            lambda rows: ~np.isfinite(rows).all(1),
            "For rows {case} you answer {given}, one True or False a row. Asked are the indices of the rows that are True: "
            "`np.flatnonzero` finds them",
        ),
    },
    praise="Updates uses the sum as a first glance and then looks at the suspects only",
    hints=(
        "`np.isfinite` is False for NaN and for both infinities.",
        "Ask each row whether all of its entries are finite, and collect the indices of those where the answer is no.",
    ),
))


def _keep(numbers):
    return [i for i, k in enumerate(numbers) if numbers.count(k) == 1]


register(Exercise(
    slug="real.names",
    task="the positions of the replies whose client number nobody else uses",
    right=_keep,
    cases=[((0, 3, 0, 2),), ((1, 1, 1),), ((4, 2, 0),)],
    wrong={
        "first wins": Wrong(lambda numbers: [i for i, k in enumerate(numbers) if k not in numbers[:i]],
                            "For numbers {case} you answer {given}; it should be {right}. You keep whoever was faster. A stranger with a good "
                            "line would then always replace the true client"),
        "last wins": Wrong(lambda numbers: [i for i, k in enumerate(numbers) if k not in numbers[i + 1:]],
                           "For numbers {case} you answer {given}; it should be {right}. You keep whoever came last: waiting would be enough to "
                           "replace another client"),
        "all kept": Wrong(lambda numbers: list(range(len(numbers))),
                          "For numbers {case} you answer {given}; it should be {right}. A client that is counted twice has two votes"),
        "numbers": Wrong(
            lambda numbers: [k for k in numbers if numbers.count(k) == 1],
            "For numbers {case} you answer {given}, the clients' numbers. Asked are the positions of their replies: {right}",
        ),
        "repeated": Wrong(
            lambda numbers: [i for i, k in enumerate(numbers) if numbers.count(k) > 1],
            "For numbers {case} you answer {given}, the replies to refuse. Asked are those to use: {right}",
        ),
    },
    praise="The price: a stranger who knows a number can silence its owner. Only authentication, with a table of who is who, ends that",
    hints=(
        "If two replies carry the same number, which of them is the true one? Nothing proves it for either.",
        "Keep the positions whose number occurs exactly once; a tuple's `count` tells how often.",
        "`enumerate` gives each number together with its position, from 0.",
    ),
))

register(Question(
    slug="real.absent",
    task="what AdaFed makes of a client that is heard in every second round",
    hints=(
        "Whose losses does AdaFed read in a round: everybody's, or those of the clients that answered?",
        "In the rounds when office 9 answers its large loss earns it a large rate. What rate has it in the others, and what do the nine do with its "
        "part of the model meanwhile?",
        "`compare` runs a rule through the same rounds as the others: it wants a name and the rule.",
    ),
))
