"""The fifteen questions. Beyond calculus and linear algebra they use only words that their notebook explains, so they can be asked before and after a course."""

from fairfl_book.misconceptions.question import LETTERS, Choice, Question


def _question(slug: str, chapter: str, section: str, text: str, *choices: str | tuple[str, str, str]) -> Question:
    """A question. A choice is a text if it is right, else its text, the name of the misconception and the reply."""
    made = [Choice(choice) if isinstance(choice, str) else Choice(*choice) for choice in choices]
    return Question(slug, chapter, section, text, dict(zip(LETTERS, made, strict=True)))


QUESTIONS = (
    _question(
        "questions.mean",
        "01_federated_learning",
        "Local epochs",
        "One model serves ten clients. The mean of their ten accuracies is 90 %. What does this tell you about the client that is served worst?",
        (
            "Its accuracy is near 90 %, because a mean is close to most of its numbers.",
            "everybody is near the mean",
            "Nine clients at 100 % and one at 0 % have a mean of 90 % as well. In chapter 1, the tenth office falls to 23 % while the mean stays at 90 %.",
        ),
        (
            "It is treated fairly, because every client counts the same in the mean.",
            "an average is fair",
            "A mean counts every client once, but it does not show that one client loses what others gain. In chapter 1, two models have a mean of 90 %. "
            "The tenth office has 73 % with one of them and 23 % with the other.",
        ),
        "Only that its accuracy is at most 90 %.",
        (
            "Its accuracy is at least 50 %, because otherwise the mean would be lower.",
            "the mean protects the worst",
            "If nine clients are at 100 %, the tenth can be at 0 %, and the mean is still 90 %.",
        ),
    ),
    _question(
        "questions.weight",
        "00_start_here",
        "The sentence this book is about",
        "A server multiplies the gradient of client 1 by the weight 0.7 and that of client 2 by 0.3, adds the two, and takes a very short step in the "
        "opposite direction. What follows for client 1's loss?",
        (
            "It falls, because client 1 has more than half of the weight.",
            "a weight is a rate",
            "A weight is what the server gives. What the client gets is its rate, which depends on the gradients as well. For g₁ = (1, 0) and g₂ = (−3, 3), "
            "client 1's rate is 0.7 · 1 − 0.3 · 3 = −0.2, so its loss rises.",
        ),
        "Nothing yet. It depends on the two gradients whether this loss falls or rises.",
        (
            "It falls by more than client 2's loss.",
            "more weight, more gain",
            "A long gradient can gain more with a small weight. For g₁ = (1, 0) and g₂ = (0, 10), the rates are 0.7 · 1 = 0.7 and 0.3 · 100 = 30.",
        ),
        (
            "It falls, unless the two gradients point in exactly opposite directions.",
            "only opposite gradients conflict",
            "Gradients need not be opposite to conflict. The angle between g₁ = (1, 0) and g₂ = (−3, 3) is 135°, and client 1's rate is "
            "0.7 · 1 − 0.3 · 3 = −0.2.",
        ),
    ),
    _question(
        "questions.equal_weights",
        "00_start_here",
        "Who pays?",
        "In every round, a server gives the same weight to each client's gradient. Does a round treat the clients equally?",
        (
            "Yes. Every client gains equally from a step.",
            "equal weights are equal treatment",
            "Equal weights need not give equal rates. In chapter 0, two clients have the weight ½ each. Their rates are −0.3 and 1.2, so one of them loses.",
        ),
        (
            "Yes, if all clients hold equally many examples.",
            "equal data, equal gain",
            "Equal numbers of examples do not make the gradients alike. What a client gains depends on the lengths of the gradients and on the angles "
            "between them.",
        ),
        (
            "Not necessarily. But no loss rises, because every weight is positive.",
            "a positive weight protects",
            "A loss can rise although its client has a positive weight. In chapter 0, client 1 has the weight ½ and the rate −0.3.",
        ),
        "Not necessarily. One client's loss can fall while another client's loss rises.",
    ),
    _question(
        "questions.local_steps",
        "02_proximal_average",
        "Where the thermostat rests",
        "In every round, each client trains a copy of the model on its own data, and the server takes the average of the copies. The clients' data differ. "
        "What can change if each client takes many training steps per round instead of one?",
        "The model can settle at another place, which serves some clients better and others worse.",
        (
            "Only the speed. The model settles at the same place after fewer rounds.",
            "more local steps are only faster",
            "The place moves, too. In chapter 2, the thermostat settles more than two degrees higher with many local steps, although no loss and no weight "
            "has changed.",
        ),
        (
            "Every client is served better, because more training is done.",
            "more training helps everybody",
            "In chapter 1, the tenth office has 73 % after ten rounds with one local epoch, and 23 % after ten rounds with twenty.",
        ),
        (
            "Only the amount of data sent in a round, which grows with the number of steps.",
            "more steps, longer messages",
            "A client sends one model per round, however many steps it has taken. Local steps save rounds, and some clients can pay for that.",
        ),
    ),
    _question(
        "questions.spread",
        "01_federated_learning",
        "How much of a spread is luck?",
        "Fifteen clients have 20 test images each. Their accuracies have a mean of 90 % and a standard deviation of six percentage points. What do you "
        "conclude from these numbers alone?",
        (
            "The model serves some clients worse than others.",
            "every spread is unfair",
            "Chance explains a spread of this size. If the model recognises every image with probability 0.9, the accuracy on 20 images has a standard "
            "deviation of 6.7 points.",
        ),
        (
            "The model serves all clients equally well, because six points are little.",
            "a small spread is fair",
            "Whether six points are little depends on the test sets. With 2,000 test images each, chance would explain only 0.7 points. A spread that chance "
            "can explain does not prove that all clients are served equally well, either.",
        ),
        "Nothing yet. Clients that are served equally well would show about this spread by chance.",
        (
            "The model should be trained until the standard deviation is zero.",
            "a fair model has no spread",
            "Test sets are finite, so measured accuracies differ even if all clients are served equally well. Training cannot remove this part of the spread.",
        ),
    ),
    _question(
        "questions.stationary",
        "03_pareto_stationarity",
        "Without convexity",
        "At some model, a weighted mean of the clients' gradients is zero. (No weight is negative, and the weights add up to 1.) The losses are smooth, and "
        "they may have hills and valleys. What do you know about this model?",
        (
            "No other model is better for every client.",
            "stationary is good",
            "This is certain only for convex losses. For f₁ = w₁ − w₂² and f₂ = −w₁ − w₂², the gradients at (0, 0) are (1, 0) and (−1, 0), and their mean is "
            "zero. But at (0, 1) both losses are lower.",
        ),
        (
            "Every client's gradient is zero, so no client can gain.",
            "every gradient is zero",
            "Only the weighted mean has to be zero. The gradients (1, 0) and (−1, 0) have the mean zero, and each client can gain at the other's expense.",
        ),
        (
            "All clients have the same loss.",
            "stationary is equal",
            "The condition says nothing about the losses themselves. A model at which one client's own gradient is zero satisfies it, however large the "
            "other losses are.",
        ),
        "There is no direction along which every client's loss falls to first order.",
    ),
    _question(
        "questions.promise",
        "04_mgda",
        "Ten offices",
        "A rule promises that no client's training loss rises in any round, and it keeps this promise. You train one model with this rule and another one with plain "
        "averaging, from the same start and for the same number of rounds. What do you know when you compare the two?",
        (
            "Every client is served at least as well as with plain averaging.",
            "a fair rule helps everybody",
            "The promise compares a client with itself one round earlier, and not with plain averaging. In chapter 4, the tenth office has "
            "94 % with MGDA instead of 31 %, but each of the other nine has about 10 points less.",
        ),
        "Some clients can be served better than with plain averaging, and others worse.",
        (
            "The mean accuracy is at least as high as with plain averaging.",
            "a fair rule raises the mean",
            "The promise is about each client's own loss, and not about the mean. In chapter 4, MGDA's mean accuracy after 40 rounds is 3 points lower than "
            "FedAvg's.",
        ),
        (
            "All clients end with the same loss.",
            "no loser means equal",
            "That no loss rises does not say how far each of them falls.",
        ),
    ),
    _question(
        "questions.absent",
        "14_real_federations",
        "A round without one client",
        "A rule promises that a short enough step raises no loss of a client that takes part in the round. It uses nothing from earlier rounds. One client "
        "is absent. What does the promise say about the absent client?",
        "Nothing. The loss of this client may rise.",
        (
            "The same as about the others, because all clients share one model.",
            "a promise covers absent clients",
            "The server can only take account of the gradients that it has. In chapter 14, nine offices send (5, 0). The absent tenth office has the "
            "gradient (−3, 4), so the step against (5, 0) gives it the rate −15.",
        ),
        (
            "It gains less than the others, but it loses nothing.",
            "absence only costs speed",
            "An absent client can lose. In chapter 14, the tenth office's rate in a round without it is −15.",
        ),
        (
            "It loses at most as much as it gained in a round in which it took part.",
            "losses and gains balance",
            "In chapter 14, the tenth office's rate is −15 in a round without it and 5 in a round with it.",
        ),
    ),
    _question(
        "questions.largest_loss",
        "06_reweighting",
        "Where it breaks",
        "A server gives most weight to the client that reports the largest loss. Is this the client that extra weight helps most?",
        (
            "Yes. It is worst off, so it has the most to gain.",
            "the largest loss can fall most",
            "A loss can be large because it cannot fall. In chapter 6, most labels of one office are wrong. This office draws two fifths of the weight or more, "
            "and the tenth office, which could be helped, gets only a fraction of that.",
        ),
        (
            "Yes, if it also holds many examples.",
            "more examples, more to gain",
            "The number of examples does not tell whether a loss can fall. If most labels are wrong, more examples do not make them right.",
        ),
        "Not necessarily. This loss may be unable to fall, or the report may be false.",
        (
            "Not necessarily. But if the weight does not help this client, it does no harm to the others.",
            "wasted weight is harmless",
            "Weight that goes to one client is taken from the others. In chapter 6, an office whose loss cannot fall costs the tenth office 7 points or more.",
        ),
    ),
    _question(
        "questions.projection",
        "07_fedfv",
        "Three clients: a conflict comes back",
        "Two gradients conflict if their dot product is negative. Three gradients conflict in pairs. Each gradient meets the two others once, one after the other. "
        "If what has become of it conflicts with the other client's original gradient, the part that points against that gradient is removed. Then the server "
        "averages the three results and takes a short step against the average. What do you know?",
        (
            "No client loses, because all conflicts have been removed.",
            "one sweep settles all conflicts",
            "A later meeting can bring an earlier conflict back. For the gradients (−2, −4, 2), (2, 0, 0) and (−1, 2, 0) of chapter 7, client 2's rate is "
            "−0.36 after one sweep.",
        ),
        "A client may lose, even if some direction would help all three.",
        (
            "No client loses, and the order of the meetings decides only who gains most.",
            "the order only divides gains",
            "The order can decide who loses. In the example of chapter 7, client 2 loses in one order and client 3 in another.",
        ),
        (
            "Some client must lose, because every pair conflicts.",
            "a conflict needs a loser",
            "Gradients that conflict in pairs can still have a direction that helps everybody. The three gradients of chapter 7 are linearly independent, "
            "so they have one.",
        ),
    ),
    _question(
        "questions.standstill",
        "08_adafed",
        "A wall on the way to the Pareto set",
        "A rule takes a step only if all losses fall at exactly the same rate along it. The losses are convex, and the model has come to a standstill. What do "
        "you know about the model?",
        (
            "It is as good as possible: no other model is better for every client.",
            "a standstill is an arrival",
            "The rule also stops where equal rates are impossible. In chapter 8, the two gradients at (0, 1) are (0, 4) and (0, 1). A step towards the origin "
            "lowers both losses, but never at equal rates, so the rule stands still.",
        ),
        (
            "There is no direction along which every loss falls.",
            "no equal rates, no descent",
            "Only a direction with equal, positive rates must be missing. In chapter 8, the two gradients at (0, 1) are (0, 4) and (0, 1). Along (0, 1), their rates "
            "are 4 and 1, so both losses fall.",
        ),
        (
            "All losses are equal, because they fell at the same rate.",
            "equal rates make equal losses",
            "Losses that fall at the same rate keep their differences. If they were different at the start, they are different at the end.",
        ),
        "Perhaps every loss could still fall, only not at equal rates.",
    ),
    _question(
        "questions.outlier",
        "11_robustness",
        "Pick two",
        "To resist liars, a server follows the majority of the updates, for instance by taking the median of each coordinate. All clients share one model. What does this "
        "mean for an honest client whose data differ from all others?",
        (
            "Nothing, because only false updates are outvoted.",
            "only liars are outvoted",
            "The server sees only what it is sent, and a liar could send the same update as this honest client. So the rule must treat both alike.",
        ),
        (
            "It is protected, because no liar can harm it.",
            "robust means fair",
            "The rule resists every minority, and this client is one. In chapter 11, nine offices send (5, 0) and an honest tenth sends (−3, 4). The median is "
            "(5, 0), and the tenth office's rate is −15.",
        ),
        "It may be outvoted like a liar, because a liar could send the same update.",
        (
            "It may be outvoted, but a cleverer rule could resist all liars and still never let an honest client lose.",
            "a cleverer rule has both",
            "A theorem of chapter 11 says that no such rule exists if all clients share one model. A minority that is honest and a minority that lies "
            "can send the same updates.",
        ),
    ),
    _question(
        "questions.undecided",
        "12_reproductions",
        "Three reasons to be undecided",
        "A paper claims that method A is more accurate than method B. Five new pairs of runs give a 95 % confidence interval for the difference, A minus B, from "
        "−1 to +3 percentage points. What follows?",
        "The claim is undecided. More runs may decide it.",
        (
            "The claim is refuted, because the difference is not significant.",
            "undecided is refuted",
            "An advantage of one or two points lies inside the interval, so the runs do not speak against the claim. A difference that was not shown is not "
            "a difference that was shown to be absent.",
        ),
        (
            "The claim is confirmed, because most of the interval is above zero.",
            "mostly positive is confirmed",
            "Zero and small disadvantages are in the interval as well, so chance can explain the advantage in these runs.",
        ),
        (
            "The two methods are equally accurate.",
            "not different is equal",
            "The interval also contains an advantage of three points. Two methods are called equivalent if the whole interval lies within a margin "
            "that was chosen before the runs.",
        ),
    ),
    _question(
        "questions.same_twice",
        "13_reading_results",
        "Rows that ought to be equal",
        "Four rows of a table are the same algorithm with the same settings, under four names, each run several times with random starts. Their mean accuracies lie between "
        "66.3 and 68.9 %. What do you learn from this?",
        (
            "The four rows must be different algorithms, because their results differ.",
            "different numbers, different methods",
            "Starts, batches and drawn clients are random, so the same algorithm gives another number in every run.",
        ),
        "In this table, a difference of two points between two methods is weak evidence.",
        (
            "The row with 68.9 % should be preferred in later experiments.",
            "the best of equals is better",
            "All four rows are the same algorithm, so the best one was only lucky. It will not be better next time.",
        ),
        (
            "The table contains an error, because equal algorithms give equal numbers.",
            "a gap between equals is an error",
            "Equal numbers would be expected only if the runs shared all their random choices. Such a comparison of a method with itself, an A/A test, "
            "shows how large the noise is.",
        ),
    ),
    _question(
        "questions.sums",
        "15_fair_without_seeing",
        "What the sums give away",
        "Ten clients mask their updates, so the server learns a weighted sum of the updates and nothing else. The server chooses the weights. In one round it may "
        "ask for several such sums of the same updates, with other weights each time. What can it find out about single clients?",
        (
            "Nothing, however many sums it asks for, because every message is masked.",
            "sums reveal nothing",
            "Every sum is an equation for the updates. From ten sums with linearly independent weights, all ten updates can be computed.",
        ),
        (
            "Nothing, as long as all clients have a positive weight in every sum.",
            "a sum of all hides all",
            "Two such sums can be enough. With three clients, the sum with the weights (¼, ¼, ½) minus three quarters of the sum with the weights (⅓, ⅓, ⅓) "
            "is a quarter of client 3's update.",
        ),
        (
            "Only how many examples each client holds.",
            "only harmless numbers leak",
            "With enough sums, the server can compute the updates themselves, and an update says something about the data behind it.",
        ),
        "With enough sums, each client's update.",
    ),
)
