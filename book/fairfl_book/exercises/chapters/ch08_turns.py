"""Chapter 8's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="adafed.turn.half_power",
    task="client 2's rate for the losses 4 and 9, γ = 1/2 and client 1's rate 0.2",
    right=0.3,
    wrong={
        "losses": Wrong(0.45, "You took the ratio of the losses, 9 to 4. That is γ = 1. With γ = ½ the scales are the square roots of the losses."),
        "equal": Wrong(0.2, "Equal rates belong to γ = 0. With γ = ½ the losses count."),
        "square": Wrong(1.0125, "You squared the losses. That is γ = 2, and here γ is ½."),
        "upside down": Wrong(2 / 15, "The ratio is upside down. Client 2 has the larger loss, so it gets the larger rate."),
        "scale": Wrong(3, "That is client 2's scale. The rates are only proportional to the scales, and client 1's rate is 0.2."),
    },
    tolerance=1e-3,
    praise="The scales are 2 and 3, so client 2's rate is one and a half times client 1's.",
))

register(Exercise(
    slug="adafed.turn.construction",
    task="the two rates for g₁ = (1, 0), g₂ = (2, 1), losses 1 and 4, γ = 1",
    right=(1 / 5, 4 / 5),
    tolerance=0.005,
    wrong={
        "old loss": Wrong((1 / 2, 3 / 2), "Those are the rates for the losses 1 and 3. Now 2 is subtracted from the scale 4, so the second row is (0, 1) / 2."),
        "equal weights": Wrong((1 / 2, 5 / 4), "You gave both rows the weight ½. They now have different lengths, and by (4) the shorter one gets more weight."),
        "scale alone": Wrong((1 / 17, 6 / 17), "You divided the second row by the whole scale 4. First subtract c₂₁ = 2 from the scale."),
        "lengths": Wrong((1 / 3, 1), "You used the lengths of the rows, 1 and ½. Formula (4) uses their squares, 1 and ¼."),
        "direction": Wrong((1 / 5, 2 / 5), "That is the direction. The rates are its dot products with g₁ and g₂."),
        "scales": Wrong((1, 4), "Those are the scales. The rates are in the same ratio, but they are smaller."),
    },
    praise="The second row is (0, ½), the weights are 1/5 and 4/5, and the direction is (1/5, 2/5).",
))

register(Exercise(
    slug="adafed.turn.weights",
    task="λ₁ and λ₂ with λ₁ (1, 0) + λ₂ (2, 1) = (½, ½)",
    right=(-1 / 2, 1 / 2),
    wrong={
        "rows": Wrong((1 / 2, 1 / 2), "Those are the weights of the orthogonal rows (1, 0) and (0, 1). Here you need the weights of g₁ and g₂."),
        "sum": Wrong((3 / 2, -1 / 2), "These weights add up to 1, but the direction that they give is (½, −½). Compare the second components first."),
        "sign": Wrong((1 / 2, -1 / 2), "Both signs are wrong. The second component of dir is λ₂, and it is +½."),
        "of u": Wrong((-1, 1), "Those are the weights of u = (1, 1). The direction is half of u."),
    },
    praise="The second component gives λ₂ = ½, and then the first one gives λ₁ + 1 = ½.",
))

register(Exercise(
    slug="adafed.turn.convex_ratio",
    task="client 2's rate divided by client 1's along (⅔, ⅓), for g₁ = (1, 0) and g₂ = (2, 1)",
    right=2.5,
    tolerance=0.01,
    wrong={
        "prescribed": Wrong(3, "That is the ratio that AdaFed prescribes. Compute the dot products of (⅔, ⅓) with g₁ and g₂."),
        "scaled": Wrong(5 / 6, "You used h₁ and h₂. A client's rate is the dot product with its own gradient g."),
        "upside down": Wrong(0.4, "You divided client 1's rate by client 2's."),
        "client 2's rate": Wrong(5 / 3, "That is client 2's rate. Divide it by client 1's, which is ⅔."),
    },
    praise="The rates are 2/3 and 5/3.",
))

register(Exercise(
    slug="adafed.turn.survives",
    task="the tenth office's loss with γ = 0 and with γ = 1, when the nine have gone from 0.2 to 0.15 and the tenth began at 1.6",
    right=(1.55, 1.2),
    tolerance=0.005,
    wrong={
        "swapped": Wrong((1.2, 1.55), "You exchanged the two. With γ = 0 the difference stays the same, and with γ = 1 the ratio does."),
        "differences": Wrong((1.55, 1.55), "The first is right. With γ = 1 it is the ratio that stays the same, and at the start it is 8."),
        "ratios": Wrong((1.2, 1.2), "The second is right. With γ = 0 it is the difference that stays the same, and at the start it is 1.4."),
        "falls": Wrong((0.05, 0.4), "That is by how much the loss falls. The question asks for the loss itself."),
        "equal": Wrong((0.15, 0.15), "The tenth office does not catch up. With γ = 0 the difference survives, and with γ = 1 the ratio."),
    },
    praise="The difference stays 1.4, or the ratio stays 8.",
))

register(Exercise(
    slug="adafed.turn.length",
    task="the factor by which dir gets longer if all losses are halved, with γ = 5",
    right=32,
    wrong={
        "γ = 1": Wrong(2, "That would be right for γ = 1. The scale is the fifth power of the loss."),
        "product": Wrong(10, "The scale is a power of the loss and not a multiple: it changes by the factor 2⁻⁵."),
        "shorter": Wrong(1 / 32, "The scales get smaller by this factor. The points h = g / s are divided by the scales."),
        "squared": Wrong(1024, "That is the factor for the squared length."),
        "fixed": Wrong(1, "The gradients stay the same, but the points h = g / s do not, because the scales change."),
    },
    praise="Each scale is divided by 2⁵, so each point h is multiplied by 32, and with them the nearest point of their hull.",
))

register(Exercise(
    slug="adafed.turn.at_the_wall",
    task="ν₁ and ν₂ with ν₁ + ν₂ = 1 and ν₁ (0, 4) + ν₂ (0, 1) = 0",
    right=(-1 / 3, 4 / 3),
    tolerance=0.005,
    wrong={
        "swapped": Wrong((4 / 3, -1 / 3), "You exchanged the two. Then the sum is (0, 5). The longer gradient needs the smaller weight."),
        "sum": Wrong((-1, 4), "The sum of the vectors is zero, but the weights add up to 3. Divide both by 3."),
        "negative sum": Wrong((1, -4), "The sum of the vectors is zero, but the weights add up to −3. Divide both by −3."),
        "other sign": Wrong((1 / 3, -4 / 3), "The sum of the vectors is zero, but the weights add up to −1. Change both signs."),
        "no sign": Wrong((1 / 5, 4 / 5), "With two positive weights the sum cannot be zero, because both vectors point upwards. One weight has to be negative."),
    },
    praise="−1/3 · 4 + 4/3 · 1 = 0.",
))

register(Exercise(
    slug="adafed.turn.where_it_stops",
    task="the losses (f₁, f₂) with f₁ − f₂ = 7.5 and f₁ = 4 f₂",
    right=(10, 2.5),
    tolerance=0.005,
    wrong={
        "swapped": Wrong((2.5, 10), "You exchanged the two clients. On the vertical axis client 1's loss is the larger one."),
        "minimiser": Wrong((0, 0), "Those are the losses at the minimiser, and their difference is 0. The walk keeps the difference 7.5."),
        "down by four": Wrong((7.5, 0), "The difference is right. But on the vertical axis client 1's loss is four times client 2's."),
        "same fall": Wrong((12.5, 3.125), "The ratio is right, but the difference is not. 12.5 is client 2's loss at the start. The difference has to be 7.5."),
        "the start": Wrong((20, 12.5), "Those are the losses at the start. There client 1's loss is not yet four times client 2's."),
    },
    praise="3 f₂ = 7.5. Both losses have fallen by 10 since the start, and the model is at height √5.",
))

register(Exercise(
    slug="adafed.turn.past_the_wall",
    task="the rates of the two clients along (0, 1), for the gradients (0, 4) and (0, 1)",
    right=(4, 1),
    wrong={
        "zero": Wrong((0, 0), "Those are the rates along the line's nearest point. The nearest point of the segment is its lower end, (0, 1)."),
        "long end": Wrong((16, 4), "You took (0, 4), the far end of the segment. The near end is (0, 1)."),
        "equal": Wrong((1, 1), "The rates need not be equal any more. Client 1's gradient is four times as long."),
        "swapped": Wrong((1, 4), "You exchanged the two clients. Client 1's gradient is (0, 4)."),
    },
    praise="The segment's nearest point is its lower end, D = (0, 1).",
))
