"""Chapter 10's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="picture.turn.tall_bar",
    task="the share of the client with the one tall bar in Figure 10.1's lower row",
    right=0.0,
    tolerance=1e-3,
    wrong={
        "height": Wrong(1.3, "1.3 is about the height of the bar itself. Look at the upper row, in the same column and for the same client"),
        "mean": Wrong(0.1, "0.1 is the mean of ten shares. Look for the client whose lower bar is tallest, and for the same client in the upper row"),
        "largest": Wrong(0.17, "0.17 is about the largest share under this rule. The tall bar belongs to another client: look straight above it"),
        "negative": Wrong(-0.2, "−0.2 is a share under DQN-Fed, and all lower bars of that rule are at 1. The tall bar is FedMGDA+'s"),
    },
    praise="There is no bar at all: the client's share is zero",
))

register(Exercise(
    slug="picture.turn.held_back",
    task="how many times client 1's rate is its due, for λ = (0, 1/3)",
    right=1.5,
    tolerance=1e-2,
    wrong={
        "rate": Wrong(1 / 3, "1/3 is client 1's rate, (1, 0) · (1/3, 1/3). Divide it by what the client is owed, 2/9"),
        "exactly": Wrong(1.0, "Client 2 gets exactly what it is owed. Compute client 1's rate: g₁ · dir with dir = (1/3, 1/3)"),
        "inverse": Wrong(2 / 3, "2/3 is what it is owed divided by what it gets. The question is the other way round"),
        "difference": Wrong(1 / 9, "1/9 is the difference of what it gets and what it is owed. The question asks for the quotient"),
        "half": Wrong(0.5, "1/2 compares client 1's rate with client 2's. Compare it with what client 1 is owed, 2/9"),
    },
    praise="It gets 1/3 instead of 2/9, and nothing of this comes from its own weight",
))

register(Exercise(
    slug="picture.turn.whole_share",
    task="the weights μ that give client 3 the whole share, for the scales 1, 2 and 4",
    right=(0.0, 0.0, 0.25),
    wrong={
        "shares": Wrong((0, 0, 1), "These are the shares ν. Client 3's share is 1 = s₃ μ₃ = 4 μ₃. Solve this for μ₃"),
        "multiplied": Wrong((0, 0, 4), "You multiplied by the scale. The share is ν₃ = s₃ μ₃, so μ₃ is the share divided by s₃"),
        "everybody": Wrong((1, 0.5, 0.25), "Each of these weights is a whole share, so the shares add up to 3. Only client 3 has a share here"),
        "equal": Wrong((1 / 3, 1 / 3, 1 / 3), "These weights are equal, but client 3 is to have the whole share, and the others none"),
    },
    praise="Client 3's share is 4 · ¼ = 1",
))

register(Exercise(
    slug="picture.turn.corner",
    task="the weight λ₂ in FedFV's projection of g₁ = (3, 0) against g₂ = (−1, 1)",
    right=1.5,
    tolerance=1e-2,
    wrong={
        "dot product": Wrong(3.0, "3 is minus the dot product. It still has to be divided by the squared length of g₂, which is 2"),
        "own length": Wrong(1 / 3, "You divided by the squared length of g₁. The projection divides by that of g₂: adding λ₂ g₂ changes client 2's "
                                   "rate by λ₂ ‖g₂‖²"),
        "length": Wrong(3 / 2**0.5, "You divided by the length of g₂. Client 2's rate is −3 + λ₂ ‖g₂‖², with the square"),
        "sign": Wrong(-1.5, "The weight is never negative. Client 2's rate along g₁ is −3, and it grows when g₂ is added"),
        "figure": Wrong(1.0, "1 is the weight in Figure 10.2, where g₁ = (2, 0). Here client 2's rate along g₁ is −3"),
    },
    praise="Then client 2's rate is −3 + 1.5 · 2 = 0",
))

register(Exercise(
    slug="picture.turn.window",
    task="the largest s₂/s₁ at which both sets agree, for g₁ = (2, 0) and g₂ = (1, 2)",
    right=2.5,
    tolerance=1e-2,
    wrong={
        "lower end": Wrong(0.5, "0.5 = A₁₂ / A₁₁ is the smallest ratio. The largest is what client 2 gets, compared with client 1, if only client 2 "
                                "is served"),
        "lengths": Wrong(1.25, "You divided A₂₂ by A₁₁. If only client 2 is served, client 1's rate is A₁₂, not A₁₁"),
        "inverse": Wrong(0.4, "0.4 is A₁₂ / A₂₂. The ratio has client 2's rate on top"),
        "product": Wrong(2.0, "2 is A₁₂, and also the end of the window in Figure 10.3. For the new pair, divide A₂₂ = 5 by A₁₂"),
        "squared length": Wrong(5.0, "5 is A₂₂, client 2's rate if only client 2 is served. Divide it by client 1's rate, A₁₂"),
    },
    praise="A₁₂ = 2 and A₂₂ = 5",
))

register(Exercise(
    slug="picture.turn.wall",
    task="client 2's loss where a line of slope 1 from (7, 4) meets f₁ = 4 f₂",
    right=1.0,
    tolerance=0.01,
    wrong={
        "difference": Wrong(3.0, "3 is the conserved difference f₁ − f₂. On the edge f₁ = 4 f₂, so the difference is 3 f₂"),
        "client 1": Wrong(4.0, "That is client 1's loss at the wall. Client 2's is a quarter of it"),
        "quarter": Wrong(0.75, "You divided the difference by 4. On the edge f₁ − f₂ = 4 f₂ − f₂ = 3 f₂"),
        "arrives": Wrong(0.0, "The run does not arrive at the tip. It keeps f₁ − f₂ = 3, and at the tip the difference would be 0"),
        "fifth": Wrong(0.6, "You divided the difference by 5. On the edge f₁ − f₂ = 4 f₂ − f₂ = 3 f₂"),
        "start over four": Wrong(1.75, "You divided client 1's loss at the start by 4. But client 1's loss falls, too, before the run reaches the edge"),
        "figure": Wrong(0.78, "0.78 is client 2's loss where the run of Figure 10.4 stops. This run has another start"),
    },
    praise="Client 1's loss is then 4, and the difference is 3, as at the start",
))

register(Exercise(
    slug="picture.turn.who_made_pay",
    task="the rule under which a client ends with a larger loss in Figure 10.5",
    right="FedAvg",
    wrong={
        "AdaFed": Wrong("AdaFed", "AdaFed stops at a wall, which is another fault: nobody has paid there. Look for a point outside the striped square "
                                  "on the right"),
        "FedMGDA": Wrong("FedMGDA", "FedMGDA ends inside the striped square, so both losses have fallen"),
        "FedFV": Wrong("FedFV", "FedFV ends inside the striped square, so both losses have fallen. Look for a point outside"),
        "DQN-Fed": Wrong("DQN-Fed", "DQN-Fed is not among the four rules of Figure 10.5. Look for a point outside the striped square"),
    },
    praise="Its path leaves the striped square at the top",
))

register(Exercise(
    slug="picture.turn.half",
    task="client 2's true rate divided by client 1's, when client 2 sends half of its gradient (1, 1) and dir = (1/2, 1/2)",
    right=2.0,
    tolerance=1e-2,
    wrong={
        "sent": Wrong(1.0, "1 is the quotient for the gradients that were sent. Client 2's true gradient is (1, 1), not (1/2, 1/2)"),
        "inverse": Wrong(0.5, "1/2 is client 1's rate, and also client 1's rate divided by client 2's. The question is the other way round"),
        "squared": Wrong(4.0, "4 is the lie twice. The direction is (1/2, 1/2) for both clients: compute (1, 1) · dir and (1, 0) · dir"),
    },
    praise="Client 2's rate is still 1, and client 1's has fallen from 1 to 1/2",
))

register(Exercise(
    slug="picture.turn.advice",
    task="the rows of the table that fit (a) no loser and nothing to gain by rescaling, (b) equal percentages, (c) the mean alone",
    right=(3, 5, 1),
    wrong={
        "sends less": Wrong((4, 5, 1), "In (a), no client loses with FedMGDA either. But it owes every client the same rate, in terms of what the "
                                       "client sent. A client that sends a shorter gradient gets more: look at the last column"),
        "outvoted": Wrong((8, 5, 1), "In (a), FedAvg-n cannot be moved by rescaling. But it promises little: a client that is outvoted loses"),
        "same amount": Wrong((3, 4, 1), "In (b), FedMGDA promises the same least *amount* to everybody. The same percentage means that gains are in "
                                        "proportion to the losses"),
        "large losses": Wrong((3, 2, 1), "In (b), row 2 gives large losses more weight. But it promises only a weighted mean, and nothing about any "
                                         "single loss"),
        "alone": Wrong((3, 6, 1), "In (b), DQN-Fed's gains are in proportion to what each client could gain alone. A percentage of the loss is in "
                                  "proportion to the loss"),
        "conflicts": Wrong((3, 5, 7), "In (c), FedFV limits what conflicts cost. This group does not ask for it: only the mean counts"),
        "deaf": Wrong((3, 5, 8), "In (c), FedAvg-n helps against clients that send too much. This group trusts its clients, and FedAvg-n does not promise "
                                 "that the mean falls"),
    },
    praise="Row 3 protects without proportions, row 5 keeps proportions until it meets a wall, and row 1 protects no single client",
))
