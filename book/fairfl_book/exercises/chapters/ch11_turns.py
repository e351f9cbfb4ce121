"""Chapter 11's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="robustness.turn.stopped",
    task="the t for which no client has a negative rate along (t, −t), with the gradients (3, 1), (1, 3) and (−2, −2)",
    right=0,
    wrong={
        "first client only": Wrong(1, "Client 1's rate is then 3 − 1 = 2, but client 2's is 1 − 3 = −2."),
        "negative": Wrong(-1, "That helps client 2 and harms client 1. Its rate is −3 + 1 = −2."),
        "without bound": Wrong(float("inf"), "Along (t, −t), client 1's rate is 2t and client 2's is −2t. One of them is negative unless t = 0."),
    },
    praise="Client 1's rate is 2t and client 2's is −2t, so only t = 0 harms neither. The server stands still.",
))

register(Exercise(
    slug="robustness.turn.majority",
    task="how many of ten clients with unit rows must lie to turn round the direction of the honest ones, which all agree",
    right=6,
    wrong={
        "half": Wrong(5, "Five rows −u and five rows u add up to zero. The server stands still, but it does not turn round."),
        "one": Wrong(1, "One liar is enough if rows may have any length. A row of length 1 cancels only one honest row."),
        "two": Wrong(2, "Two rows −u cancel two honest rows. Six honest rows are left."),
        "nearly all": Wrong(9, "Fewer are enough. Each row −u cancels one row u."),
        "all": Wrong(10, "Then no honest client would be left. Fewer liars are enough."),
    },
    praise="Four honest rows u and six rows −u add up to −2u. With five liars the sum is zero.",
))

register(Exercise(
    slug="robustness.turn.bias",
    task="the constant that one of ten clients with the loss 1 must add to get half of q-FedAvg's weights, q = 1",
    right=8,
    wrong={
        "reported": Wrong(9, "That is the loss that the client has to report. Its true loss is 1, so it adds 1 less."),
        "of all": Wrong(10, "Half of the weights means as much as the nine others together, not as much as all ten."),
        "doubled": Wrong(1, "With a loss of 2 it has 2 of 11 parts."),
        "half of nine": Wrong(3.5, "With a loss of 4.5 it has 4.5 of 13.5 parts, a third. It needs as much as the nine others together."),
    },
    praise="The client reports 9, which is as much as the nine others together.",
))

register(Exercise(
    slug="robustness.turn.hidden",
    task="Krum's choice among the numbers 0, 2, 3, 7 and 2.5, if at most one client lies",
    right=2.5,
    tolerance=1e-6,
    wrong={
        "as before": Wrong(2, "The two nearest neighbours of 2 are now 2.5 and 3, so its score is 0.25 + 1 = 1.25. One score is smaller."),
        "the other neighbour": Wrong(3, "The two nearest neighbours of 3 are 2.5 and 2, so its score is 0.25 + 1 = 1.25. One score is smaller."),
        "the score": Wrong(0.5, "That is the smallest score. Krum's choice is the number that has it."),
        "mean": Wrong(2.9, "That is the mean. Krum chooses one of the five numbers."),
    },
    praise="Its score is 0.25 + 0.25 = 0.5, and no other score is smaller. The liar is chosen, with a number that does little harm.",
))

register(Exercise(
    slug="robustness.turn.outvoted",
    task="the rate of the client with the gradient (−3, 4) along the median of nine rows (5, 0) and this one",
    right=-15,
    wrong={
        "the nine": Wrong(25, "That is the rate of each of the nine. The tenth client's gradient is (−3, 4)."),
        "the mean": Wrong(-11, "That is its rate along the mean, (4.2, 0.4). The median is (5, 0)."),
        "none": Wrong(0, "The median of the second coordinate is 0, but that of the first is 5."),
        "sign": Wrong(15, "The first entry of its gradient is −3, so the product is negative."),
    },
    praise="The median is (5, 0), as if the tenth client were not there, and −3 · 5 = −15.",
))

register(Exercise(
    slug="robustness.turn.kept",
    task="the largest rate of the majority along a step of length 1, at an angle of 150° to a minority that must not lose",
    right=0.5,
    tolerance=0.006,
    wrong={
        "cosine": Wrong(-0.866, "That is the cosine of 150°. It is the majority's rate along the minority's own row."),
        "cosine, positive": Wrong(0.866, "A step with this rate is 30° from u, so it is 120° or more from v, and the minority loses."),
        "half the angle": Wrong(0.259, "That is the cosine of half the angle, at which both gain equally. The minority only must not lose, so the step may turn farther to the majority."),
        "degrees": Wrong(60, "That is the angle between the step and u in degrees. The rate is its cosine."),
        "all": Wrong(1, "That is the rate along u itself. Along u, the minority loses."),
        "nothing": Wrong(0, "That is the answer for 180°. At 150°, a step at a right angle to v still lets the majority gain."),
    },
    praise="The best fair step is 90° from v and therefore 60° from u, and cos 60° = 0.5.",
))

register(Exercise(
    slug="robustness.turn.noisy_loss",
    task="the expected loss over three labels with the losses 1, 4 and 7, if the correct label, the first, is kept with probability ½",
    right=3.25,
    tolerance=0.006,
    wrong={
        "correct label": Wrong(1, "That is the loss for the correct label. Half of the time the label is another one."),
        "equal chances": Wrong(4, "That is the mean of the three losses. The correct label has the probability ½, and each other one ¼."),
        "not divided": Wrong(6, "You gave each wrong label the probability ½. The two share it, ¼ each."),
        "wrong labels only": Wrong(5.5, "That is the mean over the two wrong labels. Half of the time the label is correct."),
        "without the correct one": Wrong(2.75, "You left out the correct label. It contributes ½ · 1."),
    },
    praise="½ · 1 + ¼ · 4 + ¼ · 7 = 13/4.",
))

register(Exercise(
    slug="robustness.turn.dimension",
    task="the local intrinsic dimension for the distances 10, 20 and 20",
    right=4.328,
    tolerance=0.006,
    wrong={
        "one logarithm": Wrong(1.44, "You took only the one logarithm that is not zero. The two zeros count as well, so divide it by 3."),
        "two logarithms": Wrong(2.885, "You took the mean over two logarithms. All three neighbours count, so divide by 3."),
        "in proportion": Wrong(43.28, "The distances are in another unit, but (5) uses only their ratios."),
        "divided": Wrong(0.4328, "You divided by ten. Formula (5) uses only the ratios of the distances."),
        "reciprocal": Wrong(0.231, "That is the mean of the logarithms. The dimension is 1 divided by it."),
    },
    praise="The logarithms are log 2, 0 and 0. Their mean is a third of log 2, and 3 / log 2 = 4.33.",
))

register(Exercise(
    slug="robustness.turn.corner",
    task="under how many rules with a shared model the eight offices have 80 % or more in all four columns",
    right=5,
    wrong={
        "personal models": Wrong(7, "You counted methods with a model for each office. The last three rows do not have a single shared model."),
        "without the long lie": Wrong(12, "You left out the last column, with 100 times the mean. The eight must have 80 % there as well."),
        "honest only": Wrong(15, "You counted in the first column alone. The eight must have 80 % in the other three columns as well."),
        "both": Wrong(0, "You also looked at the second number in each cell, the tenth office's. Look only at the first one."),
    },
    praise="Five rules resist all three lies.",
))
