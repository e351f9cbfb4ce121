"""A client step recorded once as a CUDA graph and replayed: one launch in place of a hundred.

Small models on a card spend a round waiting for Python to launch kernels. A graph holds the kernels of one step with
the addresses they read and write, so that step has to work in buffers that stay where they are, and nothing but their
content may change from round to round.
"""

import weakref
from collections.abc import Callable, Hashable

import torch

# Settings that change every round (a decaying step size) would record for ever; after so many graphs of one model the
# others run as they are written.
MOST = 16


class Graphs:
    """The graphs of one model, and the buffers they work in.

    ``keep(name, value)``: ``value`` in a contiguous buffer, the same one for every value of this name, shape and type.
    ``run(key, step)``: call ``step``, which reads and writes buffers alone and returns nothing; from the second call
    with an equal ``key`` on as a replay of the graph recorded then. The key has to hold all that the kernels depend on
    but the buffers' content.
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
            # The libraries behind a product set themselves up at the first call, which may not be recorded.
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
        """The graph of ``step``; ``None``, now and ever after, for a model that no graph can hold."""
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                step()
        except RuntimeError:  # a reader's model or loss that looks at a number in the middle, say
            self._refused = True
            return None
        self._graphs[key] = graph
        return graph


_of: "weakref.WeakKeyDictionary[object, Graphs]" = weakref.WeakKeyDictionary()


def graphs(model: object) -> Graphs:
    """The graphs of ``model``, which live as long as it does."""
    if model not in _of:
        _of[model] = Graphs()
    return _of[model]
