"""Chapter 9's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="newton.turn.dots_on_the_start",
    task="how many of the thirteen models are at the start, with one minimiser for two clients and with two",
    right=(1, 7),
    wrong={
        "without the start": Wrong((0, 6), "The start itself is one of the thirteen models, in both panels."),
        "six": Wrong((1, 6), "Nearly. With two minimisers, the start itself counts as well as rounds 2, 4 and so on up to 12."),
        "swapped": Wrong((7, 1), "It is the other way round. With one minimiser the model never comes back. With two it has only two points to be at."),
        "alike": Wrong((1, 1), "With one minimiser, yes. With two, the model moves in every round, and it has only two points to be at. Where does round 2 "
                               "lead?"),
        "half": Wrong((7, 7), "With two minimisers, yes. With one, the model comes to rest at the second point and never comes back."),
    },
    praise="With one minimiser the model never comes back. With two it is back after every even round.",
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
    slug="newton.turn.shadow",
    task="the distance to the minimiser after a full step, for the error (3, 4, 12) and the gradients (1, 0, 0) and (0, 2, 0)",
    right=12.0,
    wrong={
        "the step": Wrong(5.0, "5 is the length of the step (3, 4, 0). The question is what remains of the error."),
        "arrived": Wrong(0.0, "Two gradients span only a plane. The part of the error that is perpendicular to this plane remains."),
        "difference of lengths": Wrong(8.0, "You subtracted the length of the step, 5, from 13. Subtract the vectors: e − u."),
        "not projected": Wrong(13.0, "This is the distance before the step. The part of the error in the plane of the gradients goes away."),
    },
    praise="The step removes (3, 4, 0), and (0, 0, 12) remains.",
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
        "as asked": Wrong(4.0, "That is the rate that the server prescribes. Compute g₂ · u: the gradients are (0, −4) and (0, −2)."),
        "sign": Wrong(-2.0, "Client 2 gains as well. Both gradients point the same way, so their dot products with u have the same sign."),
        "twice": Wrong(8.0, "The other way round: client 2's gradient is half as long as client 1's."),
        "depends": Wrong(0.0, "From −4 u₂ = 4 it follows that u₂ = −1. Now compute −2 u₂."),
    },
    praise="From −4 u₂ = 4 it follows that u₂ = −1, and client 2's rate is −2 u₂ = 2, whatever u₁ is.",
))

register(Exercise(
    slug="newton.turn.refute",
    task="where the step w − ½ dir leads from w = ½, for one client with f = ½ w²",
    right=-0.5,
    wrong={
        "full step": Wrong(0.0, "That is where the full step u = ½ leads. Here dir = 1/w = 2, and the step is half of it."),
        "gradient step": Wrong(0.25, "You subtracted half of the gradient. The paper's step is half of dir, and dir = 1/w = 2."),
        "whole dir": Wrong(-1.5, "You subtracted all of dir. The step size is ½."),
        "the step": Wrong(1.0, "1 is the length of the step. Subtract it from w = ½."),
        "uphill": Wrong(1.5, "You added the step. The server subtracts it."),
        "stays": Wrong(0.5, "The step has length 1, so the model moves."),
    },
    praise="Here dir = 1/w = 2, and half of it is 1.",
))

register(Exercise(
    slug="newton.turn.without_curvature",
    task="the round in which gradient rates halve the tenth office's training loss: 3, 9 or 19",
    right=3,
    wrong={
        "like AdaFed": Wrong(9, "AdaFed takes its rates from the losses. The variant takes them from the gradients, and its first step is exactly DQN-Fed's."),
        "like FedAvg": Wrong(19, "FedAvg averages the gradients. The variant prescribes a rate for every office, and its first step is exactly DQN-Fed's."),
    },
    praise="It is as fast as DQN-Fed.",
))
