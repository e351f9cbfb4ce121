"""FedCorr's first two stages as printed, for softmax regression with full-batch steps, one client and row at a time."""

import numpy as np
from sklearn.mixture import GaussianMixture


def lid(points, k):
    """The estimate at each point from its ``k`` nearest neighbours; 1e-6 is added to the largest distance, as in the
    authors' code.
    """
    out = []
    for i, a in enumerate(points):
        r = sorted(max(np.sqrt(((a - b) ** 2).sum()), 1e-12) for j, b in enumerate(points) if j != i)[:k]
        out.append(1 / (sum(np.log((r[-1] + 1e-6) / x) for x in r) / len(r)))
    return np.array(out)


def upper(values):
    """A mask of the numbers that belong to the component with the higher mean."""
    values = np.array(values)
    mixture = GaussianMixture(2, n_init=5, random_state=0).fit(values.reshape(-1, 1))
    answers = mixture.predict(values.reshape(-1, 1))
    return answers == (1 if mixture.means_[1, 0] > mixture.means_[0, 0] else 0)


def predict(w, x):
    z = x @ w[0].T + w[1]
    z = np.exp(z - z.max(1, keepdims=True))
    return z / z.sum(1, keepdims=True)


def descend(w, x, y, steps, lr, pull):
    """Gradient steps on the mean cross-entropy + ``pull`` ‖w − start‖²."""
    W, b = w[0].copy(), w[1].copy()
    for _ in range(steps):
        error = (predict((W, b), x) - np.eye(len(b))[y]) / len(y)
        W, b = W - lr * (error.T @ x + 2 * pull * (W - w[0])), b - lr * (error.sum(0) + 2 * pull * (b - w[1]))
    return W, b


def average(models, sizes):
    share = np.array(sizes) / sum(sizes)
    return tuple(sum(s * m[i] for s, m in zip(share, models)) for i in (0, 1))


def repair(x, y, rows, w, orders, settings):
    """Labels, suspects, noise and sums of dimensions. ``orders``: for each pass a list of groups of
    clients that train from the same model.
    """
    y, N, steps, lr = y.copy(), len(rows), settings["steps"], settings["lr"]
    sums, mu = np.zeros(N), np.zeros(N)
    for groups in orders:
        losses = [None] * N
        for group in groups:
            trained = []
            for k in group:
                trained.append(descend(w, x[rows[k]], y[rows[k]], steps, lr, settings["beta"] * mu[k]))
                p = predict(trained[-1], x[rows[k]])
                sums[k] += np.mean(lid(p, settings["neighbours"]))
                losses[k] = -np.log(p[np.arange(len(p)), y[rows[k]]])
            w = average(trained, [len(rows[k]) for k in group])
        suspects, mu = np.flatnonzero(upper(sums)), np.zeros(N)
        for k in suspects:
            wrong = upper(losses[k])
            mu[k] = wrong.sum() / len(rows[k])
            worst = np.argsort(-losses[k])[: int(settings["relabel"] * wrong.sum())]
            p = predict(w, x[rows[k]])
            for i in worst:
                if p[i].max() > settings["confidence"]:
                    y[rows[k][i]] = p[i].argmax()
    trusted = [k for k in range(N) if mu[k] <= settings["clean"]]
    for _ in range(settings["finetune"]):
        w = average(
            [descend(w, x[rows[k]], y[rows[k]], steps, lr, 0) for k in trusted], [len(rows[k]) for k in trusted]
        )
    for k in suspects:
        p = predict(w, x[rows[k]])
        sure = p.max(1) > settings["confidence"]
        y[rows[k][sure]] = p.argmax(1)[sure]
    return y, suspects, mu, sums
