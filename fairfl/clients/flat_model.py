"""``FlatModel``: a model whose parameters form one flat vector."""

import torch

from fairfl.errors import Refused
from fairfl.updates import Layout


class FlatModel:
    """A module whose parameters are views into one flat vector, and whose gradients are views into another.

    Loading a model is one copy and an SGD step one fused operation, whatever the number of layers. The given module is
    modified: it is moved to ``device``, and its parameters are replaced.

    ``vector`` (d,) and ``gradient`` (d,) have the parameters' common dtype. ``draws``: whether ``forward`` was observed
    to draw random numbers (by ``model_checks.tried``), which its layers alone do not show.
    """

    def __init__(self, module: torch.nn.Module, device: torch.device | str = "cpu"):
        strange = next((p for p in module.parameters() if torch.nn.parameter.is_lazy(p) or p.is_meta), None)
        if strange is not None or isinstance(module, torch.jit.ScriptModule):
            raise Refused(
                "the model is compiled by torch.jit, or has parameters without values (lazy layers, or the device "
                "'meta'); pass the module before torch.jit.script, with layers of known sizes, made on a device that "
                "computes",
                "type",
            )
        self.module = module.to(device)
        named = [(name, p) for name, p in module.named_parameters() if p.requires_grad]
        if not named:
            raise Refused("the model has no trainable parameters; give it at least one layer", "missing")
        tracking = [m for m in module.modules() if getattr(m, "track_running_stats", False)]
        if tracking:
            kind = type(tracking[0]).__name__
            raise Refused(
                f"the model has {kind} layers that track running statistics. These are not parameters and "
                f"would leak from client to client; use track_running_stats=False, or group normalisation"
            )
        self.draws = False
        self.layout = Layout(tuple(n for n, _ in named), tuple(tuple(p.shape) for _, p in named))
        self.vector = torch.cat([p.detach().flatten() for _, p in named])
        self.gradient = torch.zeros_like(self.vector)
        self._parameters = [parameter for _, parameter in named]
        for parameter, place in zip(self._parameters, self.layout.slices):
            parameter.data = self.vector[place].view(parameter.shape)
        self.bind_gradients()

    def bind_gradients(self) -> None:
        """Make every parameter's gradient a view into ``gradient`` again, wherever an optimiser has put it."""
        for parameter, place in zip(self._parameters, self.layout.slices):
            parameter.grad = self.gradient[place].view(parameter.shape)

    @property
    def is_bound(self) -> bool:
        """Whether every parameter is still a view into ``vector``."""
        return all(p.data_ptr() == self.vector[i].data_ptr() for p, i in zip(self._parameters, self.layout.slices))

    @property
    def device(self) -> torch.device:
        return self.vector.device

    @property
    def has_dropout(self) -> bool:
        """Whether training draws random numbers inside the model."""
        return self.draws or any(
            isinstance(m, torch.nn.modules.dropout._DropoutNd)
            and m.p > 0
            or isinstance(m, torch.nn.RNNBase)
            and m.dropout > 0
            for m in self.module.modules()
        )

    @property
    def has_convolutions(self) -> bool:
        return any(isinstance(m, torch.nn.modules.conv._ConvNd) for m in self.module.modules())

    @property
    def has_recurrence(self) -> bool:
        return any(isinstance(m, torch.nn.RNNBase) for m in self.module.modules())

    @property
    def has_shared_modules(self) -> bool:
        """Whether a part with parameters has two names, as in ``Sequential(a, b, b)``.

        ``functional_call`` leaves such a part with the stacked parameters.
        """
        named = [
            m for _, m in self.module.named_modules(remove_duplicate=False) if next(m.parameters(), None) is not None
        ]
        return len(named) > len({id(m) for m in named})

    def split(self, stack: torch.Tensor) -> dict[str, torch.Tensor]:
        """A stack of flat vectors (S, d) as named stacks (S, *shape), for ``torch.func``."""
        return {
            name: stack[:, place].reshape(len(stack), *shape)
            for name, place, shape in zip(self.layout.names, self.layout.slices, self.layout.shapes)
        }
