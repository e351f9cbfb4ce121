"""Chapter 13's turns."""

import math

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="reading.turn.largest_mean",
    task="the largest mean of four clients whose worst has 40 and whose best has 80",
    right=70,
    tolerance=0.005,
    wrong={
        "the best": Wrong(80, "Then all four clients would have 80. But the worst one has 40."),
        "midpoint": Wrong(60, "That is the mean of the worst and the best. There are two other clients, and they may be better than that."),
        "smallest": Wrong(50, "That is the smallest mean. The other two then have 40 like the worst. Make them as good as they can be."),
        "one of three": Wrong(200 / 3, "You counted only one other client. There are four clients, so two of them are in neither tail."),
        "sum": Wrong(280, "That is the sum of the four accuracies. Divide it by 4."),
    },
    praise="One client has 40 and three have 80. If the mean were larger, the other two clients would have to be better than the best.",
))

_BEST = (31 * 60.74 - 3 * 53.57) / 28

register(Exercise(
    slug="reading.turn.best_at_least",
    task="the least average of the best three of 31 clients, if the mean is 60.74 and the worst three average 53.57",
    right=_BEST,
    tolerance=2e-4,
    wrong={
        "the others": Wrong(62.18, "That is the average of the 25 others if the best three have 55.92. Now the best three may have more, so take all 28 clients together."),
        "the mean": Wrong(60.74, "If the best three had 60.74, the other 25 would need slightly more than that, because the worst three are below the mean."),
        "as printed": Wrong(55.92, "That is the printed number. With it, the other 25 clients would have to be better than the best three."),
        "reprinted": Wrong(64.92, "That is the number that DQN-Fed prints. It is possible, but a smaller one is possible as well."),
        "divided by 31": Wrong((31 * 60.74 - 3 * 53.57) / 31, "You divided by all 31 clients. Without the worst three there are 28."),
    },
    praise="All 31 clients have 31 · 60.74 points, and the 28 without the worst three average 61.51. The best three cannot have less than this average.",
))

register(Exercise(
    slug="reading.turn.two_seeds",
    task="the standard deviation over two clients, averaged over the runs (60, 80) and (80, 60)",
    right=10,
    wrong={
        "of the averages": Wrong(0, "That is the standard deviation of the averages 70 and 70. The table computes one in each run, and averages them afterwards."),
        "variance": Wrong(100, "That is the variance in each run. The standard deviation is its square root."),
        "range": Wrong(20, "That is the distance between the two clients. Each of them is 10 away from the mean."),
        "sample": Wrong(math.sqrt(200), "You divided by the number of clients minus one. These tables divide by the number of clients."),
        "half": Wrong(5, "In each run both clients are 10 away from the mean 70, so the standard deviation is the same in both runs."),
    },
    praise="In each run both clients are 10 away from 70. The average over the runs hides this.",
))

register(Exercise(
    slug="reading.turn.least",
    task="the least standard deviation of four clients with the mean 60, the worst at 50 and the best at 70",
    right=math.sqrt(50),
    tolerance=0.005,
    wrong={
        "variance": Wrong(50, "That is the variance, 200 divided by 4. The standard deviation is its square root."),
        "two clients": Wrong(10, "You divided by 2. The two clients in the middle count as well, although they are exactly at the mean."),
        "not divided": Wrong(math.sqrt(200), "You added the squared distances but did not divide by the number of clients."),
        "zero": Wrong(0, "The worst and the best client are 10 away from the mean, so the spread is not zero."),
        "even": Wrong(math.sqrt((100 + 100 / 9 + 100 / 9 + 100) / 4), "You spaced the four clients evenly. The spread is smaller if the two in the middle are equal."),
    },
    praise="The two in the middle have 60 each. The squared distances are 100, 0, 0 and 100, with the mean 50.",
))

register(Exercise(
    slug="reading.turn.moved",
    task="the square root of L² − σ² for L = 6.19 and σ = 3.01",
    right=math.sqrt(6.19**2 - 3.01**2),
    tolerance=0.006,
    wrong={
        "difference": Wrong(3.18, "You subtracted the two numbers. In (5) it is the squares that are subtracted."),
        "not rooted": Wrong(6.19**2 - 3.01**2, "That is the mean square. Take its square root to get points."),
        "sum": Wrong(math.sqrt(6.19**2 + 3.01**2), "You added the squares. The spread of the averages is one part of the whole, so it is subtracted."),
        "all": Wrong(6.19, "That would be right if the averages had no spread at all. They have one of 3.01."),
    },
    praise="38.3 − 9.1 = 29.3, and its square root is 5.4 points.",
))

register(Exercise(
    slug="reading.turn.angle",
    task="the angle, in degrees, that belongs to a mean of 81.00 and a standard deviation of 10.41",
    right=math.degrees(math.atan(10.41 / 81.00)),
    tolerance=0.003,
    wrong={
        "radians": Wrong(math.atan(10.41 / 81.00), "That is the tangent, or the angle in radians. In degrees the angle is larger by the factor 180 / π."),
        "turned round": Wrong(math.degrees(math.atan(81.00 / 10.41)), "You divided the mean by the spread. That is the angle in the other corner of the triangle."),
        "sine": Wrong(math.degrees(math.asin(10.41 / 81.00)), "You used the sine. The mean is a leg of the triangle, so the ratio of the legs is the tangent."),
        "as printed": Wrong(10.04, "That is the printed angle. Compute the one whose tangent is 10.41 / 81.00."),
    },
    praise="It is 7.3°, and the table prints 10.04°.",
))

register(Exercise(
    slug="reading.turn.by_chance",
    task="how many of 207 cells agree by chance, if each of 201 differences is equally likely",
    right=207 / 201,
    tolerance=0.04,
    wrong={
        "all": Wrong(207, "That would be certain agreement. Only one of the 201 possible differences is zero."),
        "none": Wrong(0, "A single cell agrees with a probability of 1/201. Multiply this by the number of cells."),
        "per cent": Wrong(2.07, "You divided by 100. From −1 to +1 there are 201 multiples of 0.01."),
    },
    praise="207 / 201 is about one cell.",
))

register(Exercise(
    slug="reading.turn.fallback",
    task="the rule whose row equals that of Nash-MTL without its solver",
    right="FedAvg",
    wrong={
        "Nash-MTL": Wrong("Nash-MTL", "It would be, if the solver ran. But the call raises an error, and the code continues with the last weights. What are they in the first round?"),
        "MGDA": Wrong("MGDA", "MGDA computes its weights by a solver of its own. Here no solver runs, and the weights stay as they were in the first round."),
    },
    praise="The weights are equal in the first round, and nothing ever changes them.",
))

register(Exercise(
    slug="reading.turn.proximal",
    task="the gradient of (μ/2) ‖w − w_t‖² at w = w_t, for μ = 0.5",
    right=0,
    wrong={
        "mu": Wrong(0.5, "The gradient is μ (w − w_t). At the start of a round, w − w_t is zero."),
        "half of mu": Wrong(0.25, "The factor μ/2 stands before the square. The gradient is μ (w − w_t), and w − w_t is zero at the start."),
        "one": Wrong(1, "The gradient is μ (w − w_t). Put w = w_t."),
    },
    praise="The gradient is μ (w − w_t), and at the start both models are the same. So the first step does not feel the term.",
))
