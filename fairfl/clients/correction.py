"""``Correction``: what a reader changes in local training, and what clients keep for it from round to round."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from fairfl.clients.slots import Slot
from fairfl.errors import refuse

Stacks = dict[str, torch.Tensor]


class Correction:
    """Derive from it, and give an instance: ``LocalSGD(correct=MyCorrection())``. Any of the methods may be left out.

    ``keeps``: names of vectors (d,) that every client keeps between rounds, zero before its first visit, in checkpoints
    as well. Settings are public attributes; anything else on ``self`` is shared by all clients and runs, and lost with
    a checkpoint. Methods see S slots (client and run) as stacks (S, d), which they leave unchanged: ``own``, what each
    keeps, by name, and ``common``, its mean over the population of the slot's run (equal rows within a run).

    >>> from fairfl.clients import Correction, LocalSGD
    >>> class Clipped(Correction):
    ...     def gradient(self, g, w, start, own, common):
    ...         return g / g.norm(dim=1, keepdim=True).clamp(min=1)
    >>> LocalSGD(lr=0.5, correct=Clipped()).steps_of(20)
    1
    """

    keeps: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        if not isinstance(cls.keeps, tuple) or not all(isinstance(name, str) for name in cls.keeps):
            raise refuse(f"{cls.__name__}.keeps", cls.keeps, "a tuple of names", f"One name alone is ({cls.keeps!r},).")

    def gradient(
        self, g: torch.Tensor, w: torch.Tensor, start: torch.Tensor, own: Stacks, common: Stacks
    ) -> torch.Tensor:
        """What a step follows instead of ``g`` (S, d), the batch's gradient at ``w``, before the
        proximal term and momentum; ``own`` and ``common`` as the round began.
        """
        return g

    def after(
        self, delta: torch.Tensor, start: torch.Tensor, own: Stacks, common: Stacks, step_sizes: torch.Tensor
    ) -> Stacks:
        """What is kept from now on, every name of ``keeps``. ``delta`` (S, d): start − end of local training;
        ``step_sizes`` (S, 1): the sum of each slot's.
        """
        return own

    def sent(self, delta: torch.Tensor, common: Stacks, steps: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
        """The pseudo-gradients of one run's K participants, instead of ``delta`` (K, d). ``common`` has seen this
        round; ``steps`` and ``shares`` (K, 1): numbers of local steps, and data shares that sum to 1.
        """
        return delta


@dataclass(frozen=True)
class Bound:
    """A correction and what it sees of S slots."""

    correct: Correction
    start: torch.Tensor
    own: Stacks
    common: Stacks

    @classmethod
    def of(cls, correct: Correction, slots: Sequence[Slot], starts: torch.Tensor, kept: Sequence[Stacks]) -> "Bound":
        """``starts`` (R, d), and ``kept``: for each of R runs what its N clients keep, by name, (N, d)."""
        runs = torch.tensor([s.run for s in slots], device=starts.device)
        own = {name: torch.stack([kept[s.run][name][s.client] for s in slots]) for name in correct.keeps}
        common = {name: torch.stack([k[name].mean(0) for k in kept])[runs] for name in correct.keeps}
        return cls(correct, starts[runs], own, common)

    def rows(self, places: slice | list[int]) -> "Bound":
        own, common = ({name: v[places] for name, v in held.items()} for held in (self.own, self.common))
        return Bound(self.correct, self.start[places], own, common)

    def gradient(self, g: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return self._shaped("gradient", self.correct.gradient(g, w, self.start, self.own, self.common), g)

    def close(
        self,
        deltas: torch.Tensor,
        slots: Sequence[Slot],
        steps: Sequence[int],
        step_sizes: Sequence[float],
        kept: Sequence[Stacks],
    ) -> torch.Tensor:
        """What the clients send, (S, d); ``kept`` is updated in place.

        ``deltas`` (S, d): start minus end of each slot's local training. ``steps`` and ``step_sizes``: for each slot,
        how many steps it took, and the sum of their step sizes.
        """
        out, column = torch.empty_like(deltas), lambda values: deltas.new_tensor(values)[:, None]
        for r, held in enumerate(kept):
            places = [i for i, s in enumerate(slots) if s.run == r]
            mine, delta, sizes = self.rows(places), deltas[places], [len(slots[i].rows) for i in places]
            summed = column([step_sizes[i] for i in places])
            new = self.correct.after(delta, mine.start, mine.own, mine.common, summed)
            if not isinstance(new, dict) or set(new) != set(held):
                given = sorted(new) if isinstance(new, dict) else type(new).__name__
                raise refuse(
                    f"what {self._name}.after returns",
                    given,
                    f"a dict of {sorted(held)}",
                    "Give every name of keeps its new stack.",
                )
            for name, values in new.items():
                held[name][[slots[i].client for i in places]] = self._shaped("after", values, delta)
            common = {name: v.mean(0).expand_as(delta) for name, v in held.items()}
            counts, shares = column([steps[i] for i in places]), column([n / sum(sizes) for n in sizes])
            sent = self.correct.sent(delta, common, counts, shares)
            out[places] = self._shaped("sent", sent, delta)
        return out

    @property
    def _name(self) -> str:
        return type(self.correct).__name__

    def _shaped(self, method: str, value: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        given = tuple(value.shape) if isinstance(value, torch.Tensor) else type(value).__name__
        if given != like.shape:
            raise refuse(
                f"the shape from {self._name}.{method}",
                given,
                str(tuple(like.shape)),
                "One row a slot, as in what the method is given.",
            )
        return value
