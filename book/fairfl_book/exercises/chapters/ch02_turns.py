"""Chapter 2's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="prox.turn.many_steps",
    task="where the thermostat rests with 150 local steps, compared with 18.55 °C",
    right="higher",
    wrong={
        "same": Wrong("same", "The losses and the weights are the same, and yet the resting point is not. Which client can still move a lot after its first few steps?"),
        "lower": Wrong("lower", "Client 1 pulls hardest on its first step. But it arrives soon, and then the other two keep walking."),
    },
    praise="With 150 steps the thermostat rests at 20.70 °C. Now look who pays for it.",
))

register(Exercise(
    slug="prox.turn.leash",
    task="where client 2 ends on the leash η = 1 from w = 8",
    right=2.0,
    wrong={
        "minimiser": Wrong(0.0, "At 0 client 2's loss is smallest, but it would also have to pay 32 for the distance. Set the slope of the whole cost to zero."),
        "gradient step": Wrong(-16.0, "This is a gradient step with the slope at w = 8. The leash is balanced by the slope at the end: 3x + (x − 8) = 0."),
        "leash forgotten": Wrong(8 / 3, "Almost. In 3x + (x − 8) = 0 there are four x, not three."),
        "old start": Wrong(1.0, "This is where client 2 ends from w = 4. Now it starts from 8."),
    },
    praise="It solves 3x + (x − 8) = 0.",
))

register(Exercise(
    slug="prox.turn.kink",
    task="where a client with the loss |x| ends from w = 1.5 on the leash η = 2",
    right=0.0,
    wrong={
        "past the kink": Wrong(-0.5, "This would be right if the slope stayed 1. But the cost at −0.5 is 0.5 + 1 = 1.5, and a point nearer to w has a smaller cost."),
        "stays": Wrong(1.5, "If it stays, its cost is 1.5. Any short step to the left lowers it."),
        "short leash": Wrong(1.0, "The leash's price is (x − 1.5)² / 4, because 2η = 4. The cost at 1 is 1.06, and it can be lower."),
    },
    praise="The costs at 1.5, 0 and −0.5 are 1.5, 0.5625 and 1.5.",
))

register(Exercise(
    slug="prox.turn.split",
    task="the mean cost in (5) of the split 7 and 1 of x = 4",
    right=7.5,
    wrong={
        "sum": Wrong(15.0, "This is the sum of the two costs, 9 and 6. In (5) each has the weight one half."),
        "no leash": Wrong(3.0, "This is the mean of the two losses at 7 and 1. Add the price of the distance, ½ · 3² for each client."),
        "stay": Wrong(21.0, "This is the mean loss if both stay at 4. At 7 and 1 the losses are 4.5 and 1.5."),
    },
    praise="The costs are 9 and 6, as in the example with the leash, and their mean is 7.5.",
))

register(Exercise(
    slug="prox.turn.ends",
    task="where the proximal average is smallest for η → 0 and for η → ∞",
    right=(2.5, 5.0),
    wrong={
        "exchanged": Wrong((5.0, 2.5), "The other way round. On a short leash the softened curvatures are the curvatures themselves."),
        "plain mean": Wrong((5.0, 5.0), "As η → 0 the weights in (8) are the curvatures 1 and 3, so client 2 counts three times as much."),
        "curvature stays": Wrong((2.5, 2.5), "As η grows, h / (1 + ηh) comes near 1/η for every client, and the curvature drops out."),
        "at η = 1": Wrong((4.0, 4.0), "4 is the resting point for η = 1. The two limits lie on either side of it."),
    },
    praise="The weights are (1, 3) at first and equal in the end.",
))

register(Exercise(
    slug="prox.turn.pull",
    task="the part of the way to c that two local steps with ℓh = 0.2 cover",
    right=0.36,
    wrong={
        "what is left": Wrong(0.64, "This is the part that is left, 0.8². The pull is the part that is covered."),
        "added": Wrong(0.4, "The second step covers a fifth of what is left after the first one, which is less than the whole way."),
        "product": Wrong(0.04, "0.2² would be a part of a part. After the two steps, 0.8² of the way is left."),
    },
    praise="What is left is 0.8² = 0.64 of the way.",
))

register(Exercise(
    slug="prox.turn.reach",
    task="which of η = 7, 70 and 700 leads nearest to 20.70 °C",
    right=70.0,
    wrong={
        "shortest leash": Wrong(7.0, "With η = 7 the rounds rest at 19.88 °C. On a longer leash they get higher."),
        "longest leash": Wrong(700.0, "With η = 700 the rounds rest at 20.37 °C, near the mean of the favourites. On a shorter leash they get higher."),
    },
    tolerance=1e-3,
    praise="The highest resting point of all is 20.49 °C, with η near 68. FedAvg rests 0.2 degrees above it.",
))

register(Exercise(
    slug="prox.turn.fedprox",
    task="where FedProx rests with μ = 1 and 150 local steps",
    right=18.92,
    wrong={
        "no leash": Wrong(20.70, "This is where FedAvg rests. The leash keeps client 1 from going all the way home."),
        "μ = 1/3": Wrong(19.40, "This is the result for μ = 1/3. With μ = 1 the leash is η = 1/μ = 1."),
        "curvature plus μ": Wrong(19.85, "You added μ to each curvature. Formula (8) divides instead: h / (1 + ηh) with η = 1/μ."),
        "mean loss": Wrong(18.55, "The mean loss is smallest here, and the rounds approach this point only as the leash becomes very short."),
    },
    tolerance=1e-3,
    praise="The leash is η = 1/μ = 1, and the proximal average with η = 1 is smallest at 18.92 °C.",
))
