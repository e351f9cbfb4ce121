"""Chapter 14's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="real.turn.silent",
    task="the tenth office's rate along (5, 0)",
    right=-15,
    wrong={
        "not heard": Wrong(0, "The office does not answer, but the model is its model, too. Its rate is the dot product of its gradient with the direction."),
        "sign": Wrong(15, "The first entry of its gradient is −3, so the dot product is negative."),
        "the nine": Wrong(25, "That is the rate of each of the nine. The tenth office's gradient is (−3, 4)."),
        "heard": Wrong(5, "That is its rate along (1, 2), when it takes part. Now the direction is (5, 0)."),
        "unit length": Wrong(-3, "You multiplied by (1, 0). The direction is (5, 0), the nearest point of a hull that is a single point."),
    },
    praise="The dot product is −3 · 5 + 4 · 0. In a round in which it takes part, its rate is 5.",
))

register(Exercise(
    slug="real.turn.mean_weight",
    task="the mean weight of a client that answers in every other round, beside one that always answers",
    right=1 / 4,
    tolerance=0.005,
    wrong={
        "in proportion": Wrong(1 / 3, "Then the weights would be in the ratio of the answers, 1 to 2. Take the mean of its weight in a round with it and in a round without it."),
        "when heard": Wrong(1 / 2, "That is its weight in a round in which it answers. In every other round it is 0."),
        "the other": Wrong(3 / 4, "That is the first client's mean weight. The two add up to 1."),
    },
    praise="It is the mean of ½ and 0. The first client's mean weight is the mean of ½ and 1, which is ¾.",
))

register(Exercise(
    slug="real.turn.correction",
    task="the weight p/q of a client with a fifth of the data that takes part in every second round",
    right=2 / 5,
    tolerance=0.005,
    wrong={
        "share": Wrong(1 / 5, "That is its share p. The weight is p / q, and it takes part with q = ½."),
        "multiplied": Wrong(1 / 10, "You multiplied by q. The correction divides by q, to make up for the rounds without it."),
        "divided by the sum": Wrong(1 / 3, "You divided by the sum of all weights, 2/5 + 4/5. The correction does not."),
    },
    praise="1/5 divided by 1/2. The nine always answer, so their weights stay at their shares, 4/5 together.",
))

register(Exercise(
    slug="real.turn.stale",
    task="the tenth office's true rate along (1, 2), with the gradient (−4, 3)",
    right=2,
    wrong={
        "remembered": Wrong(5, "That is the rate of the remembered row (−3, 4). The office's true gradient is now (−4, 3)."),
        "no memory": Wrong(-20, "That is its rate along (5, 0), without a memory. With the memory the server steps along (1, 2)."),
        "new nearest point": Wrong(2.5, "That is its rate along the nearest point of (5, 0) and (−4, 3). But the server does not know the new gradient."),
        "sign": Wrong(-10, "You subtracted the second product. −4 · 1 + 3 · 2 is positive."),
    },
    praise="−4 · 1 + 3 · 2 = 2. The stale row still points roughly the right way.",
))

register(Exercise(
    slug="real.turn.waiting",
    task="the probability that an office is not drawn in four rounds in a row, if three of ten are drawn",
    right=0.2401,
    tolerance=0.02,
    wrong={
        "drawn": Wrong(0.0081, "That is 0.3⁴, the probability of being drawn four times in a row."),
        "one round": Wrong(0.7, "That is the probability for a single round. The draws of the rounds are independent."),
        "three rounds": Wrong(0.343, "That is 0.7³. The office is also absent now, so there are four rounds."),
        "at least once": Wrong(0.7599, "That is the probability of being drawn at least once in four rounds. The question is the opposite."),
    },
    praise="0.7⁴ = 0.24. So FedFV with τ = 3 fails to protect the office in about a quarter of the rounds.",
))

register(Exercise(
    slug="real.turn.period",
    task="the tenth office's mean accuracy under TERM over the last round with it and the last round without it, in %",
    right=73.4,
    tolerance=0.06,
    wrong={
        "heard": Wrong(96, "That is the filled dot, right after a round with the office. A round later nearly half of it is lost again."),
        "silent": Wrong(51, "That is the open dot, after a round without the office. Take the mean of both."),
    },
    praise="The filled dot is near 96, the open dot is near 51, and their mean is about 73.",
))

register(Exercise(
    slug="real.turn.steps",
    task="the local steps of an office with 212 rows, in two epochs with batches of 16",
    right=28,
    wrong={
        "rounded down": Wrong(26, "You left out the last batch of each epoch. 212 rows are 13 full batches, and a smaller one."),
        "one epoch": Wrong(14, "That is one epoch. A round has two."),
        "not rounded": Wrong(26.5, "A step uses one batch, and the last batch of an epoch is a smaller one. So round up within each epoch."),
        "rounded at the end": Wrong(27, "You rounded up once for both epochs. Each epoch ends with a smaller batch of its own."),
    },
    praise="An epoch has 13 full batches and a smaller one, so two epochs have 28 steps.",
))

register(Exercise(
    slug="real.turn.silenced",
    task="the number of replies that are used if client 9 also poses as each of the clients 0 to 8",
    right=1,
    wrong={
        "all": Wrong(10, "Each of the numbers 0 to 8 now occurs twice, once in an honest reply and once in a false one."),
        "none": Wrong(0, "The number 9 occurs only once, in client 9's own reply."),
        "honest": Wrong(9, "The server cannot tell the honest replies from the false ones. It refuses both of each pair."),
        "all replies": Wrong(19, "That is the number of replies. Those with the same number are refused."),
    },
    praise="Only client 9's own number occurs once. The liar's reply is the only one that is used.",
))

register(Exercise(
    slug="real.turn.size",
    task="the FedAvg weight of a client that claims 99,100 rows beside nine clients with 100 rows each",
    right=0.991,
    tolerance=0.0015,
    wrong={
        "nine left out": Wrong(1, "Nearly. The nine together still have 900 rows of the 100,000."),
        "equal": Wrong(0.1, "That would be its weight if the server used no sizes. FedAvg divides each size by the sum of the sizes."),
        "the nine": Wrong(0.009, "That is the weight of the nine together."),
    },
    praise="It is 99,100 of 100,000 rows.",
))

register(Exercise(
    slug="real.turn.traffic",
    task="how many numbers a client sends in six secure sums of a model with 650 numbers, rates included",
    right=3906,
    wrong={
        "rates left out": Wrong(3900, "Those are the six vectors. After each sum, the client also sends its rate."),
        "one sum": Wrong(651, "That is one sum: a vector and a rate. There are six."),
        "one vector": Wrong(656, "A client does not send its row once. For every sum it sends its masked row again, with a new weight."),
        "both ways": Wrong(7806, "You counted what it receives as well. The question is what it sends."),
        "all clients": Wrong(39060, "That is what all ten clients send together."),
    },
    praise="Six times 650 numbers of a masked row, and six rates.",
))
