"""Numbers per client that a rule can ask for beside gradients and shares, by name."""

from dataclasses import dataclass, field
from typing import Any

import torch

from fairfl.clients.evaluation import Scorer
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.lbfgs import LBFGS
from fairfl.clients.losses import Loss
from fairfl.clients.round_work import RoundWork
from fairfl.clients.slots import Examples
from fairfl.errors import unknown


@dataclass(frozen=True, kw_only=True)
class RoundView:
    """One run's round, as a provider sees it.

    - ``work``: the round's local training, with one slot for each of the run's K participants.
    - ``gradients`` (K, d): their pseudo-gradients.
    - ``validation``: their validation rows, one tensor per participant.
    - ``memory``: what a provider keeps about clients between rounds, by provider and client.
    - ``scored``: accuracies and losses (K,) at w_t that are already known, by part ("train", "validation").
    """

    flat: FlatModel
    work: RoundWork
    gradients: torch.Tensor
    validation: list[torch.Tensor]
    memory: dict[str, Any]
    scored: dict[str, tuple[torch.Tensor, torch.Tensor]] = field(default_factory=dict)

    @property
    def start(self) -> torch.Tensor:
        """The model w_t (d,) that the participants started from."""
        return self.work.starts[self.work.slots[0].run]

    @property
    def rows(self) -> list[torch.Tensor]:
        """The participants' training rows."""
        return [slot.rows for slot in self.work.slots]

    @property
    def clients(self) -> list[int]:
        """The participants' numbers."""
        return [slot.client for slot in self.work.slots]

    @property
    def pseudo_lr(self) -> list[float]:
        """For each participant, the sum of the local step sizes behind its pseudo-gradient."""
        return [self.work.local_of(slot).pseudo_lr(len(slot.rows), self.work.round) for slot in self.work.slots]

    def at_start(self, part: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Accuracies and mean losses (K,) at w_t on the rows of ``part``, computed once per round."""
        if part not in self.scored:
            self.flat.vector.copy_(self.start)
            rows = self.rows if part == "train" else self.validation
            self.scored[part] = Scorer(self.work.data, rows, self.work.loss, shared=False)(self.flat.module)
        return self.scored[part]


def losses(view: RoundView) -> torch.Tensor:
    """Mean training losses at w_t, (K,)."""
    return view.at_start("train")[1]


def losses_after(view: RoundView) -> torch.Tensor:
    """Each client's mean training loss at its own model after local training, (K,)."""
    if view.flat.device.type != "cpu" and not view.flat.has_recurrence:
        return _stacked_losses(view.flat, view.start - view.gradients, view.rows, view.work.data, view.work.loss)
    out = []
    for rows, g in zip(view.rows, view.gradients):
        torch.sub(view.start, g, out=view.flat.vector)
        out.append(Scorer(view.work.data, [rows], view.work.loss, shared=False)(view.flat.module)[1])
    return torch.cat(out)


@torch.no_grad()
def _stacked_losses(
    flat: FlatModel, models: torch.Tensor, rows: list[torch.Tensor], data: Examples, loss: Loss
) -> torch.Tensor:
    """The losses of all K ``models`` (K, d) at once, each on its own rows: a GPU synchronises once, not K times."""
    sizes = torch.tensor([len(own) for own in rows], device=flat.device)
    table = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    inside = torch.arange(table.shape[1], device=flat.device) < sizes[:, None]
    flat.module.eval()
    per_row = torch.func.vmap(
        lambda own, x, y: loss(torch.func.functional_call(flat.module, own, (x,)), y), randomness="error"
    )(flat.split(models), data.inputs[table], data.targets[table])
    flat.module.train()
    return ((per_row.double() * inside).sum(1) / sizes).cpu()


def accuracies(view: RoundView) -> torch.Tensor:
    """Accuracies at w_t, (K,): on validation rows if every participant has some, otherwise on training rows."""
    return view.at_start("validation" if all(len(r) for r in view.validation) else "train")[0]


def newton_rates(view: RoundView) -> torch.Tensor:
    """DQN-Fed's rates r_k, (K,): the first-order decrease of each client's own quasi-Newton step, on the scale of g_k.

    Let ``∇ = g_k / ℓ``, where ℓ is the client's sum of step sizes (exact for one full-batch step), and let B come from
    the gradients of this client's visits so far (``LBFGS``, B₀ = ℓ I). The decrease is ``∇ᵀ B ∇``, and a direction
    achieves it if ``g_k · dir = ℓ ∇ᵀ B ∇``. On its first visit a client has no pairs, and the rate is ``‖g_k‖²``: the
    decrease of its own local step.
    """
    memory = view.memory.setdefault("newton_rates", {})
    out = []
    for client, g, lr in zip(view.clients, view.gradients, view.pseudo_lr):
        bfgs = LBFGS()
        if client in memory:
            bfgs.load_state_dict(memory[client])
        gradient = g / lr
        bfgs.observe(view.start, gradient)
        memory[client] = bfgs.state_dict()
        out.append(float(lr * (gradient @ bfgs.times(gradient, lr))))
    return torch.tensor(out, dtype=torch.float64)


def smoothness(view: RoundView) -> torch.Tensor:
    """Each client's largest ``‖y‖ / ‖s‖`` among the pairs behind its Newton rate, (K,): how fast its gradient changes.

    Computed after ``newton_rates`` of the same round; 0 for clients without pairs.
    """
    held = view.memory.get("newton_rates", {})
    pairs = [held.get(client, {"pairs": []})["pairs"] for client in view.clients]
    steep = [max((float(y.norm() / s.norm()) for s, y in known), default=0.0) for known in pairs]
    return torch.tensor(steep, dtype=torch.float64)


def pseudo_lr(view: RoundView) -> torch.Tensor:
    """The sum of local step sizes behind each row, (K,): ``g_k ≈ pseudo_lr_k ∇f_k(w_t)`` (see ``LocalMethod``)."""
    return torch.tensor(view.pseudo_lr, dtype=torch.float64)


PROVIDERS = {
    "losses": losses,
    "losses_after": losses_after,
    "accuracies": accuracies,
    "newton_rates": newton_rates,
    "smoothness": smoothness,
    "pseudo_lr": pseudo_lr,
}
# The server knows these itself and asks no client for them.
ALWAYS = {"inclusion", "layout", "shares"}


def refuse_unprovided(rule: str, needs: frozenset[str]) -> None:
    """Raise ``Refused`` if the rule called ``rule`` needs a number that no provider computes."""
    for name in sorted(needs - ALWAYS):
        if name not in PROVIDERS:
            raise unknown(
                f"need of rule {rule}",
                name,
                set(PROVIDERS) | ALWAYS,
                "train provides these; compute anything else on the clients, in a loop of your own.",
            )
