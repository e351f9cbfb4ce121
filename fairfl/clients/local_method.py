"""``LocalMethod``: the base of what a client does with its rows in a round, and of local methods of your own."""

import math
from collections.abc import Callable

import torch

from fairfl._randomness import generator
from fairfl._validation import integer, number
from fairfl.clients.correction import Bound, Correction
from fairfl.clients.flat_model import FlatModel
from fairfl.errors import refuse

Tensors = list[torch.Tensor]
Step = Callable[[Callable[[], torch.Tensor]], None]
Schedule = Callable[[int], float]


class LocalMethod:
    """Base class for local training: passes over the client's own rows, in batches, from the server's model.

    ``LocalSGD`` and ``LocalOptimiser`` derive from it. Derive a method of your own from ``LocalSGD`` to change one part
    of it, or from this class, and pass an instance: ``train(local=MyMethod(...))``. What you may override:

    - ``lr_at(round)``: the step size of a round. The only method that has no default.
    - ``descend(w, g, anchor, moments, lr, step, bound)``: one step, in place, for S clients at a time. Both engines
      call it. Apply ``follows`` to the gradient first. ``moments(w)``: the state that it keeps during a round.
    - ``begin(flat, ...)``: for a step that ``descend`` cannot express, because it needs the gradient at several points
      or an optimiser object. Set ``stacks = False`` as well: such a method trains in the sequential engine only.
    - ``orders(size, seed, round, client)``: the order in which a client visits its rows.
    - ``steps_of(size)`` and ``pseudo_lr(size, round)``: the number of steps, and the sum of their sizes. Override them
      if your method takes other steps than ``epochs``, ``batch_size`` and ``steps`` say.
    - ``sends_gradients``: whether a pseudo-gradient is, for small steps, ``pseudo_lr`` times a gradient. ``train``
      refuses rules that need one (DQN-Fed) if it is false.

    Settings are public attributes, best those of a frozen dataclass; a checkpoint compares them, and the code of your
    class. Nothing on ``self`` may change during a run: the object is shared by all clients, rounds and seeds.

    The settings that all methods share, with their defaults:

    - ``epochs``: the number of passes over the client's rows. ``batch_size``: the number of rows per step; ``None``
      takes all of them (full batch). ``steps``: the maximum number of steps per round; ``None`` sets no limit.
    - ``proximal``: μ of FedProx, which adds ``(μ/2)‖w − w_t‖²`` to the client's loss.
    - ``clip``: the largest L2 norm of a step's gradient; a longer one is scaled down to it.
    - ``correct``: a ``Correction``, such as SCAFFOLD's control variates.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class SignSGD(LocalMethod):
    ...     lr: float = 0.01
    ...     batch_size: int | None = 16
    ...     sends_gradients = False
    ...
    ...     def lr_at(self, round):
    ...         return self.lr / (1 + round) ** 0.5
    ...
    ...     def descend(self, w, g, anchor, moments, lr, step, bound=None):
    ...         for p, d in zip(w, self.follows(w, g, anchor, bound)):
    ...             p.sub_(d.sign(), alpha=lr)
    >>> SignSGD().steps_of(40), SignSGD().lr_at(3)
    (3, 0.005)
    """

    epochs: int = 1
    batch_size: int | None = None
    steps: int | None = None
    proximal: float = 0.0
    clip: float | None = None
    correct: Correction | None = None
    stacks: bool = True

    @property
    def sends_gradients(self) -> bool:
        """Whether a pseudo-gradient is, for small steps, ``pseudo_lr`` times a gradient of the client's loss."""
        return True

    def lr_at(self, round: int) -> float:
        """The step size of this round, counted from 0."""
        raise NotImplementedError(f"{type(self).__name__} has no lr_at(round), which gives the step size of a round")

    def sgd_lr_at(self, round: int) -> float | None:
        """``lr_at`` if the client takes steps of plain SGD; ``None`` with another optimiser, momentum or clipping."""
        plain = self.sends_gradients and self.clip is None and not getattr(self, "momentum", 0)
        return self.lr_at(round) if plain else None

    def moments(self, w: Tensors) -> list[Tensors]:
        """The state that ``descend`` changes, as at the start of a round: lists shaped like ``w``. Default: none."""
        return []

    def descend(
        self,
        w: Tensors,
        g: Tensors,
        anchor: Tensors | None,
        moments: list[Tensors],
        lr: float,
        step: int,
        bound: Bound | None = None,
    ) -> None:
        """Take step number ``step``, counted from 1; it changes ``w`` and ``moments`` in place.

        ``w``, ``g`` and ``anchor`` are lists of stacks (S, ...), one per parameter or one for all of them. ``anchor``:
        the point that the proximal term pulls to. ``bound``: the correction of these S slots.
        """
        raise NotImplementedError(f"{type(self).__name__} has neither descend nor begin; override one of them")

    def follows(self, w: Tensors, g: Tensors, anchor: Tensors | None, bound: Bound | None) -> Tensors:
        """The vectors that a step follows: ``g``, corrected, with the proximal term, then clipped.

        The arguments are those of ``descend``; nothing is changed in place.
        """
        if bound is not None:
            flat = bound.gradient(*(torch.cat([p.flatten(1) for p in stacks], dim=1) for stacks in (g, w)))
            g = [piece.view_as(p) for piece, p in zip(flat.split([p[0].numel() for p in w], dim=1), w)]
        if anchor is not None:
            g = [d + self.proximal * (p - a) for d, p, a in zip(g, w, anchor)]
        return g if self.clip is None else clipped(g, self.clip)

    def begin(self, flat: FlatModel, round: int, anchor: torch.Tensor | None, bound: Bound | None) -> Step:
        """Begin a client's round in the sequential engine, and return the function that takes one step.

        ``flat`` holds the client's model. ``anchor`` (d,): the point that the proximal term pulls to. The engine calls
        ``step(closure)`` for each batch. ``closure()`` writes the batch's gradient at the current model into
        ``flat.gradient`` and returns the loss; ``step`` moves ``flat.vector`` in place.
        """
        lr = self.lr_at(round)
        w, g = [flat.vector[None]], [flat.gradient[None]]
        pull = None if anchor is None else [anchor[None]]
        moments, taken = self.moments(w), 0

        def step(closure: Callable[[], torch.Tensor]) -> None:
            nonlocal taken
            taken += 1
            closure()
            self.descend(w, g, pull, moments, lr, taken, bound)

        return step

    def steps_of(self, size: int) -> int:
        """The number of steps that a client with ``size`` rows takes per round."""
        batch = size if self.batch_size is None else min(self.batch_size, size)
        steps = self.epochs * math.ceil(size / batch)
        return steps if self.steps is None else min(steps, self.steps)

    def pseudo_lr(self, size: int, round: int) -> float:
        """The sum of step sizes behind a pseudo-gradient: ``g_k ≈ pseudo_lr · ∇f_k(w_t)`` for small steps of SGD."""
        return self.lr_at(round) * self.steps_of(size)

    def orders(self, size: int, seed: int, round: int, client: int) -> list[torch.Tensor]:
        """For each epoch, the order of the client's rows; drawn by key, so every engine uses the same."""
        if self.batch_size is None or self.batch_size >= size:
            return [torch.arange(size)] * self.epochs
        g = generator(seed, "batches", round, client)
        return [torch.randperm(size, generator=g) for _ in range(self.epochs)]


