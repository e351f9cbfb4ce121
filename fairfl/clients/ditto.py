"""Ditto: a personal model for every client, kept close to the common one."""

from dataclasses import dataclass, replace

import torch

from fairfl._validation import number
from fairfl.clients.engines import train_slots
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.local_sgd import LocalSGD
from fairfl.clients.round_work import RoundWork
from fairfl.errors import Diverged, refuse


@dataclass(frozen=True)
class Ditto:
    """Personal models, trained beside the common one: ``v_k ← v_k − η (∇f_k(v_k) + λ (v_k − w_t))``.

    Source: Li et al. 2021, Algorithm 1. ``strength``: λ, the pull towards the common model; with 0 a client trains
    alone. ``local``: how a personal model is trained each time its client takes part; the proximal term is given by λ.
    Personal models start at w_0, are kept between rounds, and are the models that are evaluated.
    """

    strength: float = 0.1
    local: LocalSGD = LocalSGD()

    def __post_init__(self) -> None:
        number("strength", self.strength, 0, remedy="It is λ, the pull towards the common model.")
        if not isinstance(self.local, LocalSGD):
            raise refuse("local", self.local, "LocalSGD(...)", "It says how a personal model is trained.", "type")
        if self.local.proximal:
            raise refuse(
                "local.proximal", self.local.proximal, "0", "Set Ditto's pull with strength instead.", "combination"
            )
        if self.local.correct is not None:
            remedy = "Corrections apply to the common model: train(local=...)."
            raise refuse("local.correct", self.local.correct, "None", remedy, "combination")

    def step(self, flat: FlatModel, work: RoundWork, personal: torch.Tensor, engine: str) -> None:
        """Train the personal models of the clients in ``work``, in place.

        ``work``: the round's training of the common model, with the slots of one run. ``personal`` (N, d): that run's
        personal models.

        Raises ``Diverged`` if a personal model stops being finite, because no rule would notice. Its ``clients`` names
        them, and ``personal`` is unchanged.
        """
        slots = work.slots
        clients = torch.tensor([slot.client for slot in slots], device=personal.device)
        starts = personal[clients]
        own_work = replace(
            work,
            slots=[replace(slot, run=i) for i, slot in enumerate(slots)],
            starts=starts,
            local=replace(self.local, proximal=self.strength),
            anchors=work.starts[slots[0].run].expand_as(starts),
        )
        trained = starts - train_slots(flat, own_work, engine)
        lost = [slot.client for slot, finite in zip(slots, torch.isfinite(trained).all(1).tolist()) if not finite]
        if lost:
            error = Diverged(
                f"client {lost[0]}'s personal model is no longer finite (round {work.round}). Lower the lr of Ditto's "
                f"local, or its strength"
            )
            error.clients = dict.fromkeys(lost, "trained a personal model that is not finite")
            raise error
        personal[clients] = trained
