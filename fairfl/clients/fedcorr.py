"""FedCorr: find the clients with wrong labels, repair these, and only then train as usual."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from fairfl import models
from fairfl._randomness import generator
from fairfl._validation import as_device, integer, number
from fairfl.clients.engines import choose, train_slots
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.intrinsic_dimension import intrinsic_dimensions
from fairfl.clients.local_sgd import LocalSGD
from fairfl.clients.losses import cross_entropy
from fairfl.clients.round_work import RoundWork
from fairfl.clients.slots import Examples, Slot
from fairfl.errors import Diverged, refuse
from fairfl.federation import Federation, check_federation
from fairfl.updates import LOWER


@dataclass(frozen=True)
class Repaired:
    """What ``FedCorr.repair`` found. Stage 3 is ``train(repaired.federation, rule, repaired.model, ...)``.

    ``federation``: the one given, with other training labels. ``model``: the common model after stage 2.
    ``dimensions`` (N,): each client's mean local intrinsic dimension, summed over the passes; NaN for a client with too
    few rows to tell. ``suspects``: the clients whose sum lies in the upper of two groups, after the last pass.
    ``noise`` (N,): the estimated share of wrong labels, 0 for who is no suspect. ``changed`` (N,): labels that differ
    from those given.
    """

    federation: Federation
    model: torch.nn.Module
    dimensions: torch.Tensor
    suspects: tuple[int, ...]
    noise: torch.Tensor
    changed: torch.Tensor


@dataclass(frozen=True)
class FedCorr:
    """Stages 1 and 2 of FedCorr; stage 3 is the usual training, with whatever rule.

    Stage 1, ``passes`` times: clients train one after the other, in a random order, each from the model of the one
    before, with a pull ``β μ_k ‖w − w_t‖²``, μ_k the noise estimated in the pass before. Each sends the mean local
    intrinsic dimension of its model's predictions on its own rows (``neighbours``). A mixture of two normal
    distributions splits the clients by the sums of these; the upper group are the suspects. A suspect splits its rows
    likewise by their losses: the upper group's share is its noise μ_k. Of those rows the share ``relabel`` with the
    largest losses get the common model's answer, where it is at least ``confidence`` sure.

    Stage 2: ``finetune`` rounds of averaging on the clients with a noise of at most ``clean``, or of the least there
    is; then every row of a suspect of which the common model is so sure gets its answer.

    ``local``: a client's training. ``proximal``: β. ``together``: clients that train from one model in stage 1, whose
    models are then averaged by size; 1 is the paper's default in its experiments.

    Source: Xu et al. 2022, Algorithm 1, from memory and against the authors' code (Xu-Jingyi/FedCorr, main.py); the
    paper's text was not at hand. Losses are those of the client's model on this pass, as in that code, whose pull is
    ``β μ_k ‖w − w_t‖`` (not squared, and not in an epoch's first step). Left out: Mixup in local training, and that
    code's drawing of clients in stage 2: everybody chosen takes part in every round.

    Raises ``Refused`` for settings out of range.
    """

    passes: int = 5
    finetune: int = 20
    local: LocalSGD = LocalSGD()
    neighbours: int = 20
    proximal: float = 5.0
    relabel: float = 0.5
    confidence: float = 0.5
    clean: float = 0.1
    together: int = 1

    def __post_init__(self) -> None:
        integer("passes", self.passes, 1, "It is how often stage 1 visits every client.")
        integer("finetune", self.finetune, 0, "It is the number of rounds in stage 2.")
        integer("neighbours", self.neighbours, 2, "It is how many neighbours a dimension is estimated from.")
        integer("together", self.together, 1, "It is how many clients train from one model in stage 1.")
        number("proximal", self.proximal, 0, remedy="It is β, the pull on clients with noise.")
        for name in ("relabel", "confidence", "clean"):
            number(name, getattr(self, name), 0, 1, "It is a share.")
        if not isinstance(self.local, LocalSGD):
            raise refuse("local", self.local, "LocalSGD(...)", "It says how a client trains.")
        if self.local.proximal or self.local.correct is not None:
            raise refuse("local", self.local, "no proximal term and no correction", "The pull is given by proximal.")

    def repair(
        self,
        federation: Federation,
        model: str | torch.nn.Module | Callable = "logistic",
        *,
        seed: int = 0,
        device: str | torch.device = "cpu",
    ) -> Repaired:
        """Stages 1 and 2 on ``federation``, whose targets must be classes; ``model`` and ``seed`` as in ``train``.

        A client with fewer than three training rows is never suspected. Raises ``Refused`` for what is no federation,
        targets that are no classes and a device that is not here, ``Diverged``, with ``clients`` naming whose, where a
        client's model stops being finite.
        """
        check_federation(federation)
        place = as_device(device)
        given = federation.dataset.class_labels("FedCorr")
        flat = FlatModel(models.fresh(model, federation.dataset, seed), place)
        site = _Site(self, federation, flat, Examples(federation.dataset.inputs.to(place), given.clone().to(place)))
        N, w = len(federation), flat.vector.clone()
        sums, noise, suspects = torch.zeros(N, dtype=torch.float64), torch.zeros(N, dtype=torch.float64), []
        for t in range(self.passes):
            w, dimensions, losses = site.visit_all(w, noise, seed, t)
            sums += dimensions
            suspects = _upper(sums).nonzero().flatten().tolist()
            wrong = {k: _upper(losses[k]) for k in suspects}
            noise = torch.zeros_like(noise)
            for k in suspects:
                noise[k] = wrong[k].double().mean()
                most = losses[k].argsort(descending=True)[: int(self.relabel * int(wrong[k].sum()))]
                site.relabel(w, k, most)
        trusted = (noise <= max(self.clean, float(noise.min()))).nonzero().flatten().tolist()
        for t in range(self.passes, self.passes + self.finetune):
            w = site.average(w, trusted, seed, t)
        for k in suspects:
            site.relabel(w, k)
        flat.vector.copy_(w)
        targets = site.data.targets.cpu()
        changed = torch.tensor([int((targets[rows] != given[rows]).sum()) for rows in federation.train])
        told = f"{int(changed.sum())} training labels replaced by FedCorr (seed {seed})"
        dataset = federation.dataset
        dataset = replace(dataset, targets=targets, variant="; ".join(filter(None, (dataset.variant, told))))
        recipe = federation.recipe | {"fedcorr": {"suspects": suspects, "seed": seed}}
        repaired = replace(federation, dataset=dataset, recipe=recipe)
        return Repaired(repaired, flat.module, sums, tuple(suspects), noise, changed)


@dataclass(frozen=True)
class _Site:
    """The clients of a federation at work; ``data.targets`` are the labels as they stand."""

    method: FedCorr
    federation: Federation
    flat: FlatModel
    data: Examples

    def visit_all(
        self, w: torch.Tensor, noise: torch.Tensor, seed: int, t: int
    ) -> tuple[torch.Tensor, torch.Tensor, list[torch.Tensor]]:
        """One pass: the model (d,), the dimensions (N,), and each client's losses at its own model, (n_k,) each."""
        N = len(noise)
        dimensions, losses = torch.full((N,), torch.nan, dtype=torch.float64), [torch.empty(0)] * N
        for group in torch.randperm(N, generator=generator(seed, "fedcorr", t)).split(self.method.together):
            deltas = w.new_empty(len(group), len(w))
            for level in noise[group].unique():  # one pull, one stack: in the first pass all of them
                alike = noise[group] == level
                pull = 2 * self.method.proximal * float(level)
                deltas[alike.to(w.device)] = self._train(w, group[alike].tolist(), seed, t, pull)
            for k, delta in zip(group.tolist(), deltas):
                beliefs, losses[k] = self._predict(w - delta, k)
                told = intrinsic_dimensions(beliefs, self.method.neighbours)
                dimensions[k] = told[~told.isnan()].mean()
            w = w - self._shares(group.tolist()) @ deltas
        return w, dimensions, losses

    def average(self, w: torch.Tensor, clients: Sequence[int], seed: int, t: int) -> torch.Tensor:
        """The model (d,) after one round of averaging on ``clients``."""
        return w - self._shares(clients) @ self._train(w, clients, seed, t, 0.0)

    def relabel(self, w: torch.Tensor, client: int, places: torch.Tensor | None = None) -> None:
        """Give ``client``'s rows, or those at ``places`` among them, the answers that the model ``w`` is sure of."""
        sureness, answers = self._predict(w, client)[0].max(1)
        sure = sureness > self.method.confidence
        if places is not None:
            sure &= torch.zeros_like(sure).index_fill(0, places, True)
        rows = self.federation.train[client]
        self.data.targets[rows[sure]] = answers[sure].to(self.data.targets.device)

    def _shares(self, clients: Sequence[int]) -> torch.Tensor:
        sizes = self.federation.sizes[list(clients)].to(self.flat.vector)
        return sizes / sizes.sum()

    def _train(self, w: torch.Tensor, clients: Sequence[int], seed: int, t: int, pull: float) -> torch.Tensor:
        """The pseudo-gradients (K, d) of ``clients``, trained from ``w``."""
        slots = [Slot(0, seed, k, self.federation.train[k].to(self.flat.device)) for k in clients]
        work = RoundWork(self.data, slots, w[None], replace(self.method.local, proximal=pull), t, cross_entropy)
        deltas = train_slots(self.flat, work, choose(self.flat, len(slots)))
        bad = [k for k, finite in zip(clients, torch.isfinite(deltas).all(1).tolist()) if not finite]
        if bad:
            error = Diverged(f"client {bad[0]}'s model stopped being finite in round {t} of FedCorr; {LOWER}")
            error.clients = dict.fromkeys(bad, "trained a model that is not finite")
            raise error
        return deltas

    @torch.no_grad()
    def _predict(self, w: torch.Tensor, client: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The model's probabilities (n, C) on a client's rows, and the losses (n,) of the labels as they stand."""
        rows = self.federation.train[client].to(self.flat.device)
        self.flat.vector.copy_(w)
        self.flat.module.eval()
        outputs = self.flat.module(self.data.inputs[rows])
        self.flat.module.train()
        # In float64, for predictions that are nearly sure differ in digits that float32 has not.
        return outputs.double().softmax(1).cpu(), cross_entropy(outputs, self.data.targets[rows]).cpu()


def _upper(values: torch.Tensor) -> torch.Tensor:
    """Which of ``values`` (n,) lie in the upper of two groups, by a mixture of two normal distributions.

    Nobody where there are no two groups: fewer than two numbers, or all equal. NaN lies in neither.
    """
    from sklearn.mixture import GaussianMixture

    told = ~values.isnan()
    known = values[told].double().numpy()[:, None]
    if len(known) < 2 or known.max() == known.min():
        return torch.zeros_like(told)
    mixture = GaussianMixture(2, n_init=5, random_state=0).fit(known)
    upper = torch.zeros_like(told)
    upper[told] = torch.from_numpy(mixture.predict(known) == mixture.means_[:, 0].argmax())
    return upper
