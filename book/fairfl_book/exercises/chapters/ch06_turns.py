"""Chapter 6's turns."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="reweighting.turn.seven_tenths",
    task="client 1's rate with weight 0.7",
    right=-0.2,
    wrong={
        "sign": Wrong(0.2, "The sign is wrong. 4 · 0.7 is 2.8, which is less than 3."),
        "client 2": Wrong(3.3, "This is client 2's rate. Client 1's rate is 4x − 3."),
        "own part": Wrong(0.7, "This is what client 1 gets from its own gradient. Client 2's gradient takes away 3 · 0.3."),
        "mean": Wrong(-1.0, "This is the rate with weight 0.5. Put x = 0.7 into 4x − 3."),
    },
    praise="It is 4 · 0.7 − 3 = −0.2, so client 1's loss still rises.",
))

register(Exercise(
    slug="reweighting.turn.friend",
    task="whether client k's own rate rises, stays or falls",
    right="falls",
    wrong={
        "rises": Wrong("rises", "Compute the change of the rate. Each unit of weight adds g_k · g_k to it, but it also takes g_j · g_k away."),
        "stays": Wrong("stays", "The rate would stay the same if g_j · g_k were equal to g_k · g_k. Here the first is 2 and the second is 1."),
    },
    praise="Each unit of weight adds 1 to its rate and takes 2 away. Its lead over j grows all the same, because j's rate falls even more.",
))

register(Exercise(
    slug="reweighting.turn.second_round",
    task="client 1's weight after AFL's second round",
    right=1 / 15,
    tolerance=2e-3,
    wrong={
        "not projected": Wrong(0.3, "You have added 1/10. Now the weights add up to 17/10, so 7/30 still has to be subtracted from each."),
        "rescaled": Wrong(0.3 / 1.7, "You have divided the weights by their sum. AFL goes to the nearest point of the simplex, and for that it subtracts the same "
                                     "number from all weights."),
        "first round": Wrong(0.2, "This is the weight after the first round. Add the losses and subtract once more."),
        "started again": Wrong(1 / 3, "AFL keeps its weights. Start from 6/30 and not from equal weights."),
        "client 2": Wrong(8 / 30, "This is client 2's weight. Client 1's loss is 1, so it gets 1/10 and gives up 7/30."),
        "all that is too much": Wrong(-0.4, "If you subtract 7/10, you subtract from one client what all three have to give up together. Each gives up 7/30."),
    },
    praise="6/30 + 3/30 − 7/30 = 2/30.",
))

register(Exercise(
    slug="reweighting.turn.one_more",
    task="the rule whose weights change if every client reports 1 more",
    right="q-FFL",
    wrong={
        "TERM": Wrong("TERM", "Adding 1 to all losses multiplies all exponentials by the same number, so TERM's weights stay the same."),
        "AFL": Wrong("AFL", "AFL adds the same number to all weights, and the projection subtracts it again."),
    },
    praise="TERM multiplies all its exponentials by the same number, and AFL subtracts what it has added.",
))

register(Exercise(
    slug="reweighting.turn.corner",
    task="what the opponent earns with all the weight on client 3",
    right=4 - np.log2(3),
    tolerance=4e-3,
    wrong={
        "free": Wrong(4.0, "This is the weighted mean before the opponent pays. With all the weight on one client, the relative entropy is ln 3."),
        "price not divided": Wrong(4 - np.log(3), "The opponent pays the relative entropy divided by t, and t is ln 2."),
        "price multiplied": Wrong(4 - np.log(2) * np.log(3), "The relative entropy is divided by t, not multiplied by it."),
        "the price alone": Wrong(np.log2(3), "This is what the opponent pays. Subtract it from the weighted mean, which is 4."),
    },
    praise="The weighted mean is 4, and the opponent pays ln 3 / ln 2 = 1.585.",
))

register(Exercise(
    slug="reweighting.turn.road",
    task="whether client 2's weight rises, stays or falls as t grows from 0",
    right="falls",
    wrong={
        "rises": Wrong("rises", "Compare client 2's loss with the mean of the three losses. With t = ln 2, its weight is 2/11."),
        "stays": Wrong("stays", "It would stay at first if client 2's loss were equal to the mean of the three losses, which is 7/3."),
    },
    praise="It starts at 1/3, and with t = ln 2 it is only 2/11.",
))

register(Exercise(
    slug="reweighting.turn.memory",
    task="the client's weight five rounds after it has caught up",
    right=0.2,
    wrong={
        "forgotten": Wrong(0.1, "AFL has a memory. While the client's loss is at the mean, the change (8) is zero, and its weight stays where it is."),
        "went on": Wrong(0.25, "In the last five rounds the client's loss is at the mean, so nothing more is added."),
        "one round": Wrong(0.1 + 0.02 * 0.5, "This is the weight after one round. The client was behind for ten."),
        "fell back": Wrong(0.15, "The weight only falls while the client's loss is *below* the mean."),
        "no mean": Wrong(0.3, "Each round adds 0.02 · 0.5 = 0.01. Ten rounds add 0.1 to the client's first weight, which was 1/10."),
    },
    praise="It was 1/10 at first, and ten rounds have added 0.01 each. Nothing has been taken away since.",
))

register(Exercise(
    slug="reweighting.turn.mean_accuracy",
    task="your prediction for the mean accuracy: does it rise, stay or fall",
    right="rises",
    wrong={
        "falls": Wrong("falls", "With MGDA it fell. But here the tenth office gains almost 50 points, which alone lifts the mean by 5, and the nine lose less than "
                                "that together."),
        "stays": Wrong("stays", "The tenth office gains almost 50 points, which alone lifts the mean by 5. The nine lose less than that together."),
    },
    praise="It rises from 90 % to 93 %.",
))

register(Exercise(
    slug="reweighting.turn.first_round",
    task="the t that gives the tenth office the smallest weight in round 0",
    right=5,
    wrong={
        "equal": Wrong(0, "With t = 0 the tenth office has weight 1/10. Its loss is below the mean, so TERM gives it less than that."),
        "middle": Wrong(2, "With t = 2 the weight is below 1/10. But a larger t takes away even more from a client whose loss is below the mean."),
    },
    praise="Its loss is below the mean, so its weight falls as t grows.",
))
