"""``Correction``: a change to local training, with the state that clients keep for it between rounds."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from fairfl.clients.slots import Slot
from fairfl.errors import refuse

Stacks = dict[str, torch.Tensor]


class Correction:
    """Base class for corrections of local training, such as SCAFFOLD's control variates.

    Derive from it and pass an instance: ``LocalSGD(correct=MyCorrection())``. Every method is optional.

    ``keeps``: names of the vectors (d,) that every client keeps between rounds. They are zero before a client's first
    visit, and checkpoints hold them. Settings are public attributes. Anything else on ``self`` is shared by all clients
    and runs, and a checkpoint does not hold it. Methods see S slots (a client of a run) as stacks (S, d) and must not
    change them: ``own`` is what each slot keeps, by name, and ``common`` its mean over the population of the slot's run
    (equal rows within a run).

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
            remedy = f"A tuple with one name is ({cls.keeps!r},)."
            raise refuse(f"{cls.__name__}.keeps", cls.keeps, "a tuple of names", remedy, "type")

    def gradient(
        self, g: torch.Tensor, w: torch.Tensor, start: torch.Tensor, own: Stacks, common: Stacks
    ) -> torch.Tensor:
        """The vectors (S, d) that a step follows instead of ``g`` (S, d), the batch's gradient at ``w``.

        The proximal term and momentum are applied afterwards. ``own`` and ``common`` are as at the start of the round.
        """
        return g

    def after(
        self, delta: torch.Tensor, start: torch.Tensor, own: Stacks, common: Stacks, step_sizes: torch.Tensor
    ) -> Stacks:
        """What is kept from now on, for every name of ``keeps``.

        ``delta`` (S, d): start − end of local training. ``step_sizes`` (S, 1): the sum of each slot's step sizes.
        """
        return own

    def sent(self, delta: torch.Tensor, common: Stacks, steps: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
        """The pseudo-gradients of one run's K participants, instead of ``delta`` (K, d).

        ``common`` includes this round. ``steps`` (K, 1): numbers of local steps. ``shares`` (K, 1): data shares, which
        sum to 1.
        """
        return delta


@dataclass(frozen=True)
class Bound:
    """A correction together with the stacks of S slots that it sees."""

    correct: Correction
    start: torch.Tensor
    own: Stacks
    common: Stacks

    @classmethod
    def of(cls, correct: Correction, slots: Sequence[Slot], starts: torch.Tensor, kept: Sequence[Stacks]) -> "Bound":
        """Bind ``correct`` to ``slots``.

        ``starts`` (R, d): the runs' start models. ``kept``: for each run, what its N clients keep, by name, (N, d).
        """
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
        """The vectors (S, d) that the clients send; ``kept`` is updated in place.

        ``deltas`` (S, d): start − end of each slot's local training. ``steps`` and ``step_sizes``: the number of steps
        that each slot took, and the sum of their sizes.
        """
        out, column = torch.empty_like(deltas), lambda values: deltas.new_tensor(values)[:, None]
        for r, held in enumerate(kept):
            places = [i for i, s in enumerate(slots) if s.run == r]
            if not places:  # the run was stopped, or none of its clients was drawn
                continue
            part, delta, sizes = self.rows(places), deltas[places], [len(slots[i].rows) for i in places]
            summed = column([step_sizes[i] for i in places])
            new = self.correct.after(delta, part.start, part.own, part.common, summed)
            if not isinstance(new, dict) or set(new) != set(held):
                found = isinstance(new, dict)
                raise refuse(
                    f"the result of {self._name}.after",
                    sorted(new) if found else type(new).__name__,
                    f"a dict with the keys {sorted(held)}",
                    "Return a new stack for every name in keeps.",
                    "name" if found else "type",
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
                f"the shape returned by {self._name}.{method}",
                given,
                str(tuple(like.shape)),
                "Return one row per slot, as in the method's arguments.",
                "shape",
            )
        return value
