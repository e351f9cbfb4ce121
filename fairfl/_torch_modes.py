"""``in_plain_modes``: the same numbers, whatever modes of PyTorch the caller has switched on."""

import functools
from collections.abc import Callable
from contextlib import ExitStack
from typing import ParamSpec, TypeVar

import torch

P = ParamSpec("P")
R = TypeVar("R")


def in_plain_modes(called: Callable[P, R]) -> Callable[P, R]:
    """``called``, with PyTorch's modes as in a fresh process: no autocast, no inference mode, float32 as the default
    type, and the CPU as the default device. Afterwards the caller's modes are in force again.

    Whether gradients are recorded is not changed: local training records them wherever it needs them.
    """

    @functools.wraps(called)
    def plain(*arguments: P.args, **keywords: P.kwargs) -> R:
        dtype = torch.get_default_dtype()
        with ExitStack() as modes:
            for device in ("cpu", "cuda"):
                if torch.is_autocast_enabled(device):
                    modes.enter_context(torch.autocast(device, enabled=False))
            if torch.is_inference_mode_enabled():
                modes.enter_context(torch.inference_mode(False))
            if torch.get_default_device().type != "cpu":  # entered only where needed, because it slows every operation
                modes.enter_context(torch.device("cpu"))
            if dtype != torch.float32:
                torch.set_default_dtype(torch.float32)
                modes.callback(torch.set_default_dtype, dtype)
            return called(*arguments, **keywords)

    return plain
