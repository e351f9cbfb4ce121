"""Chapter 9's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="newton.turn.count_the_dots",
    task="how many different points the path has with one minimiser for two clients, and with two",
    right=(2, 2),
    wrong={
        "without the start": Wrong((1, 2), "Below, yes. Above on the right, count the start as well. The model leaves it in the first round."),
        "one dot each": Wrong((1, 1), "Count the start as well, in both panels. The model leaves it in the first round."),
        "all dots": Wrong((13, 13), "All the dots are drawn, but many of them lie on top of each other. How many points can you tell apart?"),
        "twelve rounds, twelve hops": Wrong((2, 13), "Above on the right, yes. Below, many dots lie on top of each other. Where does the second round lead?"),
        "three below": Wrong((2, 3), "Above on the right, yes. Below, follow the first round from the start to its end. The second round begins there. "
                                     "Where does it lead?"),
    },
    praise="The other eleven dots of each panel lie on top of these two.",
))

register(Exercise(
    slug="newton.turn.real_fall",
    task="by how much client 1's loss falls along its Newton step from (1, 1)",
    right=2.5,
    wrong={
        "the rate": Wrong(5.0, "5 is the rate. The loss would fall by 5 if the slope stayed as steep as it is at the start."),
        "the end": Wrong(0.0, "That is the loss at the end. The fall is the loss at the start minus the loss at the end."),
        "sign": Wrong(-2.5, "That is the change of the loss. A fall is counted as positive."),
        "the twin": Wrong(4.5, "You took the twin's loss at the start. The twin still has a loss of 2 at the end, so it falls by less than that."),
    },
    praise="It falls from 2.5 to 0.",
))

register(Exercise(
    slug="newton.turn.both_clients",
    task="where the full step of both clients leads from (1, 1)",
    right=(0.0, 0.0),
    wrong={
        "the step": Wrong((1.0, 1.0), "This is the step u. Now subtract it from the model."),
        "the sum": Wrong((-8 / 17, -8 / 17), "You added the shortest steps of the two clients. Each client then has the rate 7.35, because the other one's "
                                             "step also lowers its loss."),
        "the mean": Wrong((9 / 34, 9 / 34), "You averaged the shortest steps of the two clients. Both rates are then 3.68 and not 5."),
        "client 1": Wrong((12 / 17, -3 / 17), "This is where client 1 alone leads. Client 2's equation has to hold as well."),
    },
    praise="The step is (1, 1).",
))

register(Exercise(
    slug="newton.turn.one_client",
    task="where the full step of client 1 alone leads from (2, 1), with H = diag(1, 4)",
    right=(1.2, -0.6),
    wrong={
        "newton": Wrong((0.0, 0.0), "That is where the Newton step H⁻¹ g leads. DQN-Fed takes its rate from Newton, but it walks along g."),
        "the loss": Wrong((1.6, 0.2), "You divided 4 by 20, and 4 is the loss. The rate is twice as large."),
        "not divided": Wrong((-14.0, -31.0), "Divide by ‖g‖² = 20 as well. Your step gives the client the rate 160 and not 8."),
        "the step": Wrong((0.8, 1.6), "This is the step u. Now subtract it from the model."),
        "uphill": Wrong((2.8, 2.6), "This is w + u. The gradient points uphill, so the server subtracts."),
    },
    praise="The step is 0.4 times the gradient.",
))

register(Exercise(
    slug="newton.turn.half_as_many",
    task="how many rounds 25 clients with 50 parameters need",
    right=14,
    wrong={
        "two": Wrong(2, "Two rounds would be enough if the new gradients spanned just those 25 directions that the first round left over. They point "
                        "elsewhere, so some error remains."),
        "hardly fewer": Wrong(24, "That would mean that 15 more clients hardly help. In every round they span 15 more directions."),
    },
    praise="Now compare it with other numbers of clients in the figure.",
))

register(Exercise(
    slug="newton.turn.next_height",
    task="the height at which the full step from (0, 1/3) ends",
    right=-3.0,
    wrong={
        "mirrored": Wrong(-1 / 3, "This would give both clients the rate 2/9. They have to have the rate 1 + 1/9."),
        "sign": Wrong(3.0, "The size is right. The gradients point upwards from the minimisers, and the server goes the other way."),
        "the step": Wrong(10 / 3, "10/3 is the length of the step. Subtract it from the height 1/3."),
        "uphill": Wrong(11 / 3, "You added the step. The server subtracts it."),
        "the minimisers": Wrong(0.0, "There the model would be between the minimisers. The step that leads there gives both clients the rate 1/9 only."),
        "the example": Wrong(-0.5, "This is where the step from height 2 leads."),
    },
    praise="Both rates are 10/9, the equation is u₂/3 = 10/9, and so u₂ = 10/3.",
))

register(Exercise(
    slug="newton.turn.right_angle",
    task="the distance from w₀ to w₂ after steps of the lengths 5 and 4",
    right=3.0,
    wrong={
        "difference": Wrong(1.0, "You subtracted the lengths. That is right if the second step goes straight back, but there is a right angle at the end of it."),
        "squared": Wrong(9.0, "9 is the squared distance."),
        "wrong angle": Wrong(41**0.5, "You took the right angle to be between the two steps. It is at the end of the second one, so the first step is the longest side."),
        "straight back": Wrong(0.0, "Then both steps would be equally long."),
    },
    praise="The first step is the longest side of the triangle, and 5² − 4² = 3².",
))

register(Exercise(
    slug="newton.turn.at_the_wall",
    task="client 2's rate along a step that gives client 1 the rate 4, at (0, −1)",
    right=2.0,
    wrong={
        "as asked": Wrong(4.0, "That is what the server wants. Compute g₂ · u: the gradients are (0, −4) and (0, −2)."),
        "sign": Wrong(-2.0, "Client 2 gains as well. Both gradients point the same way, so their dot products with u have the same sign."),
        "twice": Wrong(8.0, "The other way round: client 2's gradient is half as long as client 1's."),
        "depends": Wrong(0.0, "From −4 u₂ = 4 it follows that u₂ = −1. Now compute −2 u₂."),
    },
    praise="From −4 u₂ = 4 it follows that u₂ = −1, and client 2's rate is −2 u₂ = 2, whatever u₁ is.",
))

register(Exercise(
    slug="newton.turn.tenth_office",
    task="the rule that halves the tenth office's training loss first",
    right="DQN-Fed",
    wrong={
        "AdaFed": Wrong("AdaFed", "Its rates follow the losses, and the tenth office's is not much larger than the others' at the start. Look at the figure."),
        "FedAvg": Wrong("FedAvg", "FedAvg is the slowest here. The nine have nine times the tenth office's weight."),
    },
    praise="But look at the figure before you thank the curvature for it.",
))
