"""Chapter 5's turns."""

import math

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="fedmgda.turn.enough",
    task="the smallest ε at which the fourth client's loss does not rise",
    right=0.125,
    wrong={
        "equal rates": Wrong(0.25, "At 1/4 all four rates are equal. The fourth client stops paying earlier: its rate is −2 (1 − 4ε) + 1. Where is that zero?"),
        "the weight": Wrong(0.375, "This is the fourth client's weight, 1/4 + ε. The question asks for ε."),
        "sign": Wrong(0.375 + 0.25, "Check the sign: the rate is −2 times the first coordinate, 1 − 4ε, plus 1 times the second, 1."),
    },
    praise="The direction is (1/2, 1), and the fourth client's rate along it is −1 + 1 = 0.",
))

register(Exercise(
    slug="fedmgda.turn.lowest_rate",
    task="the lowest rate that (2) allows the tenth client, for ε = 0.1",
    right=-4.0,
    wrong={
        "equal weights": Wrong(-9.0, "With equal weights, (2) allows a rate of −9. But the box also allows more weight on the tenth client, and (2) holds for those weights as well."),
        "no pay": Wrong(0.0, "This is MGDA's promise. It needs all the weight on the tenth client, and the box allows only 0.2."),
        "the weight": Wrong(0.2, "This is the largest weight of the tenth client. The nine others then have 0.8 together. How low may the rate be so that the mixture is not negative?"),
        "sign": Wrong(4.0, "The nine others gain, and the mixture must only be at least zero. So the tenth client may pay: watch the sign."),
    },
    praise="The tenth may have weight 0.2, and then 0.8 · 1 + 0.2 ρ ≥ 0. So it may pay four times what each of the others gains.",
))

register(Exercise(
    slug="fedmgda.turn.ten_times",
    task="the weight of client 2's gradient after it multiplied its loss by 10",
    right=0.0125,
    wrong={
        "before": Wrong(0.125, "This was λ₂ before, μ₂/‖g₂‖ = 1/8. The gradient is ten times as long now, and μ₂ is still one half."),
        "the unit row": Wrong(0.5, "This is μ₂, the weight of the unit row. The question asks for λ₂ = μ₂/‖g₂‖."),
        "MGDA": Wrong(9 / 1609, "This is MGDA's weight, for the gradients as they are. FedMGDA+ gives both unit rows weight one half."),
        "more": Wrong(1.25, "A longer gradient gets a smaller weight: divide μ₂ by the new length."),
    },
    praise="The new length is 40, and 0.5/40 = 0.0125. Weight times length is one half, as before.",
))

register(Exercise(
    slug="fedmgda.turn.box_of_ten",
    task="ε_K of (4) for K = 10",
    right=0.4,
    wrong={
        "one half": Wrong(0.5, "No weight above one half is needed, but ε counts from 1/10. How far is it from there to one half?"),
        "downwards": Wrong(0.1, "This lets every weight fall to zero. A weight may also have to rise from 1/10 to one half."),
        "the simplex": Wrong(0.9, "This would let one client have all the weight. With unit rows, no client needs more than one half."),
    },
    praise="max(1/10, 1/2 − 1/10) is 0.4, so 0.5 and 1 give the same method.",
))

register(Exercise(
    slug="fedmgda.turn.overshoot",
    task="the distance to the optimum after a step of size 0.2 from a distance of 0.05",
    right=0.15,
    wrong={
        "gradients": Wrong(0.04, "This would be a step in proportion to the distance. A unit row has length 1, so the step is 0.2 long."),
        "arrived": Wrong(0.0, "The step is 0.2 long and the way was 0.05. The server does not stop on its way."),
        "sign": Wrong(-0.15, "A distance is not negative: you are 0.15 beyond the optimum."),
        "away": Wrong(0.25, "The server steps against its direction, so it moves towards the optimum first."),
    },
    praise="The step is 0.2 long, and the first 0.05 lead to the optimum.",
))

register(Exercise(
    slug="fedmgda.turn.absent",
    task="client 4's rate along (2, 1), the nearest point of the rows of clients 1 and 2",
    right=-3.0,
    wrong={
        "FedAvg": Wrong(-1.0, "This is client 4's rate with FedAvg of all four. Only clients 1 and 2 were drawn, so the direction is (2, 1)."),
        "MGDA": Wrong(1.0, "This is client 4's rate if all four are asked. Client 4 was not drawn, and its row is not in the hull."),
        "not asked": Wrong(0.0, "Client 4 did not send anything, but it still has a loss, and the new model is its model too."),
        "client 1": Wrong(5.0, "This is the rate of clients 1 and 2. Take the dot product of (−2, 1) and (2, 1)."),
    },
    praise="(−2, 1) · (2, 1) is −3.",
))

register(Exercise(
    slug="fedmgda.turn.nearby",
    task="the largest distance of the two nearest points by (7), for δ = 0.01 and two lengths of 0.5",
    right=0.1,
    wrong={
        "squared": Wrong(0.01, "This is the right side of (7). The left side is the squared distance, so take the root."),
        "one length": Wrong(math.sqrt(0.005), "The bracket adds both lengths, 0.5 + 0.5."),
        "half": Wrong(0.005, "This is δ times one length. The bracket adds both lengths, and the left side is squared."),
    },
    praise="The squared distance is at most 0.01 · 1, so the distance is at most 0.1.",
))

register(Exercise(
    slug="fedmgda.turn.forgotten",
    task="the tenth office's accuracy in per cent, if five of ten offices are drawn and the others forgotten",
    right=0,
    wrong={
        "half": Wrong(50, "The tenth office is drawn in half of the rounds, but it does not get half of the progress. In the other rounds nothing limits its loss, and their step undoes more than it has gained."),
        "as before": Wrong(90, "MGDA protects the tenth office in the rounds in which it is drawn. In the other half of the rounds, nobody asks it."),
    },
    praise="It is 0 %. In a round with it, the direction is a compromise, and it gains a little. In a round without it, nothing limits its loss, and it loses more than it has gained.",
))

register(Exercise(
    slug="fedmgda.turn.scaling",
    task="whether the liar's accuracy rises, stays or falls, with FedMGDA on the gradients",
    right="falls",
    wrong={
        "rises": Wrong("rises", "With FedAvg it would. But at the nearest point, a longer row gets less weight, and more than in proportion."),
        "stays": Wrong("stays", "On unit rows it would. Here the rows are the gradients, and FedMGDA gives a longer gradient less weight."),
    },
    praise="The weight shrinks faster than the gradient grows, so the client counts less than before.",
))
