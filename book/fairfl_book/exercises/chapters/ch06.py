"""Chapter 6: rules that change weights."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

register(Exercise(
    slug="reweighting.threshold",
    task="the smallest λ₁ at which client 1's rate is not negative, for A = [[2, −4], [−4, 11]]",
    right=2 / 3,
    wrong={
        "equal": Wrong(0.5, "At equal weights client 1's rate is (2 − 4)/2 = −1: its loss rises. Set (A λ)₁ = 2 λ₁ − 4 (1 − λ₁) to zero"),
        "the other client": Wrong(11 / 15, "11/15 is where client 2's rate reaches zero, from above. Client 1's rate is the first row of A λ"),
        "complement": Wrong(1 / 3, "1/3 is client 2's weight there; λ₁ is what remains"),
        "lengths": Wrong(11 / 13, "11/13 makes λ_k A_kk equal for both. That is the rate each client gets from itself; the conflict −4 takes from both"),
        "its weight": Wrong(4 / 15, "4/15 is client 2's weight where client 2's own rate reaches zero. Client 1's rate is the first row of A λ, and λ₁ its weight"),
        "shortest": Wrong(5 / 7, "5/7 makes both rates equal, where G^⊤ λ is shortest (chapter 4). Client 1's rate is zero before that"),
        "not shared": Wrong(2.0, "2 solves 2 λ₁ − 4 = 0. Client 2's weight is not 1 but 1 − λ₁"),
        "roots": Wrong(np.sqrt(11) / (np.sqrt(2) + np.sqrt(11)), "That makes the two vectors λ_k g_k equally long. The rate asks for inner products, "
                                                                  "not for lengths: 2 λ₁ − 4 (1 − λ₁) = 0"),
        "sign": Wrong(
            -2.0,
            "−2 comes from 2 λ₁ − 4 − 4 λ₁: the minus before the bracket turns the sign of −λ₁ as well",
        ),
    },
    praise="Between 2/3 and 11/15 nobody pays. No loss was needed to find this interval, and no rule in this chapter looks for it",
    hints=(
        "Client 1's rate is the first row of A λ, with 1 − λ₁ for λ₂.",
        "It is a straight line in λ₁ that rises. Find where it crosses zero.",
        "Multiply out with care: −4 (1 − λ₁) adds to the λ₁ term.",
    ),
))

register(Exercise(
    slug="reweighting.turn",
    task="the t at which TERM's weight on the second of the losses (0, 2, 3) is largest",
    right=np.log(2) / 3,
    wrong={
        "never falls": Wrong(0.0, "At t = 0 the mean of the losses is 5/3, still below 2, so client 2's weight rises there"),
        "a third": Wrong(2 / 3, "2/3 is e^(3t) / 3: you are one step from the end. From e^(3t) = 2 follows 3 t = ln 2"),
        "not divided": Wrong(np.log(2), "ln 2 solves e^t = 2. The largest loss is 3, so what you should have is e^(3t) = 2"),
        "equal weights": Wrong(np.log(5 / 3), "ln(5/3) has the plain mean in it. The mean that counts is the one with TERM's own weights"),
        "base two": Wrong(1 / 3, "1/3 is log₂(2) / 3. The weights are powers of e, so take the natural logarithm: e^(3t) = 2"),
        "back again": Wrong(np.log((1 + np.sqrt(5)) / 2), "There the weight has risen and come back to 1/3. Asked is the turn between: λ · f = 2"),
        "turned": Wrong(-np.log(2) / 3, "At a negative t the best off weigh most, and λ · f is below 5/3. You need λ · f = 2, so e^(3t) = 2 and not 1/2"),
        "the root": Wrong(2 ** (1 / 3), "2^(1/3) is e^t. Take its logarithm"),
        "half": Wrong(np.log(2) / 2, "ln(2)/2 solves e^(2t) = 2. Multiply out λ · f = 2 again: the two terms with e^(2t) cancel"),
    },
    tolerance=1e-3,
    praise="Whatever is in the middle takes part in the rise at first and is let go later. Only the worst client's weight never falls",
    hints=(
        "The road says: a weight rises while the client's loss is above λ · f, and falls afterwards. So λ · f = 2 at the turn.",
        "Write λ · f with weights 1, e^(2t), e^(3t) over their sum, and multiply by the sum.",
        "2 e^(2t) stands on both sides. What is left is an equation for e^(3t).",
    ),
))


def _bought(losses, t, share):
    f = np.asarray(losses, float)
    return np.log(share / (1 - share) * np.exp(t * (f[1:] - f[0])).sum()) / t


register(Exercise(
    slug="reweighting.bought",
    task="what the first client must add to its report for TERM to give it this share of the weight",
    right=_bought,
    cases=[([1.0, 1.0], 1.0, 0.8), ([1.0, 2.0, 4.0], 0.5, 0.5), ([0.2, 0.4, 1.0, 0.3], 2.0, 0.9), ([3.0, 1.0], 2.0, 0.5)],
    wrong={
        "the whole sum": Wrong(lambda f, t, share: np.log(share * np.exp(t * (np.asarray(f) - f[0])).sum()) / t,
                               "For {case} you answer {given}; it should be {right}. You divided by the old sum. The client's own term grows in the "
                               "sum as well, so its share is x / (x + the others)"),
        "not divided by t": Wrong(lambda f, t, share: t * _bought(f, t, share),
                                  "For {case} you answer {given}; it should be {right}. That is t times the report. Differences of losses are multiplied by t "
                                  "in the exponent"),
        "the report": Wrong(lambda f, t, share: _bought(f, t, share) + f[0],
                            "For {case} you answer {given}, the loss to report. Asked is what it adds to its own loss: {right}"),
        "own loss forgotten": Wrong(lambda f, t, share: np.log(share / (1 - share) * np.exp(t * np.asarray(f[1:])).sum()) / t + 2 * f[0],
                                    "For {case} you answer {given}; it should be {right}. The client's own loss stands in its exponent already; mind its sign"),
        "own term in the sum": Wrong(lambda f, t, share: np.log(share / (1 - share) * np.exp(t * (np.asarray(f) - f[0])).sum()) / t,
                                     "For {case} you answer {given}; it should be {right}. Your sum has the client's own exponential in it. With x for the new one, "
                                     "the share is x / (x + S), and S is the sum of the others only"),
        "one rival": Wrong(lambda f, t, share: np.log(share / (1 - share)) / t + max(f[1:]) - f[0],
                           "For {case} you answer {given}; it should be {right}. You beat the largest of the others only. All of them have weight: S is the sum of "
                           "their exponentials"),
        "odds turned": Wrong(lambda f, t, share: np.log((1 - share) / share * np.exp(t * (np.asarray(f[1:]) - f[0])).sum()) / t,
                             "For {case} you answer {given}; it should be {right}. From share = x / (x + S) follows x = S · share / (1 − share), not the other way up"),
        "sign": Wrong(lambda f, t, share: -_bought(f, t, share),
                      "For {case} you answer {given}; it should be {right}. The sign is turned: a larger share asks for a larger report"),
        "factor": Wrong(lambda f, t, share: share / (1 - share) * np.exp(t * (np.asarray(f[1:]) - f[0])).sum(),
                        "For {case} you answer {given}; it should be {right}. That is the factor by which its exponential has to grow. Which number added to "
                        "the loss does that?"),
    },
    praise="From one half to nine tenths costs ln 9 / t, whatever the others report: a large t is cheap to cheat",
    hints=(
        "Call the client's new exponential x. Its share is x / (x + S), with S the sum of the others' exponentials. Solve for x.",
        "x is e^(t (f_1 + a)). Solve for a.",
        "Subtracting f_1 from all losses changes no weight and keeps exponentials small.",
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
    task="weights of the simplex, none above cap, that make λ · f largest",
    right=_capped,
    cases=[([1.0, 2.0, 4.0], 0.4), ([3.0, 1.0, 2.0, 5.0], 0.5), ([0.3, 0.1, 0.2], 1 / 3), ([1.0, 9.0, 2.0], 1.0), ([-1.0, 5.0, 3.0, 2.0], 0.3)],
    wrong={
        "evenly": Wrong(_spread_out, "For {case} you answer {given}; it should be {right}. You found the right clients and gave them the same weight. The worst may "
                                     "hold cap; only the last of them gets what is left"),
        "clipped shares": Wrong(_clipped, "For {case} you answer {given}; it should be {right}. Shares cut at cap are weights, but not the opponent's best: any weight "
                                          "that can go from a smaller loss to a larger one should"),
        "the worst alone": Wrong(lambda f, cap: np.eye(len(f))[np.argmax(f)] * cap,
                                 "For {case} you answer {given}; it should be {right}. The worst client is full; the rest of the weight has to go somewhere"),
        "no cap": Wrong(lambda f, cap: np.eye(len(f))[np.argmax(f)],
                        "For {case} you answer {given}; it should be {right}. That is the opponent without a leash. On this one nobody may hold more than cap"),
        "equal": Wrong(lambda f, cap: np.full(len(f), 1 / len(f)),
                       "For {case} you answer {given}; it should be {right}. Equal weights are allowed, but they give the mean of the losses; the opponent wants more"),
        "full ones only": Wrong(lambda f, cap: np.where(np.argsort(np.argsort(-np.asarray(f))) < int(1 / cap + 1e-9), cap, 0.0),
                                "For {case} you answer {given}; it should be {right}. Those who can be filled are full, but the weights have to sum to one: what is left "
                                "goes to the next"),
        "cut and left": Wrong(lambda f, cap: np.minimum(np.asarray(f, float) / np.sum(f), cap),
                              "For {case} you answer {given}; it should be {right}. Yours need not sum to one, and the opponent does not share in proportion: it fills "
                              "the worst first"),
        "rest to all": Wrong(lambda f, cap: np.where(np.arange(len(f)) == np.argmax(f), cap, (1 - cap) / (len(f) - 1)),
                             "For {case} you answer {given}; it should be {right}. After the worst the opponent goes on to the second worst, and gives the best off nothing"),
        "best first": Wrong(lambda f, cap: _capped(-np.asarray(f, float), cap),
                            "For {case} you answer {given}; it should be {right}. You filled the smallest losses first; the opponent wants λ · f large"),
    },
    praise="With cap = 1/m it is the mean of the m worst losses: risk managers call it the conditional value at risk, or expected shortfall",
    hints=(
        "Moving a little weight from a smaller loss to a larger one always raises λ · f. When can the opponent no longer do it?",
        "So fill the largest loss up to cap, then the next, until the weight is used up.",
    ),
))

register(Exercise(
    slug="reweighting.price",
    task="the smallest c(K, q) with mean f(w_q) ≤ c · mean f(w_0) for all losses that are not negative",
    right=lambda K, q: float(K) ** (q / (q + 1)),
    cases=[(4, 1.0), (10, 0.0), (10, 3.0), (2, 0.5), (100, 1.0)],
    wrong={
        "worst case's": Wrong(lambda K, q: float(K) ** (1 / (q + 1)),
                              "For {case} you answer {given}; it should be {right}. That is the factor of (9), for the largest loss, and it falls with q. At q = 0 the mean "
                              "costs nothing: c = 1"),
        "K": Wrong(lambda K, q: float(K), "For {case} you answer {given}. K always holds and is the limit q → ∞; for a finite q less will do: {right}"),
        "one": Wrong(lambda K, q: 1.0, "For {case} you answer {given}; it should be {right}. c = 1 would make w_q as good in the mean as w_0. Try two models, one with losses "
                                       "(1, 0, …, 0)"),
        "exponent": Wrong(lambda K, q: float(K) ** q, "For {case} you answer {given}; it should be {right}. That bounds mean f^(q+1) by powers of the mean. Take the "
                                                      "(q+1)-th root at the end"),
        "no root": Wrong(lambda K, q: float(K) ** (q + 1), "For {case} you answer {given}; it should be {right}. At q = 0 both models are the best mean there is, so c = 1. "
                                                           "Did you take the (q+1)-th root?"),
        "q + 1": Wrong(lambda K, q: q + 1.0, "For {case} you answer {given}; it should be {right}. The factor depends on the number of clients: with one client there is no price"),
        "only q = 1": Wrong(lambda K, q: float(K) ** 0.5, "For {case} you answer {given}; it should be {right}. √K is the factor for q = 1 alone"),
        "half of q": Wrong(lambda K, q: float(K) ** (q / 2), "For {case} you answer {given}; it should be {right}. That agrees at q = 0 and 1, but K always holds, so the "
                                                             "exponent cannot pass 1"),
        "twice": Wrong(lambda K, q: float(K) ** ((q + 1) / (q + 2)), "For {case} you answer {given}; it should be {right}. F_q has the power q + 1, not q + 2"),
    },
    praise="So with ten clients and q = 1 the mean may be up to √10 times what it could be. For TERM the factor depends on how large the losses are: why?",
    hints=(
        "Two inequalities tie the mean to the mean of (q+1)-th powers, M = (mean f^(q+1))^(1/(q+1)): the mean is at most M, and …",
        "Σ f^(q+1) ≤ (Σ f)^(q+1) for numbers that are not negative. Write that for means.",
        "For sharpness make both inequalities equalities: all losses equal at w_q, and one alone positive at w_0. Make F_q nearly the same.",
    ),
))

register(Question(
    slug="reweighting.leash",
    task="a price or a set of weights under which one office with a hopeless loss cannot take most of the weight",
    hints=(
        "The table of prices and places has room: a bound on each weight, a price that grows steeply near a corner, losses measured from something.",
        "Every rule of the form max over λ of λ · f minus a price is at most the largest loss. What is it at least? The difference is your (9).",
        "A bound of cap makes it the mean of the 1/cap worst losses. What happens to the tenth office if the broken one is among them?",
    ),
))

register(Question(
    slug="reweighting.band",
    task="whether a shorter server step calms TERM, and keeps the tenth office's weight in its band",
    hints=(
        "The weights follow the losses where the server stands. What does a long step do to the loss of a client that has just had a large weight, "
        "and then to its weight?",
        "Three times as many rounds of 0.3 go about as far. How much do losses change between two looks?",
        "`run` takes `tamper`, a function that is shown every round's updates: keep them, and ask `rule.direction` afterwards for weights and "
        "rates.",
    ),
))
