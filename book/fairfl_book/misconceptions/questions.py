"""The fifteen questions. Beyond calculus and linear algebra they use only words that their notebook explains, so they can be asked before and after a course.

Questions 5 and 13 also need statistics: a standard deviation, and a confidence interval."""

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
            "A mean counts every client once, but it stays the same when one client loses what others gain. In chapter 1, two models have a mean of 90 %. "
            "The tenth office has 73 % with one of them and 23 % with the other.",
        ),
        "Its accuracy may be as low as 0 %, because nine others can make up for it.",
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
        "opposite direction. The gradients are (1, 0) and (−3, 3). What follows for client 1's loss?",
        (
            "It falls, because client 1 has more than half of the weight.",
            "a weight is a rate",
            "A weight is what the server gives. What the client gets is its rate, which depends on the gradients as well. Client 1's rate is "
            "0.7 · 1 − 0.3 · 3 = −0.2, so its loss rises.",
        ),
        "It rises, because client 2's gradient is longer and points largely against client 1's.",
        (
            "It falls, and by more than client 2's loss, because client 1 has more weight.",
            "more weight, more gain",
            "Client 1's rate is −0.2, so its loss rises. Client 2's is 0.7 · (−3) + 0.3 · 18 = 3.3.",
        ),
        (
            "It falls, because the two gradients do not point in exactly opposite directions.",
            "only opposite gradients conflict",
            "Gradients need not be opposite to conflict. The angle between these two is 135°, and client 1's rate is "
            "0.7 · 1 − 0.3 · 3 = −0.2.",
        ),
    ),
    _question(
        "questions.equal_weights",
        "00_start_here",
        "Who pays?",
        "In every round, a server gives the same weight to each client's gradient. Do the clients gain equally in a round?",
        (
            "Yes, because all weights are equal.",
            "equal weights are equal treatment",
            "Equal weights need not give equal rates. In chapter 0, two clients have the weight ½ each. Their rates are −0.3 and 1.2, so one of them loses.",
        ),
        (
            "Yes, if all clients hold equally many examples.",
            "equal data, equal gain",
            "Equal numbers of examples do not make the gradients alike. With the weight ½ each, the gradients (1, 0) and (0, 3) have the "
            "rates ½ · 1 = 0.5 and ½ · 9 = 4.5, however many examples the two clients hold.",
        ),
        (
            "Not necessarily. But no loss can rise in a short step, because every weight is positive.",
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
        "The place where the model settles, and so how well it serves each client.",
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
        "Fifteen clients have 20 test images each. Their accuracies have a mean of 90 % and a standard deviation of six percentage points. Which is "
        "true?",
        (
            "The numbers show that the model serves some clients worse than others.",
            "every spread is unfair",
            "Some may be served worse, but chance alone can explain a spread of this size. If the model recognises every image with probability 0.9, the "
            "accuracy on 20 images has a standard "
            "deviation of 6.7 points.",
        ),
        (
            "The numbers show that all clients are served equally well, because six points are little.",
            "a small spread is fair",
            "Whether six points are little depends on the test sets. With 2,000 test images each, chance would explain only 0.7 points. A spread that chance "
            "can explain does not prove that all clients are served equally well, either.",
        ),
        "Chance alone would give about this spread if all were served equally well.",
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
            "Convexity would make this certain; here it is not. For f₁ = w₁ − w₂² and f₂ = −w₁ − w₂², the gradients at (0, 0) are (1, 0) and (−1, 0), and "
            "their mean is "
            "zero. But at (0, 1) both losses are lower.",
        ),
        (
            "Every client's gradient is zero, so no loss falls to first order along any direction.",
            "every gradient is zero",
            "Only the weighted mean has to be zero. The gradients (1, 0) and (−1, 0) have the mean zero, and each client can gain at the other's expense.",
        ),
        (
            "All clients have the same loss.",
            "stationary is equal",
            "The condition says nothing about the losses themselves. A model at which one client's own gradient is zero satisfies it, however large the "
            "other losses are.",
        ),
        "No direction lowers every client's loss to first order.",
    ),
    _question(
        "questions.promise",
        "04_mgda",
        "Ten offices",
        "A rule promises that no client's loss rises in any round. You train one model with this rule and another one with plain averaging, from the same "
        "start and for the same number of rounds. Which result shows that the rule has broken its promise?",
        (
            "A client ends with a higher loss than under plain averaging.",
            "a fair rule helps everybody",
            "The promise compares a client with itself one round earlier, and not with plain averaging. In chapter 4, the tenth office has "
            "94 % with MGDA instead of 31 %, but each of the other nine has about 10 points less and a higher loss.",
        ),
        "A client ends with a higher loss than it had at the start.",
        (
            "The mean accuracy ends lower than under plain averaging.",
            "a fair rule raises the mean",
            "The promise is about each client's own loss, and not about the mean. In chapter 4, MGDA's mean accuracy after 40 rounds is 3 points lower than "
            "plain averaging's.",
        ),
        (
            "The clients end with different losses.",
            "no loser means equal",
            "That no loss rises does not say how far each of them falls. On the way from w = 1 to w = 0, the losses w² and w² + 1 both fall, and they end at "
            "0 and 1.",
        ),
    ),
    _question(
        "questions.absent",
        "14_real_federations",
        "A round without one client",
        "In each round, a rule takes a step that raises the loss of no client that takes part. It remembers nothing from earlier rounds. One client takes "
        "part only in every second round. What can you say about its loss after many rounds?",
        "It can be higher than at the start.",
        (
            "It cannot be higher than at the start, because all clients share one model.",
            "a promise covers absent clients",
            "The server can only take account of the gradients that it has. In chapter 14, nine offices send (5, 0). The absent tenth office has the "
            "gradient (−3, 4), so the step against (5, 0) gives it the rate −15.",
        ),
        (
            "It can have fallen less than the others' losses, but it cannot have risen in any round.",
            "absence only costs speed",
            "An absent client can lose. In chapter 14, the tenth office's rate in a round without it is −15.",
        ),
        (
            "It can rise in a round, but only by as much as it fell in an earlier round.",
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
            "A loss can be large because it cannot fall. In chapter 6, most labels of one office are wrong. In the end this office draws two fifths of the "
            "weight or "
            "more, and the tenth office, which could be helped, gets only a fraction of that.",
        ),
        (
            "Yes, if it also holds many examples.",
            "more examples, more to gain",
            "The number of examples does not tell whether a loss can fall. If most labels are wrong, more examples do not make them right.",
        ),
        "Not necessarily. Perhaps this loss cannot fall, or the report is false.",
        (
            "Not necessarily. But if the weight does not help this client, it does no harm to the others.",
            "wasted weight is harmless",
            "The weights add up to 1, so extra weight for one client is taken from the others. In chapter 6, an office whose loss cannot fall costs the "
            "tenth office 7 points or more.",
        ),
    ),
    _question(
        "questions.projection",
        "07_fedfv",
        "Three clients: a conflict comes back",
        "Two gradients conflict if their dot product is negative. Three gradients conflict in pairs. Each gradient meets the other two once, one after the "
        "other, in their original form. At a meeting in conflict, it gives up its part along the other gradient. Then the server averages the three results "
        "and takes a short step against the average. What do you know?",
        (
            "No client loses, because all conflicts have been removed.",
            "one sweep settles all conflicts",
            "A later meeting can bring an earlier conflict back. For the gradients (−2, −4, 2), (2, 0, 0) and (−1, 2, 0) of chapter 7, client 2's rate is "
            "−0.36 after one sweep.",
        ),
        "The order of the meetings can decide who loses, even if some direction would help all three.",
        (
            "The order of the meetings can decide who gains most, but no client can lose.",
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
        "A rule looks for a direction along which all losses fall at exactly the same rate. It steps along it, and stops only where there is none. Each loss "
        "is a single bowl. The rule has stopped. What do you know?",
        (
            "It is as good as possible: no other model is better for every client.",
            "a standstill is an arrival",
            "The rule also stops where equal rates are impossible. In chapter 8, the two gradients at (0, 1) are (0, 4) and (0, 1). A step against (0, 1), "
            "towards the origin, has the rates 4 and 1, so both losses fall. But no direction has equal, positive rates, so the rule stands still.",
        ),
        (
            "At least one client's loss is as low as it can be.",
            "somebody has arrived",
            "In chapter 8, the gradients at (0, 1) are (0, 4) and (0, 1). Neither is zero, so each loss can still fall.",
        ),
        (
            "All losses are equal, because they fell at the same rate.",
            "equal rates make equal losses",
            "Losses that fall at the same rate keep their differences. If they were different at the start, they are different at the end.",
        ),
        "No direction lowers all losses at exactly the same rate.",
    ),
    _question(
        "questions.outlier",
        "11_robustness",
        "Pick two",
        "Some clients may lie, that is, send anything. To resist them, a server follows the majority of the updates, for instance by taking the median of each "
        "coordinate. All clients share one model. What does this mean for an honest client whose data differ from everybody else's?",
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
        "It has no more influence than a liar who sends the same update.",
        (
            "It may be outvoted, but another rule for the same updates could let an honest majority gain, whatever the others send, and never let an honest "
            "client lose.",
            "a cleverer rule has both",
            "A theorem of chapter 11 says that no such rule exists if all clients share one model. A minority that is honest and a minority that lies "
            "can send the same updates.",
        ),
    ),
    _question(
        "questions.undecided",
        "12_reproductions",
        "Three claims, three verdicts",
        "A paper claims that method A is more accurate than method B. Five new runs of each method, paired by their random start, give a 95 % "
        "confidence interval for the difference, A minus B, from −1 to +3 percentage points. What follows?",
        "These runs show neither that A is more accurate nor that it is not.",
        (
            "The claim is refuted, because the difference is not significant.",
            "undecided is refuted",
            "An advantage of one or two points lies inside the interval, so the runs do not speak against the claim. Not having shown a difference "
            "is not having shown that there is none.",
        ),
        (
            "The claim is confirmed, because most of the interval is above zero.",
            "mostly positive is confirmed",
            "Zero and small disadvantages are in the interval as well, so chance can explain the advantage in these runs.",
        ),
        (
            "The two methods are equally accurate.",
            "not different is equal",
            "The interval also contains an advantage of three points. Two methods are called equivalent if a whole 90 % interval lies within a "
            "margin that was chosen before the runs.",
        ),
    ),
    _question(
        "questions.same_twice",
        "13_reading_results",
        "Rows that ought to be equal",
        "Four rows of a table are the same algorithm with the same settings, under four names, each run several times with random starts. Their mean "
        "accuracies lie between "
        "66.3 and 68.9 %. What do you learn from this?",
        (
            "A two-point gap between two other methods is real, because those methods do differ.",
            "different methods, real difference",
            "Chance moves their rows as well. In this table it sets two rows 2.6 points apart, although nothing differs.",
        ),
        "Chance alone makes gaps of two points in this table.",
        (
            "The row with 68.9 % should be preferred in later experiments.",
            "the best of equals is better",
            "All four rows are the same algorithm, so the best one was only lucky. It is no more likely than the others to be best next time.",
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
        "Ten clients hide their updates behind masks that cancel in a sum, so each request gives the server one weighted sum and nothing else. The server "
        "chooses the weights. In one round it may ask for several such sums of the same updates, with other weights each time. What can it find out about "
        "single clients?",
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
            "A client's update, but only if this client has nearly all of the weight in some sum.",
            "small weights hide",
            "In the sums with the weights (¼, ¼, ½) and (⅓, ⅓, ⅓) nobody has more than half of the weight, yet together they give client 3's update.",
        ),
        "With enough sums, each client's update.",
    ),
)
