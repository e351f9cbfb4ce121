"""Chapter 15's turns."""

from math import sqrt

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="blind.turn.mask",
    task="the digit that client 2 sends: it holds 7, subtracts the 8 shared with client 1 and adds the 9 shared with client 3",
    right=8,
    wrong={
        "swapped": Wrong(6, "You added the 8 and subtracted the 9. Client 2 is the second of the pair with client 1, and the first of the pair with client 3."),
        "both added": Wrong(4, "You added both secrets. Client 2 is the second of the pair with client 1, so it subtracts the 8."),
        "both subtracted": Wrong(0, "You subtracted both secrets. Client 2 is the first of the pair with client 3, so it adds the 9."),
        "bare": Wrong(7, "That is its number without any mask. It subtracts the 8 and adds the 9."),
        "wrong pair": Wrong(3, "You used the 4, which clients 1 and 3 share. Client 2's secrets are the 8 and the 9."),
    },
    praise="7 − 8 + 9 = 8.",
))

register(Exercise(
    slug="blind.turn.answer",
    task="client 3's answer, the dot product of (−1, −1, 1) with (⅓, ⅓, 1)",
    right=1 / 3,
    tolerance=0.005,
    wrong={
        "clients 1 and 2": Wrong(5 / 3, "That is the answer of clients 1 and 2. Client 3's row has two negative entries."),
        "last entry": Wrong(1, "You multiplied the last entries only. The first two contribute −⅓ each."),
        "first entries": Wrong(-2 / 3, "You left out the last entries. They contribute 1."),
        "own length": Wrong(1 / 3 / sqrt(3), "You divided by the length of client 3's row. The rate is the dot product itself."),
        "per length": Wrong(1 / sqrt(11), "You divided by the length of d. The answer is the dot product itself."),
    },
    praise="−⅓ − ⅓ + 1 = ⅓.",
))

register(Exercise(
    slug="blind.turn.step",
    task="Frank–Wolfe's t, from ‖d‖² = 11/9, ρ₃ = ⅓ and ‖g₃‖² = 3",
    right=1 / 4,
    tolerance=0.003,
    wrong={
        "no factor two": Wrong(8 / 35, "In the denominator ρ₃ is subtracted twice."),
        "length of d": Wrong((sqrt(11) / 3 - 1 / 3) / (sqrt(11) / 3 - 2 / 3 + 3), "You used the length of d. The formula uses its square, 11/9."),
        "length of g": Wrong((8 / 9) / (5 / 9 + sqrt(3)), "You used the length of client 3's row. The formula uses its square, 3."),
        "another client": Wrong(-1 / 2, "You used the rate 5/3 of clients 1 and 2. The weights move toward client 3, whose rate is ⅓."),
        "numerator": Wrong(8 / 9, "That is the numerator. Divide it by 32/9."),
        "weight left": Wrong(3 / 4, "That is 1 − t, which is what is left of the old weights."),
        "new weight": Wrong(1 / 2, "That is client 3's new weight, ¾ · ⅓ + ¼. The question is t."),
    },
    praise="It is 8/9 divided by 32/9.",
))

register(Exercise(
    slug="blind.turn.exposed",
    task="the vector (d′ − ¾ d) / ¼",
    right=(-1, -1, 1),
    wrong={
        "not divided": Wrong((-1 / 4, -1 / 4, 1 / 4), "That is d′ − ¾ d. Divide it by ¼ as well."),
        "second sum": Wrong((0, 0, 1), "That is d′ itself. Subtract ¾ d from it, and divide by ¼."),
        "first sum": Wrong((1 / 3, 1 / 3, 1), "That is d itself. Subtract ¾ of it from d′, and divide by ¼."),
        "whole d": Wrong((-4 / 3, -4 / 3, 0), "You subtracted the whole of d. Only ¾ of it is in d′."),
        "sign": Wrong((1, 1, -1), "You subtracted in the wrong order. It is d′ minus ¾ d."),
    },
    praise="d′ − ¾ d = (−¼, −¼, ¼), and four times this is (−1, −1, 1).",
))

register(Exercise(
    slug="blind.turn.gap",
    task="the duality gap of d = (⅓, ⅓, 1) with ‖d‖² = 11/9 and the rates 5/3, 5/3, ⅓",
    right=8 / 9,
    tolerance=0.005,
    wrong={
        "squared length": Wrong(11 / 9, "That is ‖d‖². Subtract the smallest rate, ⅓."),
        "length": Wrong(sqrt(11) / 3 - 1 / 3, "You used the length of d. The gap uses its square, 11/9."),
        "largest rate": Wrong(-4 / 9, "You subtracted the rate of clients 1 and 2. The gap uses the smallest rate, ⅓."),
        "mean rate": Wrong(0, "You subtracted the mean of the rates, which is always ‖d‖². The gap uses the smallest rate, ⅓."),
        "sum of rates": Wrong(-22 / 9, "You subtracted all three rates. The gap uses the smallest rate only."),
        "root": Wrong(sqrt(8 / 9), "That is the root of the gap, the bound on the distance to d* in (a). The gap itself is its square."),
        "sign": Wrong(-8 / 9, "You subtracted in the wrong order. It is ‖d‖² minus the smallest rate."),
    },
    praise="11/9 − ⅓ = 8/9.",
))

