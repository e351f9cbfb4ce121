"""Ditto: a personal model for every client, held near the common one."""

from dataclasses import dataclass, replace

import torch

from fairfl._validation import number
from fairfl.clients.engines import train_slots
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.local_sgd import LocalSGD
from fairfl.clients.round_work import RoundWork
from fairfl.clients.slots import Slot
from fairfl.errors import Diverged, refuse


@dataclass(frozen=True)
class Ditto:
    """``v_k ← v_k − η (∇f_k(v_k) + λ (v_k − w_t))`` beside the common model's training (Li et al. 2021, Algorithm 1).

    ``strength``: λ, how firmly a personal model is held; 0 trains alone. ``local``: how it is trained each time its
    client takes part; its own proximal term is λ. Personal models start at w_0, are kept between rounds, and are what
    is evaluated.
    """

    strength: float = 0.1
    local: LocalSGD = LocalSGD()

    def __post_init__(self) -> None:
        number("strength", self.strength, 0, remedy="It is λ, the pull towards the common model.")
        if not isinstance(self.local, LocalSGD):
            raise refuse("local", self.local, "LocalSGD(...)", "It says how a personal model is trained.")
        if self.local.proximal:
            raise refuse("local.proximal", self.local.proximal, "0", "Ditto's pull is given by strength.")
        if self.local.correct is not None:
            raise refuse(
                "local.correct", self.local.correct, "None", "A correction is for the common model: train(local=...)."
            )

    def step(
        self, flat: FlatModel, work: RoundWork, slots: list[Slot], personal: torch.Tensor, w: torch.Tensor, engine: str
    ) -> None:
        """Train the personal models of ``slots``' clients in place. ``work``: the common model's; ``slots``: one run's
        among them. ``personal`` (N, d); ``w`` (d,): the common model w_t.

        Raises ``Diverged``, with ``clients`` naming whose, where a personal model stops being finite: no rule sees it.
        ``personal`` is then as it was.
        """
        clients = torch.tensor([slot.client for slot in slots], device=personal.device)
        starts = personal[clients]
        mine = replace(
            work,
            slots=[replace(slot, run=i) for i, slot in enumerate(slots)],
            starts=starts,
            local=replace(self.local, proximal=self.strength),
            anchors=w.expand_as(starts),
        )
        trained = starts - train_slots(flat, mine, engine)
        lost = [slot.client for slot, finite in zip(slots, torch.isfinite(trained).all(1).tolist()) if not finite]
        if lost:
            error = Diverged(
                f"client {lost[0]}'s personal model stopped being finite (round {work.round}); lower the lr of Ditto's "
                f"local, or its strength"
            )
            error.clients = dict.fromkeys(lost, "trained a personal model that is not finite")
            raise error
        personal[clients] = trained
