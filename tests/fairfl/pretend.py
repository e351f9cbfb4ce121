"""A card that is none: tensors with data in memory that say they are elsewhere, and refuse to meet those that are not."""

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten, tree_map

CARD = torch.device("cuda", 0)
# What copies between the two, or takes numbers of the host along with a call.
CROSSES = {
    "__set__",
    "_has_compatible_shallow_copy_type",
    "copy_",
    "to",
    "cpu",
    "cuda",
    "item",
    "tolist",
    "__bool__",
    "__float__",
    "__int__",
    "numpy",
    "__getitem__",
    "index",
}
# A wait for the card, and a copy to the host.
HOST = {"cpu", "item", "tolist", "__bool__", "__float__", "__int__", "is_nonzero"}


class OnCard(torch.Tensor):
    """A tensor that says it is on the card."""

    @property
    def device(self):
        return CARD

    @property
    def is_cuda(self):
        return True

    def __reduce_ex__(self, protocol):
        with torch._C.DisableTorchFunction():
            return self.as_subclass(torch.Tensor).__reduce_ex__(protocol)

    __torch_function__ = torch._C._disabled_torch_function_impl


def on_card(tensor):
    plain = isinstance(tensor, torch.Tensor) and not isinstance(tensor, OnCard)
    return tensor.as_subclass(OnCard) if plain else tensor


def in_memory(thing):
    return thing.as_subclass(torch.Tensor) if isinstance(thing, OnCard) else thing


class Pretend(TorchFunctionMode):
    """Inside, what is made for the card stays there until it is copied. ``copies``: how often the host asked for
    numbers, each a wait for all that was launched; ``calls``: operations on what is there, each a launch or several."""

    def __init__(self):
        super().__init__()
        self.copies = self.calls = 0
        self._moved = {}

    def _there(self, tensor):
        return isinstance(tensor, OnCard) or isinstance(tensor, torch.nn.Parameter) and id(tensor) in self._moved

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", str(func))
        if name == "_parse_to" or func is torch.device:
            return func(*args, **kwargs)
        tensors = [t for t in tree_flatten((args, kwargs))[0] if isinstance(t, torch.Tensor)]
        there = any(self._there(t) for t in tensors)
        if name == "__get__":  # x.T, x.shape, x.device
            out = func(*args, **kwargs)
            return on_card(out) if there else out
        if (
            name == "__set__"
            and len(tensors) == 2
            and isinstance(tensors[0], torch.nn.Parameter)
            and self._there(tensors[1])
        ):
            self._moved[id(tensors[0])] = tensors[
                0
            ]  # a module that moves keeps its parameters and changes what they hold
        self.calls += there
        elsewhere = [t for t in tensors if not self._there(t) and t.dim() > 0]
        assert not (there and elsewhere and name not in CROSSES), f"{name} was given tensors of both devices"
        wanted = [d for d in (*args, *kwargs.values()) if isinstance(d, torch.device) or d in ("cpu", "cuda")]
        goes = torch.device(wanted[0]).type == "cuda" if wanted else there
        if name in HOST and there or name == "to" and there and not goes:
            self.copies += 1
            goes = False
        # Tensors go in as they are: an alias would be no leaf of autograd's graph.
        here = lambda thing: (
            torch.device("cpu") if isinstance(thing, torch.device) else "cpu" if thing == "cuda" else thing
        )
        plain = lambda thing: thing if isinstance(thing, torch.Tensor) else here(thing)
        out = func(*tree_map(plain, args), **tree_map(plain, kwargs))
        return tree_map(on_card if goes else in_memory, out)
