"""Chapter 3's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="pareto.turn.weak",
    task="whether E and F are weakly Pareto optimal",
    right=(True, False),
    wrong={
        "both": Wrong((True, True), "E is weakly optimal. But look for a model with a first loss below F's 6 and a second loss below F's 4."),
        "neither": Wrong((False, False), "F is not weakly optimal. But which model is strictly better than E for both clients? D has the same first loss as E, 5."),
        "turned round": Wrong((False, True), "It is the other way round. C is strictly better than F for both clients. D is better than E for client 2 only."),
    },
    praise="D dominates E, because 5 = 5 and 1 < 2. A model that is strictly better than E for both would need a first loss below 5 and a second below 2, and there is none. "
           "For F there is one: C has 4 < 6 and 3 < 4.",
))

register(Exercise(
    slug="pareto.turn.ranked",
    task="the share of pairs that can be ranked with three clients",
    right=0.25,
    wrong={
        "one way only": Wrong(0.125, "This is the probability that all three prefer the first model. They may also agree on the second one."),
        "as with two": Wrong(0.5, "This is the share with two clients. The third one agrees with the other two only half of the time."),
        "a third": Wrong(1 / 3, "Think of three coins. How often do all of them show the same side?"),
        "three quarters": Wrong(0.75, "This is the share of pairs that can *not* be ranked."),
    },
    tolerance=1e-3,
    praise="All three prefer the first model with probability 1/8, and all three the second with probability 1/8.",
))

register(Exercise(
    slug="pareto.turn.balance",
    task="client 1's weight with which (2, −1) and (−6, 3) balance",
    right=0.75,
    wrong={
        "longer counts more": Wrong(0.25, "With the weights 1/4 and 3/4 the sum is (−4, 2). Client 2's gradient is three times as long, so it needs the smaller weight."),
        "equal": Wrong(0.5, "With equal weights the sum is (−2, 1). Client 2's gradient is longer and prevails."),
        "not normalised": Wrong(3.0, "Three times the first gradient plus the second is zero. But the weights have to sum to 1, so divide by 4."),
        "a third": Wrong(1 / 3, "A third is the ratio of the lengths. The weights have to sum to 1, and the longer gradient gets the smaller one."),
    },
    tolerance=1e-3,
    praise="The sum is 3/4 · (2, −1) + 1/4 · (−6, 3) = (0, 0), so the model is Pareto stationary.",
))

register(Exercise(
    slug="pareto.turn.saddle",
    task="whether the origin is Pareto stationary, and whether it is weakly optimal",
    right=(True, False),
    wrong={
        "both": Wrong((True, True), "It is stationary. But try a step along the second parameter: what happens to the two losses?"),
        "neither": Wrong((False, False), "It is not weakly optimal. But compute both gradients at the origin, (1, 0) and (−1, 0). Do they balance?"),
        "turned round": Wrong((False, True), "It is the other way round. The gradients (1, 0) and (−1, 0) balance, and a step along the second parameter lowers both losses."),
    },
    praise="The gradients (1, 0) and (−1, 0) balance with weights one half each. And (0, h) gives both clients the loss −h², which is less than 0.",
))

register(Exercise(
    slug="pareto.turn.price",
    task="by how much client 2's loss falls per unit of client 1's, at λ = (0.3, 0.7)",
    right=3 / 7,
    wrong={
        "upside down": Wrong(7 / 3, "Upside down: this is what client 2 would have to pay for a unit of client 1's relief. At the minimum the weighted changes cancel, 0.3 · 1 = 0.7 · x."),
        "client 1's weight": Wrong(0.3, "The weighted sum rises by 0.3. For the sum to stay the same, client 2's loss has to fall by x with 0.7 · x = 0.3."),
        "client 2's weight": Wrong(0.7, "0.7 is client 2's weight. At the minimum the weighted changes cancel, 0.3 · 1 = 0.7 · x."),
        "one for one": Wrong(1.0, "One for one is the price at equal weights."),
    },
    tolerance=1e-2,
    praise="The weighted changes cancel, 0.3 · 1 = 0.7 · 0.43, so the ratio is 3/7.",
))

register(Exercise(
    slug="pareto.turn.goal",
    task="the letter of the model whose largest excess over (0, −1) is smallest",
    right="C",
    wrong={
        "small letter": Wrong("c", "This is the right model, but write its name as in the table, with a capital letter."),
        "smallest sum": Wrong("B", "B has the smallest sum of losses, 6, as D has. But here only the larger excess counts, and B's are 2 and 5."),
        "smallest sum, too": Wrong("D", "D has the smallest sum of losses, 6, as B has. But here only the larger excess counts, and D's are 5 and 2."),
        "client 1's best": Wrong("A", "A has the smallest excess for client 1. The largest one counts, and that is 8."),
        "E": Wrong("E", "E's excesses are 5 and 3, so the largest is 5. Another model has a smaller one."),
        "F": Wrong("F", "F's excesses are 6 and 5, so the largest is 6. Another model has a smaller one."),
    },
    praise="C has the excesses 4 and 4. The largest ones of A to F are 8, 5, 4, 5, 5 and 6.",
))

register(Exercise(
    slug="pareto.turn.support",
    task="the largest t with 3 + t ≤ 4 − 2t",
    right=1 / 3,
    wrong={
        "D's": Wrong(2 / 3, "This is where C ties with D: 3 + t = 1 + 4t. The question is about B: 3 + t = 4 − 2t."),
        "equal weights": Wrong(0.5, "At t = 0.5 the sums are 3 for B and 3.5 for C."),
        "sign": Wrong(1.0, "At t = 1 only client 1's loss counts, and it is 2 for B and 4 for C."),
    },
    tolerance=1e-2,
    praise="From 3 + t ≤ 4 − 2t follows 3t ≤ 1.",
))

register(Exercise(
    slug="pareto.turn.lie",
    task="the constant at which A ties with B",
    right=5.0,
    wrong={
        "honest difference": Wrong(3.0, "3 is the difference between A's largest loss, 7, and B's, 4, without the lie. At b = 3 A has the reported losses 4 and 7, and B has 5 and 4, so B wins. (From here on A beats C, but not yet B.)"),
        "A's losses equal": Wrong(6.0, "At b = 6 A's two reported losses are equal. But A wins earlier: its largest one is 7 up to there, and B's is 2 + b."),
        "B's first": Wrong(2.0, "At b = 2 B's reported losses are 4 and 4. From here on its largest loss grows with b, but A's is 7."),
    },
    tolerance=1e-3,
    praise="At b = 5 the largest reported loss is 7 for A and 2 + 5 for B. Beyond that, client 1 has its own best model, and client 2 is left with 7.",
))
