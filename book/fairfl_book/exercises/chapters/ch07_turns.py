"""Chapter 7's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="fedfv.turn.meetings",
    task="the number of meetings between clients whose gradients, as sent, are in conflict",
    right=4,
    wrong={
        "pairs": Wrong(2, "Two of the three pairs are in conflict, but each pair meets twice. One client gives way in one meeting, and the other in the other."),
        "all": Wrong(6, "There are six meetings, but not all pairs are in conflict. The dot product of clients 2 and 3 is 0.75 + 1.08."),
        "half": Wrong(3, "Each pair meets twice, so the number is even. Which of the three dot products are negative?"),
    },
    praise="The dot products are −3.19, −7.17 and 1.83. Client 1 is in conflict with each of the other two, and each pair meets twice.",
))

register(Exercise(
    slug="fedfv.turn.louder",
    task="client 1's rate along the mean of the projected gradients, if client 2 sends (−10, 10)",
    right=4,
    wrong={
        "as sent": Wrong(-12, "That is client 1's rate with the gradients as sent. Project both of them first."),
        "chained": Wrong(-16, "You projected client 2 off (2, 2), which is what is left of client 1. A target is always a gradient as it was sent."),
        "client 2": Wrong(50, "That is client 2's rate. Client 1's is the dot product of the mean with (4, 0)."),
        "sum": Wrong(8, "You added what is left of the two gradients. The mean is half of that."),
    },
    praise="It is the same as before. Client 1 is still left with (2, 2), and what is left of client 2, now (0, 10), is still at a right angle to client 1's gradient.",
))

register(Exercise(
    slug="fedfv.turn.other_order",
    task="the client that loses if client 1 meets g₃ first and g₂ second",
    right=3,
    wrong={
        "client 2": Wrong(2, "Client 1 now meets g₂ last, so that conflict stays settled. Which one has come back?"),
        "client 1": Wrong(1, "Client 1's rate is 1.27 in both orders. Look at the client with which its two meetings leave it in conflict."),
    },
    praise="Client 1 ends at (0, −8/5, 2), and its dot product with g₃ is −16/5.",
))

register(Exercise(
    slug="fedfv.turn.order",
    task="what client 3's gradient becomes if it meets g₂ first and g₁ second",
    right=(-2 / 3, 2 / 3, 2 / 3),
    tolerance=0.01,
    wrong={
        "as numbered": Wrong((0, 1, 1 / 2), "Here client 3 meets g₁ first, as in the table. With these losses client 2 comes first, because its loss is the smallest."),
        "one meeting": Wrong((0, 2, 0), "That is client 3 after its meeting with g₂. It still has to meet g₁, and the dot product is −8."),
        "g₁ alone": Wrong((-3 / 2, 1, 1 / 2), "That is client 3 after a meeting with g₁ alone. With these losses it meets g₂ first and g₁ second."),
    },
    praise="The order is 2, 3, 1. Client 3 adds half a copy of g₂, which gives (0, 2, 0). Then it adds a third of a copy of g₁.",
))

register(Exercise(
    slug="fedfv.turn.weight",
    task="client 3's weight, the mean of column 3 of the last square",
    right=16 / 15,
    tolerance=0.01,
    wrong={
        "row": Wrong(2 / 3, "That is the mean of row 3, which is what client 3 holds of all three. Its weight is what all three hold of it: column 3."),
        "sum": Wrong(3.2, "That is the sum of column 3. The server takes the mean, so divide by 3."),
        "own copy": Wrong(1 / 3, "That counts only the copy that client 3 holds itself. The other two hold some as well."),
    },
    praise="It is 3.2 / 3 = 1.07. With FedAvg it would have been 0.33.",
))

register(Exercise(
    slug="fedfv.turn.second_sweep",
    task="how many copies of g₂ client 1 adds when it meets client 2 again",
    right=0.8,
    wrong={
        "the first time": Wrong(1, "That was enough the first time, for a dot product of −4. Now the dot product is −16/5."),
        "dot product": Wrong(3.2, "That is the dot product without its sign. Divide it by the target's squared length, 4."),
        "length": Wrong(1.6, "You divided by the length of g₂. Formula (1) divides by its squared length, 4."),
    },
    praise="The dot product is −16/5, and the squared length is 4. Client 1 moves on to (0, −4/5, 2).",
))

register(Exercise(
    slug="fedfv.turn.far_away",
    task="client 1's share of the weights after one sweep in which it is met last",
    right=1 / 4,
    tolerance=0.005,
    wrong={
        "weight": Wrong(5 / 9, "That is client 1's weight. Divide it by the sum of the three weights."),
        "FedAvg": Wrong(1 / 3, "That is its share with FedAvg. Fill in the table first: client 1 adds 1 / (2/3) copies of each of the other two gradients, and each of the other clients adds 1/3 of a copy of client 1's."),
        "row": Wrong(3 / 5, "You used row 1 of the table, which is what client 1 holds. Its weight is the mean of column 1."),
        "met first": Wrong(5 / 23, "You let clients 2 and 3 meet client 1 first. Client 1 has the largest loss, so it is met last."),
    },
    praise="The weights are 5/9, 5/6 and 5/6.",
))

register(Exercise(
    slug="fedfv.turn.next_step",
    task="where the step from (0, −1) leads",
    right=(0, 1),
    wrong={
        "on": Wrong((0, -3), "At (0, −1) the gradients' second components have the opposite sign, so the step goes the other way."),
        "rest": Wrong((0, 0), "That would be on the Pareto set. But the step again has length 2, and the set is only 1 away."),
        "stays": Wrong((0, -1), "The model would stay if the direction were zero. Its length is that of FedAvg's mean, which is 2.28 here as well."),
    },
    praise="It is the mirror image of the last step, because the losses do not change if w₂ changes its sign.",
))

register(Exercise(
    slug="fedfv.turn.sum",
    task="the rate of the client that sent (−1, −1), along (0, 1)",
    right=-1,
    wrong={
        "protected": Wrong(0, "The rate of the sum is 0 now. The question is about one of its two terms. Take the dot product of (−1, −1) and (0, 1)."),
        "the first": Wrong(1, "That is the rate of the client that sent (−1, 1)."),
        "before": Wrong(-3, "That was its rate before the projection."),
    },
    praise="It has risen from −3, but this client still loses.",
))

register(Exercise(
    slug="fedfv.turn.where",
    task="where the order matters more: on the shards, on the offices, or the same on both",
    right="shards",
    wrong={
        "offices": Wrong("offices", "Nine of the ten offices have similar data and hardly conflict with each other. A meeting without a conflict changes nothing, in any order."),
        "same": Wrong("same", "The order matters only where gradients conflict. Do as many pairs conflict on the offices, where nine clients have similar data, as on the shards?"),
    },
    praise="On the shards most clients hold different digits, so many pairs conflict. On the offices it is mainly the tenth that conflicts with the others.",
))
