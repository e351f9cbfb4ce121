"""Chapter 12's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="reproductions.turn.largest_gap",
    task="the row of FedFV's Table 3 with the largest gap between the authors' mean and ours on pullovers",
    right="FedMGDA+, ε = 1.0",
    wrong={
        "FedFV": Wrong("FedFV, α = 2/3", "On pullovers, its two means differ by only 0.6 points. Another row has a gap of 4.6 points."),
        "q-FedAvg": Wrong("q-FedAvg, q = 15", "On pullovers, its two means differ by only 0.1 points. Another row has a gap of 4.6 points."),
    },
    praise="On pullovers our mean is 84.4 %, and the authors' mean is 79.7 %.",
))

register(Exercise(
    slug="reproductions.turn.pairs",
    task="how many of the six pairs of rows our runs have in the printed order",
    right=4,
    wrong={
        "the others": Wrong(2, "You counted the pairs in the wrong order, or only neighbouring rows. Compare each row with all others: γ = 0 with three rows, γ = 1 with two, γ = 5 with one."),
        "a coin": Wrong(3, "That is what tossing a coin would get on average. Compare γ = 0 with the other three rows first."),
        "all": Wrong(6, "In print γ = 1 is above γ = 5. In our runs it is the other way round."),
        "one missed": Wrong(5, "Look at γ = 1 again. In print it is above both γ = 5 and γ = 10. In our runs it is below both."),
    },
    praise="Only the two pairs of γ = 1 with 5 and with 10 are in another order. A coin would get three pairs right on average.",
))

register(Exercise(
    slug="reproductions.turn.one_seed",
    task="how many of the five seeds in Figure 12.4, each taken alone, would have refuted claim 3",
    right=2,
    wrong={
        "none": Wrong(0, "Look at the upper line again. Two of its five dots are to the right of zero."),
        "one": Wrong(1, "A seed refutes the claim if the ascending order has no smaller spread than another order, so its dot is at zero or to the right of it. Count these dots in both lines."),
        "the others": Wrong(3, "You counted the seeds that support the claim in the upper line. The question is about the seeds that refute it."),
        "all": Wrong(5, "In most seeds, the dots are to the left of zero in both lines. There the ascending order has the smaller spread, as claimed."),
    },
    praise="With these two seeds, the random order has a spread that is 0.30 and 0.17 points smaller. With one of them alone, we would have called the claim false.",
))

register(Exercise(
    slug="reproductions.turn.two_ends",
    task="the two ends of the 95 % interval of the five differences",
    right=(-0.47, 0.30),
    tolerance=0.012,
    wrong={
        "one s": Wrong((-0.39, 0.23), "You went by s to each side. Multiply s by 1.24 first."),
        "not divided": Wrong((-0.95, 0.78), "You went by 2.78 s to each side, which is the interval for a single difference. Divide by the root of 5."),
        "standard error": Wrong((-0.22, 0.05), "You went by s divided by the root of 5. Student's factor 2.78 is missing."),
        "normal": Wrong((-0.36, 0.19), "You used 1.96, the factor of the normal distribution. It is for a spread that is known. For five differences Student's factor is 2.78."),
        "order": Wrong((0.30, -0.47), "The numbers are right. Put the lower end first."),
        "positive": Wrong((-0.30, 0.47), "The mean is negative, −0.084."),
    },
    praise="Zero is inside. The printed difference, −0.93, is outside, but it is a mean of five runs and has an error of its own.",
))

register(Exercise(
    slug="reproductions.turn.how_many_seeds",
    task="the smallest number of seeds in the table for which the interval reaches less than a quarter of a point to each side",
    right=10,
    wrong={
        "five": Wrong(5, "With five seeds the interval reaches 0.38 to each side. That is the one you computed."),
        "six": Wrong(6, "1.05 · 0.31 is 0.33, so an interval around −0.25 would still contain zero."),
        "eight": Wrong(8, "Almost. 0.84 · 0.31 is 0.26."),
        "twenty": Wrong(20, "Twenty seeds are enough, but so is a smaller number in the table."),
    },
    praise="0.72 · 0.31 is 0.22.",
))

register(Exercise(
    slug="reproductions.turn.holm",
    task="how many of the p-values 0.01, 0.02, 0.025 and 0.5 pass by Holm's rule",
    right=1,
    wrong={
        "not adjusted": Wrong(3, "Three are at most 0.05 before the adjustment. The first is multiplied by 4, the second by 3, the third by 2."),
        "two": Wrong(2, "The second p-value is multiplied by 3 and becomes 0.06. The third would be 2 · 0.025 = 0.05, but it may not be smaller than the one before it."),
        "none": Wrong(0, "The smallest is multiplied by 4 and becomes 0.04. That is at most 0.05."),
        "all": Wrong(4, "The last p-value is 0.5. It is far above 0.05 even without an adjustment."),
    },
    praise="The adjusted values are 0.04, 0.06, 0.06 and 0.5. The third would be 2 · 0.025 = 0.05, but it is raised to the value before it.",
))

register(Exercise(
    slug="reproductions.turn.missing",
    task="what would decide DQN-Fed's claim to be fairer on clothing",
    right="settings",
    wrong={
        "seeds": Wrong("seeds", "More seeds could settle the case with the step size 0.1. But we would still not know which step size the authors used, and with the other one the claim fails."),
        "runs": Wrong("runs", "We have five seeds of every row, with both step sizes. More runs of ours cannot tell which step size the authors used."),
    },
    praise="A single line from the authors, their step size, would be worth more than a thousand runs of ours.",
))

register(Exercise(
    slug="reproductions.turn.fedavg_word",
    task="the verdict on FedAvg's mean accuracy, printed 80.42 and ours 80.23",
    right="undecided",
    wrong={
        "equivalent": Wrong("equivalent", "The lower end is −0.19 − 0.87 = −1.06, which is below −1. The whole interval would have to be within ± 1."),
        "different": Wrong("different", "The interval extends from −1.06 to 0.68. For this word it would have to be outside ± 1 completely."),
    },
    praise="The interval extends from −1.06 to 0.68, so six hundredths of a point are missing.",
))

register(Exercise(
    slug="reproductions.turn.theirs_alone",
    task="the half-width of the 90 % interval if only the authors' five runs have an error",
    right=1.385,
    tolerance=0.004,
    wrong={
        "not halved": Wrong(2.77, "You multiplied 2.13 by the printed ±. The standard deviation of their mean is 0.65."),
        "no factor": Wrong(0.65, "That is the standard deviation of their mean. Student's factor 2.13 is missing."),
        "root of 5": Wrong(1.24, "You divided the printed ± by the root of 5. Because this ± already divides by 5 and not by 4, its mean has 1.30 divided by the root of 4."),
        "95 %": Wrong(1.81, "You used 2.78, the factor for an interval of 95 %. Equivalence uses 90 %, so the factor is 2.13."),
        "both sides": Wrong(2.77 / 2 * 1.4142, "You added an error of ours that is just as large. With a million runs of ours it is gone."),
    },
    praise="2.13 · 0.65 is about 1.39.",
))

register(Exercise(
    slug="reproductions.turn.fedfa",
    task="what the printed numbers for FedFA and FedAvg tell us about FedFA's weights",
    right="nothing",
    wrong={
        "help": Wrong("help", "In our first reading, where the weights are used, FedFA is four points better than FedAvg. But were the weights used in the printed runs?"),
        "harm": Wrong("harm", "FedFA is half a point below FedAvg in print. But were the weights used in the printed runs?"),
    },
    praise="The weights were never used. Without them FedFA is nearly FedAvg, and so the two printed numbers are nearly equal.",
))

register(Exercise(
    slug="reproductions.turn.softmax",
    task="the largest probability after two softmaxes, with ten classes",
    right=0.232,
    tolerance=0.004,
    wrong={
        "one": Wrong(1, "That is the first softmax's probability. The second one treats 1 and nine zeros as outputs, so it gives e¹ divided by e¹ + 9 · e⁰."),
        "a tenth": Wrong(0.1, "That would be the result if all ten inputs were equal. One of them is 1, and the others are 0."),
        "half": Wrong(0.731, "That is the result for two classes, e / (e + 1). With ten classes there are nine zeros."),
        "ten zeros": Wrong(0.2137, "You counted ten zeros. One of the ten classes has the 1, so nine are left."),
        "odds": Wrong(0.302, "You divided e by 9. The first class belongs to the sum as well: e / (e + 9)."),
    },
    praise="e / (e + 9) is 0.23, although the network is completely certain.",
))
