"""What ``train`` can hand to a rule beyond gradients and shares, by name."""

from dataclasses import dataclass

import torch

from fairfl.errors import unknown
from fairfl.training.evaluation import Scorer


@dataclass(frozen=True)
class RoundView:
    """One run's round as a provider sees it. ``rows``: the participants' training rows, ``validation``: their validation
    rows, both as lists of tensors; ``start``: w_t (d,); ``gradients`` (K, d)."""

    flat: object
    data: object
    loss: object
    rows: list
    validation: list
    start: torch.Tensor
    gradients: torch.Tensor
    state: dict


def losses(view: RoundView) -> torch.Tensor:
    """Mean training losses at w_t, (K,)."""
    view.flat.vector.copy_(view.start)
    return Scorer(view.data, view.rows, view.loss, shared=False)(view.flat.module)[1]


def losses_after(view: RoundView) -> torch.Tensor:
    """Each client's mean training loss at its own model after local training, (K,)."""
    out = []
    for rows, g in zip(view.rows, view.gradients):
        torch.sub(view.start, g, out=view.flat.vector)
        out.append(Scorer(view.data, [rows], view.loss, shared=False)(view.flat.module)[1])
    return torch.cat(out)


def accuracies(view: RoundView) -> torch.Tensor:
    """Accuracies at w_t, (K,): on validation rows where every participant has some, else on training rows."""
    view.flat.vector.copy_(view.start)
    rows = view.validation if all(len(r) for r in view.validation) else view.rows
    return Scorer(view.data, rows, view.loss, shared=False)(view.flat.module)[0]


PROVIDERS = {"losses": losses, "losses_after": losses_after, "accuracies": accuracies}
ALWAYS = {"layout", "shares"}


def refuse_unprovided(rule) -> None:
    """Refuse, before the first round, a rule that needs what nobody provides."""
    for name in sorted(rule.needs - ALWAYS):
        if name not in PROVIDERS:
            raise unknown(f"need of rule {rule.name}", name, set(PROVIDERS) | ALWAYS,
                          "train provides these; put anything else on the client side, in your own loop.")
