"""Chapter 6: rules that change weights."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

register(Exercise(
    slug="reweighting.threshold",
    task="the smallest λ₁ at which client 1's rate is not negative, for A = [[2, −4], [−4, 11]]",
    right=2 / 3,
    wrong={
        "equal": Wrong(0.5, "At equal weights client 1's rate is (2 − 4)/2 = −1, so its loss rises. Set (A λ)₁ = 2 λ₁ − 4 (1 − λ₁) equal to zero"),
        "the other client": Wrong(11 / 15, "11/15 is where client 2's rate falls to zero. Client 1's rate is the first row of A λ"),
        "complement": Wrong(1 / 3, "1/3 is client 2's weight at that point; λ₁ is the rest"),
        "lengths": Wrong(11 / 13, "11/13 makes λ_k A_kk equal for both. That is the rate that each client gets from itself, but the conflict −4 takes "
                                  "something away from both"),
        "its weight": Wrong(4 / 15, "4/15 is client 2's weight at the point where client 2's own rate reaches zero. Client 1's rate is the first row "
                                    "of A λ, and λ₁ is client 1's weight"),
        "shortest": Wrong(5 / 7, "5/7 makes both rates equal, which is where G^⊤ λ is shortest (chapter 4). Client 1's rate reaches zero before that"),
        "not shared": Wrong(2.0, "2 solves 2 λ₁ − 4 = 0. But client 2's weight is 1 − λ₁, not 1"),
        "roots": Wrong(np.sqrt(11) / (np.sqrt(2) + np.sqrt(11)), "That makes the two vectors λ_k g_k equally long. The rate depends on inner products "
                                                                 "and not on lengths: 2 λ₁ − 4 (1 − λ₁) = 0"),
        "sign": Wrong(
            -2.0,
            "−2 comes from 2 λ₁ − 4 − 4 λ₁. The minus sign before the bracket also changes the sign of −λ₁",
        ),
    },
    praise="Between 2/3 and 11/15 neither client pays. No loss was needed to find this interval, and no rule in this chapter looks for it",
    hints=(
        "Client 1's rate is the first row of A λ, with 1 − λ₁ for λ₂.",
        "It is a straight line in λ₁ that rises. Find where it crosses zero.",
        "Multiply out with care: −4 (1 − λ₁) also contains λ₁.",
    ),
))

register(Exercise(
    slug="reweighting.turn",
    task="the t at which TERM's weight on the second of the losses (0, 2, 3) is largest",
    right=np.log(2) / 3,
    wrong={
        "never falls": Wrong(0.0, "At t = 0, the mean of the losses is 5/3, which is still below 2. So client 2's weight is rising there"),
        "a third": Wrong(2 / 3, "2/3 is e^(3t) / 3. You are one step from the end: if e^(3t) = 2, then 3 t = ln 2"),
        "not divided": Wrong(np.log(2), "ln 2 solves e^t = 2. The largest loss is 3, so the equation should be e^(3t) = 2"),
        "equal weights": Wrong(np.log(5 / 3), "ln(5/3) uses the plain mean. The mean that counts here is the one with TERM's own weights"),
        "base two": Wrong(1 / 3, "1/3 is log₂(2) / 3. The weights are powers of e, so take the natural logarithm of e^(3t) = 2"),
        "back again": Wrong(np.log((1 + np.sqrt(5)) / 2), "At this t the weight has risen and come back down to 1/3. The question asks for the "
                                                          "turning point in between, where λ · f = 2"),
        "turned": Wrong(-np.log(2) / 3, "At a negative t, the clients that are best off have the largest weights, and λ · f is below 5/3. You need λ "
                                        "· f = 2, so e^(3t) = 2 and not 1/2"),
        "the root": Wrong(2 ** (1 / 3), "2^(1/3) is e^t. Take its logarithm"),
        "half": Wrong(np.log(2) / 2, "ln(2)/2 solves e^(2t) = 2. Multiply out λ · f = 2 again: the two terms with e^(2t) cancel"),
    },
    tolerance=1e-3,
    praise="A client in the middle gains weight at first and loses it again later. Only the worst client's weight never falls",
    hints=(
        "The opponent's road says that a weight rises while the client's loss is above λ · f, and falls afterwards. So λ · f = 2 at the turning "
        "point.",
        "Write λ · f with the weights 1, e^(2t), e^(3t) over their sum, and multiply by the sum.",
        "2 e^(2t) appears on both sides. What is left is an equation for e^(3t).",
    ),
))


def _bought(losses, t, share):
    f = np.asarray(losses, float)
    return np.log(share / (1 - share) * np.exp(t * (f[1:] - f[0])).sum()) / t


register(Exercise(
    slug="reweighting.bought",
    task="the amount that the first client must add to its reported loss for TERM to give it this share of the weight",
    right=_bought,
    cases=[([1.0, 1.0], 1.0, 0.8), ([1.0, 2.0, 4.0], 0.5, 0.5), ([0.2, 0.4, 1.0, 0.3], 2.0, 0.9), ([3.0, 1.0], 2.0, 0.5)],
    wrong={
        "the whole sum": Wrong(lambda f, t, share: np.log(share * np.exp(t * (np.asarray(f) - f[0])).sum()) / t,
                               "For {case} you answer {given}; it should be {right}. You divided by the old sum. But the client's own term in the sum "
                               "grows as well, so its share is x / (x + the others)"),
        "not divided by t": Wrong(lambda f, t, share: t * _bought(f, t, share),
                                  "For {case} you answer {given}; it should be {right}. Your answer is t times the required amount. In the exponent, "
                                  "differences of losses are multiplied by t"),
        "the report": Wrong(lambda f, t, share: _bought(f, t, share) + f[0],
                            "For {case} you answer {given}, which is the loss to report. The exercise asks how much the client adds to its own loss: "
                            "{right}"),
        "own loss forgotten": Wrong(lambda f, t, share: np.log(share / (1 - share) * np.exp(t * np.asarray(f[1:])).sum()) / t + 2 * f[0],
                                    "For {case} you answer {given}; it should be {right}. The client's own loss is already in its exponent; mind its "
                                    "sign"),
        "own term in the sum": Wrong(lambda f, t, share: np.log(share / (1 - share) * np.exp(t * (np.asarray(f) - f[0])).sum()) / t,
                                     "For {case} you answer {given}; it should be {right}. Your sum includes the client's own exponential. If x is "
                                     "the new one, the share is x / (x + S), where S sums over the others only"),
        "1/t forgotten": Wrong(lambda f, t, share: np.log(share / (1 - share) * np.exp(t * np.asarray(f[1:])).sum()) - f[0],
                               "For {case} you answer {given}; it should be {right}. The logarithm of the new exponential is t times the loss to report. Divide it by t "
                               "before you subtract the client's own loss"),
        "share for odds": Wrong(lambda f, t, share: np.log(share * np.exp(t * (np.asarray(f[1:]) - f[0])).sum()) / t,
                                "For {case} you answer {given}; it should be {right}. You multiply the others' sum S by the share. From share = x / (x + S) follows "
                                "x = S · share / (1 − share)"),
        "one rival": Wrong(lambda f, t, share: np.log(share / (1 - share)) / t + max(f[1:]) - f[0],
                           "For {case} you answer {given}; it should be {right}. You outbid only the largest of the others. But all of them have "
                           "weight, and S is the sum of all their exponentials"),
        "odds turned": Wrong(lambda f, t, share: np.log((1 - share) / share * np.exp(t * (np.asarray(f[1:]) - f[0])).sum()) / t,
                             "For {case} you answer {given}; it should be {right}. Solving share = x / (x + S) gives x = S · share / (1 − share); "
                             "your fraction is upside down"),
        "sign": Wrong(lambda f, t, share: -_bought(f, t, share),
                      "For {case} you answer {given}; it should be {right}. The sign is wrong: a larger share needs a larger report"),
        "factor": Wrong(lambda f, t, share: share / (1 - share) * np.exp(t * (np.asarray(f[1:]) - f[0])).sum(),
                        "For {case} you answer {given}; it should be {right}. That is the factor by which the client's exponential has to grow. Which "
                        "amount, added to the loss, multiplies it by that factor?"),
    },
    praise="To go from one half to nine tenths costs ln 9 / t, whatever the others report. So a rule with a large t is cheap to cheat",
    hints=(
        "Call the client's new exponential x. Its share is x / (x + S), where S is the sum of the others' exponentials. Solve for x.",
        "x is e^(t (f_1 + a)). Solve for a.",
        "Subtracting f_1 from all losses changes no weight and keeps the exponentials small.",
    ),
))


def _capped(losses, cap):
    f, lam, left = np.asarray(losses, float), np.zeros(len(losses)), 1.0
    for k in np.argsort(-f):
        lam[k] = min(cap, left)
        left -= lam[k]
    return lam


def _spread_out(losses, cap):
    lam = np.zeros(len(losses))
    lam[np.argsort(-np.asarray(losses, float))[: int(np.ceil(1 / cap - 1e-9))]] = 1
    return lam / lam.sum()


def _clipped(losses, cap):
    f = np.asarray(losses, float)
    lam = np.minimum(f / f.sum(), cap)
    return lam / lam.sum()


register(Exercise(
    slug="reweighting.capped",
    task="weights on the simplex, none above cap, that maximise λ · f",
    right=_capped,
    cases=[([1.0, 2.0, 4.0], 0.4), ([3.0, 1.0, 2.0, 5.0], 0.5), ([0.3, 0.1, 0.2], 1 / 3), ([1.0, 9.0, 2.0], 1.0), ([-1.0, 5.0, 3.0, 2.0], 0.3)],
    wrong={
        "evenly": Wrong(_spread_out, "For {case} you answer {given}; it should be {right}. You found the right clients but gave them equal weights. "
                                     "The worst clients may have cap each, and only the last one gets what is left"),
        "clipped shares": Wrong(_clipped, "For {case} you answer {given}; it should be {right}. Shares cut off at cap are valid weights, but not the "
                                          "opponent's best choice. As long as weight can move from a smaller loss to a larger one, it should"),
        "the worst alone": Wrong(lambda f, cap: np.eye(len(f))[np.argmax(f)] * cap,
                                 "For {case} you answer {given}; it should be {right}. The worst client has reached cap, and the rest of the weight "
                                 "has to go somewhere"),
        "no cap": Wrong(lambda f, cap: np.eye(len(f))[np.argmax(f)],
                        "For {case} you answer {given}; it should be {right}. That is the opponent without a leash. On this leash no client may have "
                        "more than cap"),
        "equal": Wrong(lambda f, cap: np.full(len(f), 1 / len(f)),
                       "For {case} you answer {given}; it should be {right}. Equal weights are allowed, but they only give the mean of the losses, "
                       "and the opponent can do better"),
        "full ones only": Wrong(lambda f, cap: np.where(np.argsort(np.argsort(-np.asarray(f))) < int(1 / cap + 1e-9), cap, 0.0),
                                "For {case} you answer {given}; it should be {right}. The clients that can have the full cap have it, but the weights "
                                "must sum to one. What is left goes to the next client"),
        "cut and left": Wrong(lambda f, cap: np.minimum(np.asarray(f, float) / np.sum(f), cap),
                              "For {case} you answer {given}; it should be {right}. Your weights need not sum to one, and the opponent does not share "
                              "in proportion: it fills the worst client first"),
        "rest to all": Wrong(lambda f, cap: np.where(np.arange(len(f)) == np.argmax(f), cap, (1 - cap) / (len(f) - 1)),
                             "For {case} you answer {given}; it should be {right}. After the worst client, the opponent goes on to the second worst; "
                             "the client that is best off gets nothing"),
        "best first": Wrong(lambda f, cap: _capped(-np.asarray(f, float), cap),
                            "For {case} you answer {given}; it should be {right}. You filled the smallest losses first, but the opponent wants λ · f "
                            "to be large"),
    },
    praise="With cap = 1/m this is the mean of the m worst losses. Risk managers call it the conditional value at risk, or expected shortfall",
    hints=(
        "Moving a little weight from a smaller loss to a larger one always raises λ · f. When can the opponent no longer do that?",
        "So give the largest loss the weight cap, then the next one, until the weight is used up.",
        "The next client gets cap, unless less than cap is left.",
    ),
))

register(Exercise(
    slug="reweighting.price",
    task="the smallest c(K, q) with mean f(w_q) ≤ c · mean f(w_0) for all non-negative losses",
    right=lambda K, q: float(K) ** (q / (q + 1)),
    cases=[(4, 1.0), (10, 0.0), (10, 3.0), (2, 0.5), (100, 1.0)],
    wrong={
        "worst case's": Wrong(lambda K, q: float(K) ** (1 / (q + 1)),
                              "For {case} you answer {given}; it should be {right}. That is the factor in (9), for the largest loss, and it falls "
                              "with q. At q = 0 the mean loses nothing: c = 1"),
        "K": Wrong(lambda K, q: float(K), "For {case} you answer {given}. K always works, and it is the limit for q → ∞, but for a finite q a smaller "
                                          "number works: {right}"),
        "one": Wrong(lambda K, q: 1.0, "For {case} you answer {given}; it should be {right}. With c = 1, w_q would be as good in the mean as w_0. Try "
                                       "two models, one of them with losses (1, 0, …, 0)"),
        "exponent": Wrong(lambda K, q: float(K) ** q, "For {case} you answer {given}; it should be {right}. That bounds the mean of f^(q+1) by powers "
                                                      "of the mean. Take the (q+1)-th root at the end"),
        "no root": Wrong(lambda K, q: float(K) ** (q + 1), "For {case} you answer {given}; it should be {right}. At q = 0 both models have the best "
                                                           "possible mean, so c = 1. Did you take the (q+1)-th root?"),
        "q + 1": Wrong(lambda K, q: q + 1.0, "For {case} you answer {given}; it should be {right}. The factor depends on the number of clients: with "
                                             "a single client there is no price to pay"),
        "only q = 1": Wrong(lambda K, q: float(K) ** 0.5, "For {case} you answer {given}; it should be {right}. √K is the factor for q = 1 only"),
        "half of q": Wrong(lambda K, q: float(K) ** (q / 2), "For {case} you answer {given}; it should be {right}. That agrees at q = 0 and q = 1, "
                                                             "but since K always works, the exponent cannot exceed 1"),
        "twice": Wrong(lambda K, q: float(K) ** ((q + 1) / (q + 2)), "For {case} you answer {given}; it should be {right}. F_q contains the power q + "
                                                                     "1, not q + 2"),
    },
    praise="So with ten clients and q = 1, the mean may be up to √10 times its best value. For TERM, the factor depends on how large the losses are. "
           "Why?",
    hints=(
        "Two inequalities connect the mean with the mean of (q+1)-th powers, M = (mean f^(q+1))^(1/(q+1)). One says that the mean is at most M. What "
        "is the other?",
        "Σ f^(q+1) ≤ (Σ f)^(q+1) for non-negative numbers. Rewrite this in terms of means.",
        "To show that the bound is sharp, turn both inequalities into equalities: at w_q all losses are equal, and at w_0 only one is positive. Make "
        "F_q nearly the same for both.",
    ),
))

register(Question(
    slug="reweighting.leash",
    task="a price or a set of allowed weights that stops one office with a hopeless loss from taking most of the weight",
    hints=(
        "The table of prices in the text has room for more: a bound on each weight, a price that grows steeply near a corner, or losses measured from some "
        "reference value.",
        "Every rule of the form max over λ of λ · f minus a price is at most the largest loss. What is it at least? The difference is your version of "
        "(9).",
        "A bound of cap makes it the mean of the 1/cap worst losses. What happens to the tenth office if the broken one is among them?",
    ),
))

register(Question(
    slug="reweighting.band",
    task="whether a shorter server step calms TERM and keeps the tenth office's weight inside its band",
    hints=(
        "The weights depend on the losses at the server's current point. What does a long step do to the loss of a client that has just had a large "
        "weight, and what happens to its weight afterwards?",
        "Three times as many rounds with a step of 0.3 cover about the same distance. How much do the losses change from one round to the next?",
        "The history that `run` returns has every round's `weights` and `rates`, one row per round and one column per client.",
    ),
))

register(Exercise(
    slug="reweighting.shortest",
    task="the smallest s at which (½, ½, 0) gives the shortest direction for the gradients (−3, 4), (4, −3) and (3s, s)",
    right=0.25,
    tolerance=1e-3,
    wrong={
        "any": Wrong(0.0, "As soon as s is positive, client 3's loss falls. But that is not enough. If its rate is smaller than the squared length of the "
                          "direction, MGDA has to give it weight"),
        "length": Wrong(0.5 / np.sqrt(2), "You have set client 3's rate, 2 s, equal to the length of the direction. The conditions compare the rates with its "
                                          "squared length"),
        "equally long": Wrong(0.5 / np.sqrt(5), "With this s, client 3's gradient is as long as the direction. But what counts is its rate along the direction, "
                                                "which is 2 s"),
        "sum": Wrong(0.5, "With s = 1/2, client 3's rate is 1, twice what it has to be. The squared length of (1/2, 1/2) is 1/2"),
        "unchanged": Wrong(1.0, "With s = 1, client 3's rate is 2, four times what it has to be. So its gradient may become shorter"),
        "upside down": Wrong(4.0, "Client 3's rate is 2 s, and it has to be at least 1/2. Your fraction is upside down"),
    },
    praise="At s = 1/4 the gradient (3/4, 1/4) lies on the line through g₁ and g₂. If it becomes still shorter, it comes nearer to the origin than "
           "this line, and MGDA has to give client 3 weight",
    hints=(
        "The conditions (3) of chapter 4 say when a direction is the shortest. No rate may be smaller than the squared length of the direction.",
        "The direction is (1/2, 1/2). What is its squared length, and what is client 3's rate along it?",
        "Client 3's rate is (3 s + s)/2.",
    ),
))