register(Exercise(
    slug="blind.turn.shadow",
    task="the largest guaranteed rate along the line through d, with the answers 5/3, 5/3, 1/3 and ‖d‖ = 1.106",
    right=1 / sqrt(11),
    tolerance=0.005,
    wrong={
        "rate": Wrong(1 / 3, "That is the smallest answer. The guaranteed rate is per unit of length, so divide by ‖d‖."),
        "squared": Wrong(3 / 11, "You divided by ‖d‖². A shadow's length is the answer divided by ‖d‖."),
        "largest": Wrong(5 / sqrt(11), "That is what clients 1 and 2 get. The guaranteed rate is the smallest one."),
        "bound": Wrong(sqrt(11) / 3, "That is ‖d‖, the bound on all directions. What does a step along d guarantee?"),
        "best of all": Wrong(1, "That is what the best direction of all guarantees. It does not lie on this line."),
        "zero": Wrong(0, "All three answers are positive, so a step along d helps every client."),
    },
    praise="The shortest shadow has the length ⅓ / 1.106 = 0.30. On a line, this is the point of the hull that is nearest to the origin.",
))

register(Exercise(
    slug="blind.turn.flipped",
    task="the rate along (0, 0, 1) of client 3's mirrored row, with the row (−1, −1, 1) and the shadow (1/11, 1/11, 3/11)",
    right=-5 / 11,
    tolerance=0.005,
    wrong={
        "true row": Wrong(1, "That is the rate of the true row (−1, −1, 1). Use the mirrored one, the shadow minus the unseen part."),
        "sign": Wrong(5 / 11, "The mirrored row is twice the shadow minus the row. You subtracted in the wrong order."),
        "shadow": Wrong(3 / 11, "That is the rate of the shadow. Subtract the unseen part, whose last entry is 1 − 3/11."),
        "unseen part": Wrong(8 / 11, "That is the rate of the unseen part g₃ − P g₃. Subtract it from the shadow's rate, 3/11."),
        "flipped part": Wrong(-8 / 11, "That is the rate of the flipped unseen part alone. Add the shadow's rate, 3/11."),
        "first entry": Wrong(13 / 11, "That is the first entry of the mirrored row. The direction (0, 0, 1) picks out the third entry."),
        "along d": Wrong(1 / 3, "That is its rate along d, which is the same for both rows. Now the direction is (0, 0, 1)."),
        "negative row": Wrong(-1, "You flipped the whole row. The shadow stays as it is, and only the unseen part is flipped."),
    },
    praise="The shadow has 3/11 there and the unseen part 8/11, so the mirrored row has 3/11 − 8/11 = −5/11.",
))

register(Exercise(
    slug="blind.turn.traffic",
    task="how many vectors a client sends and receives in 30 rounds with three sums each",
    right=180,
    wrong={
        "one way": Wrong(90, "That is what it sends. It receives each sum as well."),
        "one sum": Wrong(60, "That is the traffic of one sum per round, as under FedAvg."),
        "model down": Wrong(120, "You counted one vector down per round. The server sends back each of the three sums."),
        "one round": Wrong(6, "That is one round. There are 30."),
        "all clients": Wrong(1800, "That is the traffic of all ten clients. The question is about one."),
    },
    praise="Three up and three down in each of 30 rounds.",
))

register(Exercise(
    slug="blind.turn.share",
    task="client 1's known share after sums with the weights (⅓, ⅓, ⅓) and (¼, ¼, ½)",
    right=1 / 2,
    tolerance=0.005,
    wrong={
        "first sum": Wrong(1 / 3, "That is its share after the first sum alone. The second sum raises it."),
        "equal": Wrong(2 / 3, "The two sums are not shared equally, because client 3's share is 1."),
        "client 3": Wrong(1, "That is client 3's share. Clients 1 and 2 have the rest."),
        "length": Wrong(1 / sqrt(2), "That is the length of the projection of e₁. The share is its square."),
        "nothing": Wrong(0, "Client 1's row is part of both sums, so something is known about it."),
        "weight": Wrong(1 / 4, "That is client 1's weight in the second sum. The share is the squared length of a projection."),
    },
    praise="The shares add up to 2. Client 3 has 1 of this, and clients 1 and 2 share the rest equally.",
))

register(Exercise(
    slug="blind.turn.noise",
    task="the noise that hides a weight of ½, divided by the noise that hides ten weights of 1/10",
    right=5,
    wrong={
        "inverse": Wrong(1 / 5, "That is rule 1's noise divided by rule 2's. Rule 2 needs more."),
        "variance": Wrong(25, "That is the factor for the variance. By (4), the standard deviation is proportional to the largest weight."),
        "clients": Wrong(10, "That would be the factor for a weight of 1. The largest weight of rule 2 is ½."),
        "same": Wrong(1, "The weights of both rules add up to 1, but the noise depends on the largest weight."),
        "root": Wrong(sqrt(5), "The root in (4) belongs to the number of sums. The largest weight enters as it is."),
    },
    praise="½ divided by 1/10. In general, half of the weight for one of K clients needs K/2 times the noise.",
))