def clipped(g: Tensors, most: float) -> Tensors:
    """``g``, S gradients as stacks (S, ...), each scaled down to the L2 norm ``most`` if it is longer.

    As ``torch.nn.utils.clip_grad_norm_``: the factor is ``min(1, most / (‖g‖ + 1e-6))``.
    """
    norms = torch.stack([torch.linalg.vector_norm(d.flatten(1), dim=1) for d in g])
    factors = (most / (torch.linalg.vector_norm(norms, dim=0) + 1e-6)).clamp(max=1.0)
    return [d * factors.view(-1, *[1] * (d.ndim - 1)) for d in g]


def set_amounts(method: LocalMethod) -> None:
    """Validate the settings that all methods share, in the ``__post_init__`` of a frozen dataclass.

    NumPy's numbers become Python's, because settings are compared as such; Python's stay as given.
    """
    for name in ("epochs", "batch_size", "steps"):
        if getattr(method, name) is not None or name == "epochs":
            # The orders of all epochs are drawn before the first step.
            high = 100_000 if name == "epochs" else None
            set_number(method, name, integer(name, getattr(method, name), 1, high=high))
    set_number(method, "proximal", number("proximal", method.proximal, 0))
    if method.clip is not None:
        remedy = "It is the largest norm of a step's gradient; None leaves gradients as they are."
        set_number(method, "clip", number("clip", method.clip, 0, remedy=remedy, above=True))
    if method.correct is not None and not isinstance(method.correct, Correction):
        raise refuse(
            "correct",
            method.correct,
            "a Correction",
            "Derive your class from fairfl.clients.Correction, and pass an instance.",
            "type",
        )


def set_number(method: object, name: str, value: float) -> None:
    """Replace the attribute ``name`` by ``value``, unless it is already a number of Python's."""
    if not isinstance(getattr(method, name), (int, float)):
        object.__setattr__(method, name, value)


def check_schedule(lr: Schedule) -> None:
    """Raise ``Refused`` for a schedule that is a class, or an object without a hash, which may change during a run."""
    try:
        hash(lr)
        fits = not isinstance(lr, type)
    except TypeError:
        fits = False
    if not fits:
        remedy = "For a class with __call__, pass an instance; for a dataclass, use @dataclass(frozen=True)."
        raise refuse("lr", lr, "a number, or a function of the round", remedy, "type")


def scheduled(lr: Schedule, round: int, longest: float) -> float:
    """The step size that the schedule ``lr`` gives for ``round``. Raises ``Refused``, which names the round."""
    remedy = "A schedule gives the step size of round t, from 0; a warm-up starts at 1/T, not at 0."
    return number(f"lr of round {round}", lr(round), 0, longest, remedy, above=True)
