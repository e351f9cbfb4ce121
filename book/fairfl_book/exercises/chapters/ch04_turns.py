"""Chapter 4's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="mgda.turn.more_weight",
    task="the weight of client 1 at which both clients gain equally",
    right=0.2,
    wrong={
        "too much": Wrong(0.4, "At 0.4 the direction is (2, 0). Client 2 no longer pays, but it gains nothing either: its rate is 0, and client 1's is 10. "
                               "Give client 2 still more weight."),
        "close": Wrong(0.3, "Close. The rates are 6 and 1, so both clients gain, but not equally."),
        "the mean": Wrong(0.5, "This is the mean, along which client 2 pays. Try one of the smaller weights."),
    },
    praise="The direction is (1, 1), and both rates are 2.",
))

register(Exercise(
    slug="mgda.turn.longer_gradient",
    task="whether the rates stay equal, and whether client 1's rate doubles",
    right=(True, False),
    wrong={
        "doubles": Wrong((True, True), "They are equal again, but think of the weights: the longer gradient gets less weight than before. Compute them."),
        "not equal": Wrong((False, True), "The rule does not keep the old weights. It looks for the shortest combination again, and that one gives client 1 a smaller weight."),
        "neither": Wrong((False, False), "Client 1's rate does not double. But compute both rates at the new shortest combination, and compare them."),
    },
    praise="Both rates are 2.44, and so is the squared length. Client 1 doubled its gradient, and client 2 gained exactly as much from it as client 1 did.",
))

register(Exercise(
    slug="mgda.turn.third_client",
    task="the client at the corner opposite to the side with the nearest point",
    right=1,
    wrong={
        "the old side": Wrong(3, "Then (1, 1) would still be the nearest point. But the tip of g₃ itself has the length 1, which is less than that of (1, 1)."),
        "the short side below": Wrong(2, "The side from g₁ to g₃ leads away from the origin. The side from g₂ to g₃ passes nearer to it."),
    },
    praise="The nearest point lies on the side from g₂ to g₃.",
))

register(Exercise(
    slug="mgda.turn.who_has_weight",
    task="the largest number of clients that can have weight",
    right=2,
    wrong={
        "nearly equal": Wrong(3, "A client with weight has exactly the guaranteed rate, and 0.9 is more than that. Nearly equal is not equal."),
        "all": Wrong(4, "Clients with weight all have the same rate, the smallest one. Only two of these rates are as small as that."),
        "one": Wrong(1, "It can be one, but it can be more: every client with the smallest rate may have weight."),
    },
    praise="Only clients 1 and 4 have the smallest rate, so only they can have weight, and the squared length of the direction is 0.8.",
))

register(Exercise(
    slug="mgda.turn.first_step",
    task="the client whose rate along (2, −1/3) is smallest",
    right=2,
    wrong={
        "largest": Wrong(1, "Client 1 has the largest rate, 11. The walk goes to the client that has the smallest."),
        "smallest positive": Wrong(3, "Client 3 has the rate 2, but one client has less: a negative rate is smaller than any positive one."),
    },
    praise="The rates are 11, −2/3 and 2, so client 2 is the slowest: its loss even rises.",
))

register(Exercise(
    slug="mgda.turn.guaranteed_fall",
    task="the fall that (8) guarantees to every client, for η = 1/4 and ‖dir‖² = 2",
    right=0.25,
    wrong={
        "the rate's": Wrong(0.5, "This is η times the rate, the fall to first order. Bending can take away half of it."),
        "no step": Wrong(1.0, "This is half of the squared length. Multiply it by the step size as well."),
        "eta is L": Wrong(4.0, "This uses 4 as the step size, but 4 is L. The largest step that (8) allows is 1/4."),
    },
    praise="Each loss falls by 1/4 or more, whichever client you ask.",
))

register(Exercise(
    slug="mgda.turn.ends",
    task="the number of different points at which MGDA's four paths end",
    right=4,
    wrong={
        "one": Wrong(1, "A weighted sum has one minimiser, and so the mean's paths end together. MGDA chooses new weights at every step. It does not pursue a fixed target."),
        "two": Wrong(2, "MGDA stops at the first Pareto stationary point that it meets. There are infinitely many of them, and four different starts meet different ones."),
    },
    praise="Four starts, four ends. See them in the figure.",
))

register(Exercise(
    slug="mgda.turn.mean_accuracy",
    task="whether the mean accuracy rises, stays or falls",
    right="falls",
    wrong={
        "rises": Wrong("rises", "One office of ten gains 62 points, which alone would lift the mean by 6. But the nine others have about 10 points less, and they are many."),
        "stays": Wrong("stays", "It would be a coincidence if the nine offices together lost exactly what the tenth one gains. They lose more."),
    },
    praise="It falls from 90 % to 87 %.",
))

register(Exercise(
    slug="mgda.turn.short_gradient",
    task="client 1's weight for perpendicular gradients of the lengths 10 and 1",
    right=0.01,
    tolerance=0.006,
    wrong={
        "not squared": Wrong(1 / 11, "This would be right if weights were inversely proportional to lengths. Formula (1) has squared lengths: A₁₁ = 100 and A₂₂ = 1."),
        "the long one": Wrong(100 / 101, "This is client 2's weight. The shorter gradient gets more."),
        "equal": Wrong(0.5, "With equal weights the rates are 50 and 0.5. The shortest combination makes them equal."),
    },
    praise="Client 2 has 99 % of the weight, and both clients have the rate 0.99.",
))
