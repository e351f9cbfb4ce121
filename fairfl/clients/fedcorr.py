"""FedCorr: find the clients with wrong labels, correct the labels, and then train as usual."""

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
    """The result of ``FedCorr.repair``. Stage 3 is ``train(repaired.federation, rule, repaired.model, ...)``.

    - ``federation``: the given federation with corrected training labels.
    - ``model``: the common model after stage 2.
    - ``dimensions`` (N,): each client's mean local intrinsic dimension, summed over the passes; NaN for a client with
      too few rows for an estimate.
    - ``suspects``: the clients whose sum lies in the upper of two groups after the last pass.
    - ``noise`` (N,): the estimated share of wrong labels, 0 for clients that are not suspects.
    - ``changed`` (N,): the number of labels that differ from the given ones.
    """

    federation: Federation
    model: torch.nn.Module
    dimensions: torch.Tensor
    suspects: tuple[int, ...]
    noise: torch.Tensor
    changed: torch.Tensor


@dataclass(frozen=True)
class FedCorr:
    """Stages 1 and 2 of FedCorr; stage 3 is the usual training, with any rule.

    Stage 1 makes ``passes`` passes over the clients. They train one after another, in a random order, each from the
    model of the one before it. The proximal term is ``β μ_k ‖w − w_t‖²``, where μ_k is the noise estimated in the pass
    before. Each client sends the mean local intrinsic dimension of its model's predictions on its own rows
    (``neighbours``). A mixture of two normal distributions splits the clients by the sums of these dimensions; the
    upper group are the suspects. A suspect splits its rows by their losses in the same way, and the share of the upper
    group is its noise μ_k. Among the rows of that group, the fraction ``relabel`` with the largest losses gets the
    common model's prediction as label, provided its probability is above ``confidence``.

    Stage 2 makes ``finetune`` rounds of averaging over the clients whose noise is at most ``clean``, or equal to the
    smallest noise if that is larger. Then every row of a suspect whose prediction has a probability above
    ``confidence`` gets that prediction as label.

    ``local``: a client's training. ``proximal``: β. ``together``: the number of clients that train from the same model
    in stage 1 (their models are then averaged by size); the default in the paper's experiments is 1.

    Source: Xu et al. 2022, Algorithm 1, from memory and checked against the authors' code (Xu-Jingyi/FedCorr, main.py);
    the paper's text was not available. Losses are those of the client's model in this pass, as in that code. The code's
    proximal term is ``β μ_k ‖w − w_t‖`` (not squared, and not in the first step of an epoch). Two parts are left out:
    Mixup in local training, and the code's sampling of clients in stage 2, where here every chosen client takes part in
    every round.

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
        integer("passes", self.passes, 1, "It is the number of times that stage 1 visits every client.")
        integer("finetune", self.finetune, 0, "It is the number of rounds in stage 2.")
        integer("neighbours", self.neighbours, 2, "It is the number of neighbours behind an estimate.")
        integer("together", self.together, 1, "It is the number of clients that share a model in stage 1.")
        number("proximal", self.proximal, 0, remedy="It is β, the weight of the proximal term for clients with noise.")
        for name in ("relabel", "confidence", "clean"):
            number(name, getattr(self, name), 0, 1, "It is a fraction.")
        if not isinstance(self.local, LocalSGD):
            raise refuse("local", self.local, "LocalSGD(...)", "It says how a client trains.", "type")
        if self.local.proximal or self.local.correct is not None:
            remedy = "Set FedCorr's own proximal instead."
            raise refuse("local", self.local, "no proximal term and no correction", remedy, "combination")

    def repair(
        self,
        federation: Federation,
        model: str | torch.nn.Module | Callable = "logistic",
        *,
        seed: int = 0,
        device: str | torch.device = "cpu",
    ) -> Repaired:
        """Run stages 1 and 2 on ``federation``, whose targets must be classes; ``model`` and ``seed`` as in ``train``.

        A client with fewer than three training rows is never a suspect.

        Raises ``Refused`` if ``federation`` is not a ``Federation``, the targets are not classes, or the device does
        not exist; ``Diverged``, whose ``clients`` names them, if a client's model stops being finite.
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
        note = f"{int(changed.sum())} training labels replaced by FedCorr (seed {seed})"
        dataset = federation.dataset
        dataset = replace(dataset, targets=targets, variant="; ".join(filter(None, (dataset.variant, note))))
        recipe = federation.recipe | {"fedcorr": {"suspects": suspects, "seed": seed}}
        repaired = replace(federation, dataset=dataset, recipe=recipe)
        return Repaired(repaired, flat.module, sums, tuple(suspects), noise, changed)


@dataclass(frozen=True)
class _Site:
    """The clients of a federation during repair; ``data.targets`` are the current labels."""

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
            for level in noise[group].unique():  # clients with equal noise form one stack; in the first pass, all do
                alike = noise[group] == level
                pull = 2 * self.method.proximal * float(level)
                deltas[alike.to(w.device)] = self._train(w, group[alike].tolist(), seed, t, pull)
            for k, delta in zip(group.tolist(), deltas):
                beliefs, losses[k] = self._predict(w - delta, k)
                found = intrinsic_dimensions(beliefs, self.method.neighbours)
                dimensions[k] = found[~found.isnan()].mean()
            w = w - self._shares(group.tolist()) @ deltas
        return w, dimensions, losses

    def average(self, w: torch.Tensor, clients: Sequence[int], seed: int, t: int) -> torch.Tensor:
        """The model (d,) after one round of averaging over ``clients``."""
        return w - self._shares(clients) @ self._train(w, clients, seed, t, 0.0)

    def relabel(self, w: torch.Tensor, client: int, places: torch.Tensor | None = None) -> None:
        """Relabel ``client``'s rows, or those at ``places`` among them, where the model ``w`` is confident."""
        probability, predicted = self._predict(w, client)[0].max(1)
        sure = probability > self.method.confidence
        if places is not None:
            sure &= torch.zeros_like(sure).index_fill(0, places, True)
        rows = self.federation.train[client]
        self.data.targets[rows[sure]] = predicted[sure].to(self.data.targets.device)

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
            error = Diverged(f"client {bad[0]}'s model is no longer finite in round {t} of FedCorr; {LOWER}")
            error.clients = dict.fromkeys(bad, "trained a model that is not finite")
            raise error
        return deltas

    @torch.no_grad()
    def _predict(self, w: torch.Tensor, client: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The model's probabilities (n, C) on a client's rows, and the losses (n,) of the current labels."""
        rows = self.federation.train[client].to(self.flat.device)
        self.flat.vector.copy_(w)
        self.flat.module.eval()
        outputs = self.flat.module(self.data.inputs[rows])
        self.flat.module.train()
        # In float64, because nearly certain predictions differ only in digits that float32 does not have.
        return outputs.double().softmax(1).cpu(), cross_entropy(outputs, self.data.targets[rows]).cpu()


def _upper(values: torch.Tensor) -> torch.Tensor:
    """A mask of the ``values`` (n,) in the upper of two groups, by a mixture of two normal distributions.

    It is empty if there are no two groups: fewer than two numbers, or all equal. NaN is in neither group.
    """
    from sklearn.mixture import GaussianMixture

    valid = ~values.isnan()
    known = values[valid].double().numpy()[:, None]
    if len(known) < 2 or known.max() == known.min():
        return torch.zeros_like(valid)
    mixture = GaussianMixture(2, n_init=5, random_state=0).fit(known)
    upper = torch.zeros_like(valid)
    upper[valid] = torch.from_numpy(mixture.predict(known) == mixture.means_[:, 0].argmax())
    return upper
