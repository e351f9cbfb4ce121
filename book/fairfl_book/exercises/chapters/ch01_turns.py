"""Chapter 1's turns."""

from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.exercises.turns import register

register(Exercise(
    slug="fl.turn.mean",
    task="the fall of the mean over ten offices, in percentage points",
    right=5.0,
    tolerance=0.11,
    wrong={
        "the office's own": Wrong(50.0, "This is the tenth office's own loss. It is one of ten offices, so the mean falls by a tenth of it."),
        "sign": Wrong(-5.0, "The question asks by how much the mean falls, so the answer is positive."),
        "as a fraction": Wrong(0.05, "This is a fraction. In percentage points it is a hundred times as much."),
        "twice": Wrong(10.0, "The tenth office holds a fifth of the images, but in this mean each office counts once, so it counts one tenth."),
    },
    praise="It falls by a tenth of 50 points.",
))

register(Exercise(
    slug="fl.turn.shards",
    task="the largest number of different digits in two shards",
    right=4,
    wrong={
        "one each": Wrong(2, "A shard can begin with the last images of one digit and go on with the first images of the next."),
        "three": Wrong(3, "If one shard can contain a border between two digits, the other can as well."),
        "all": Wrong(20, "There are twenty shards, but only ten digits, and the client is dealt two shards."),
        "many": Wrong(10, "A shard has about half as many images as a digit, so it cannot contain more than two digits."),
    },
    praise="Each shard can contain one border between two digits, so two shards can hold four.",
))

register(Exercise(
    slug="fl.turn.second_step",
    task="the server's mean after two local steps",
    right=1.875,
    wrong={
        "one step": Wrong(1.0, "This is the mean after one step. Let each client take another step from where its first one led."),
        "twice the first": Wrong(2.0, "This repeats the first steps. But a client's second step starts nearer to what it wants, so it is shorter."),
        "from the mean": Wrong(1.6875, "Here both clients take the second step from the server's mean, 1. But the server has not averaged yet. Client 1 starts from 2, and client 2 from −2."),
        "equal weights": Wrong(0.25, "The clients come to 3.5 and −3, but they do not count equally. Client 1 has the weight 3/4."),
        "weights swapped": Wrong(-1.375, "You gave client 1 the weight 1/4. It has 3/4."),
        "one client": Wrong(3.5, "This is where client 1 arrives. The server takes the weighted mean with client 2's model."),
        "the other client": Wrong(-3.0, "This is where client 2 arrives. The server takes the weighted mean with client 1's model."),
        "slope without the 2": Wrong(2.1875, "For client 2 you used the slope w + 4 in the second step. The loss (w + 4)² has the slope 2 (w + 4)."),
    },
    praise="The second steps lead to 2 − (2 − 8)/4 = 3.5 and −2 − 2 (−2 + 4)/4 = −3.",
))

register(Exercise(
    slug="fl.turn.pseudo",
    task="w_t minus the model of client 1 after two steps",
    right=-3.5,
    wrong={
        "downhill": Wrong(3.5, "This is what the client added to the model. The pseudo-gradient is what it subtracted."),
        "one step": Wrong(-2.0, "This is the pseudo-gradient after one step, which led to 2."),
        "its gradient": Wrong(-8.0, "This is client 1's gradient at 0. The pseudo-gradient contains the step size and both steps."),
        "times two": Wrong(-4.0, "This is twice the first step. The second step started from 2, where the slope is smaller."),
        "the server's": Wrong(-1.875, "This is the server's whole step, the weighted mean of both pseudo-gradients. The question is about client 1."),
    },
    praise="It is 0 − 3.5. Client 2's is 3, and the server's step against their weighted mean leads to 1.875.",
))

register(Exercise(
    slug="fl.turn.rounds",
    task='the round in which the tenth office reaches 73 % with twenty local epochs, or "longer"',
    right="longer",
    wrong={
        "same": Wrong(10, "After ten rounds it has 23 %. That is the right-hand side of Figure 1.1."),
        "sooner": Wrong(1, "The nine hold four fifths of the data and have never seen an 8 or a 9. In twenty epochs they learn never to answer 8 or 9."),
        "twice": Wrong(20, "After 20 rounds it has about a half."),
        "all of them": Wrong(40, "Close, but after 40 rounds it has only 68 %."),
    },
    praise="Even after 40 rounds it has only 68 %.",
))

register(Exercise(
    slug="fl.turn.share",
    task="the tenth office's share with which the model rests at 50 after 50 local epochs",
    right=0.5,
    tolerance=0.011,
    wrong={
        "as with one": Wrong(0.25, "This is enough with one local epoch, where the more curved loss counts three times. With 50 epochs the model then rests at about 25."),
        "its own": Wrong(0.2, "With this share the model rests at about 20 after 50 local epochs."),
        "curved the wrong way": Wrong(0.75, "With three quarters of the data the model would rest at about 75."),
        "as a place": Wrong(50, "This is where the model rests. The share is a number between 0 and 1."),
    },
    praise="Half of the data for half of the way: after so many steps only the share counts.",
))

register(Exercise(
    slug="fl.turn.drawn",
    task="the first client's weight if the clients with 100 and 300 images are drawn",
    right=0.25,
    wrong={
        "of all": Wrong(0.1, "This is the client's share of all images. The third client is not drawn, so divide by what is left, 0.1 + 0.3."),
        "equal": Wrong(0.5, "The two clients do not count equally. The second one holds three times as many images."),
        "a third": Wrong(1 / 3, "This divides 100 by 300. Divide by the images of both drawn clients, 400."),
        "the other": Wrong(0.75, "This is the second client's weight."),
    },
    praise="It is 100 / (100 + 300).",
))

register(Exercise(
    slug="fl.turn.jain",
    task="Jain's index for nine accuracies of 1 and one of 0",
    right=0.9,
    wrong={
        "unfair": Wrong(0.0, "Use the formula. The sum of the accuracies is 9, and so is the sum of their squares."),
        "not divided": Wrong(9.0, "This is 81 / 9. Divide by the number of clients as well."),
        "mean squared": Wrong(0.81, "This is the square of the mean. Divide it by the mean of the squares, which is 0.9."),
        "one in N": Wrong(0.1, "The index is 1/N if a single client has everything. Here nine clients have it."),
        "of nine": Wrong(1.0, "The client with 0 counts as well, so N is 10."),
    },
    praise="It is 9² / (10 · 9). In general the index is m/N if m of N clients have the same and the others nothing.",
))

register(Exercise(
    slug="fl.turn.luck",
    task="100 times the root of 0.9 · 0.1 / 20",
    right=6.7,
    tolerance=0.04,
    wrong={
        "as a fraction": Wrong(0.067, "This is a fraction. In percentage points it is a hundred times as much."),
        "the variance": Wrong(0.0045, "This is the variance a (1 − a) / m. Take its square root, and then percentage points."),
        "the variance in points": Wrong(0.45, "This is a hundred times the variance. Take the square root first."),
        "not divided": Wrong(30.0, "This is the spread for a single test image. Divide the variance by 20."),
        "a coin": Wrong(11.2, "This is the spread for a = 0.5. Here a (1 − a) is 0.09."),
    },
    praise="The root of 0.09 / 20 is 0.067.",
))
