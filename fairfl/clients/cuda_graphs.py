"""Record a client step once as a CUDA graph and replay it: one launch instead of a hundred.

With a small model, a GPU spends most of a round waiting for Python to launch kernels. A graph holds the kernels of one
step with the addresses that they read and write. So the step has to work in buffers at fixed addresses, and only their
content may change from round to round.
"""

import weakref
from collections.abc import Callable, Hashable

import torch

# Settings that change every round (a decaying step size) would need a new graph each time. Beyond this many graphs of
# one model, steps run without one.
MOST = 16


class Graphs:
    """The graphs of one model, and the buffers that they work in.

    ``keep(name, value)``: copy ``value`` into a contiguous buffer, the same one for every value of this name, shape and
    type. ``run(key, step)``: run ``step``, which reads and writes only buffers and returns nothing. The second call
    with an equal ``key`` records a graph, and it and all later calls replay that graph. The key has to hold everything
    that the kernels depend on, except the buffers' content.
    """

    def __init__(self) -> None:
        self._buffers: dict[Hashable, torch.Tensor] = {}
        self._graphs: dict[Hashable, torch.cuda.CUDAGraph | None] = {}
        self._refused = False

    def keep(self, name: Hashable, value: torch.Tensor) -> torch.Tensor:
        key = (name, value.shape, value.dtype)
        if key not in self._buffers:
            self._buffers[key] = torch.empty_like(value, memory_format=torch.contiguous_format)
        return self._buffers[key].copy_(value)

    def run(self, key: Hashable, step: Callable[[], None]) -> None:
        if self._refused or key not in self._graphs and len(self._graphs) >= MOST:
            step()
        elif key not in self._graphs:
            # CUDA libraries initialise themselves at the first call, which must not be recorded.
            self._graphs[key] = None
            aside, here = torch.cuda.Stream(), torch.cuda.current_stream()
            aside.wait_stream(here)
            with torch.cuda.stream(aside):
                step()
            here.wait_stream(aside)
        elif (graph := self._graphs[key] or self._record(key, step)) is not None:
            graph.replay()
        else:
            step()

    def _record(self, key: Hashable, step: Callable[[], None]) -> torch.cuda.CUDAGraph | None:
        """The graph of ``step``; ``None``, from now on, for a model that cannot be recorded."""
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                step()
        except RuntimeError:  # for example, the user's model or loss reads a value on the CPU half-way
            self._refused = True
            return None
        self._graphs[key] = graph
        return graph


_of: "weakref.WeakKeyDictionary[object, Graphs]" = weakref.WeakKeyDictionary()


def graphs(model: object) -> Graphs:
    """The graphs of ``model``, which live as long as the model does."""
    if model not in _of:
        _of[model] = Graphs()
    return _of[model]
