"""A trial step before the first round: does the model draw random numbers, or carry state from client to client?"""

import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch

from fairfl._randomness import GLOBAL_STREAM
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.losses import check_class_outputs, check_token_outputs, cross_entropy
from fairfl.errors import Refused, refuse


def tried(flat: FlatModel, inputs: torch.Tensor, targets: torch.Tensor, loss: Callable, classes: int = 0) -> bool:
    """Whether a training step of ``flat`` draws random numbers, in a layer or inside ``forward``.

    ``inputs`` and ``targets``: a few rows. ``classes``: how many classes the dataset has. The weights and all global
    random states are left unchanged.

    Raises ``Refused`` for a model whose buffers, numbers or tensors change, for a model or loss that draws random
    numbers in evaluation or from a stream other than PyTorch's, for a loss that does not give one number per row, and
    for outputs that are not (N, T, classes) where targets are (N, T), and for cross-entropy of fewer outputs than
    classes. Exceptions of the model itself pass through, with a note.
    """
    held = {name: buffer.clone() for name, buffer in flat.module.named_buffers()}
    counted = _attributes(flat.module)
    weights = flat.vector.clone()
    per_token = targets.ndim == 2 and not targets.is_floating_point()
    # Perturb the weights, because a buffer that follows them may already agree with the initial ones.
    flat.vector.add_(torch.sin(torch.arange(len(weights), device=flat.device)).to(weights), alpha=0.01)
    try:
        with torch.no_grad(), GLOBAL_STREAM, _watched(flat.device) as drew:
            flat.module.train()
            outputs = flat.module(inputs)
            if per_token:
                check_token_outputs(outputs, targets)
            if loss is cross_entropy:
                check_class_outputs(outputs, targets, classes)
            losses = loss(outputs, targets)
            trains_randomly = drew()
            flat.module.eval()
            loss(flat.module(inputs), targets)
            evaluates_randomly = drew()
    except Refused:
        raise
    except Exception as error:
        error.add_note(
            f"this was a trial on {len(inputs)} rows before the first round: inputs {inputs.dtype} of shape "
            f"{tuple(inputs.shape[1:])}, a model of {flat.vector.dtype}"
        )
        raise
    finally:
        flat.vector.copy_(weights)
        flat.module.train()
    if not torch.is_tensor(losses) or losses.shape != (len(inputs),):
        shape = tuple(losses.shape) if torch.is_tensor(losses) else type(losses).__name__
        remedy = "Use a loss that does not average (reduction='none'); for numbers to be predicted, loss='squared'."
        if per_token and shape == tuple(targets.shape):
            remedy = "Average over a row's tokens: losses.mean(1)."
        raise refuse(
            "the shape of loss(outputs, targets)", shape, f"({len(inputs)},), one loss per row", remedy, "shape"
        )
    if evaluates_randomly:
        raise Refused(
            "the model or the loss draws random numbers in evaluation, so its scores would be random; "
            "if forward calls F.dropout, write F.dropout(x, p, training=self.training)"
        )
    for name, buffer in flat.module.named_buffers():
        if name not in held or not _equal(buffer, held[name]):
            raise Refused(
                f"the model's buffer {name!r} changes in a forward pass. A buffer is not a parameter, so one client's "
                f"values would leak to the next; compute it anew in each pass, or make it a parameter"
            )
    for name, value in _attributes(flat.module).items():
        if name in counted and not _equal(torch.as_tensor(value), counted[name]):
            raise Refused(
                f"the model's attribute {name!r} changes in a forward pass, so clients would depend on who trained "
                f"before them; compute it anew in each pass, or keep it outside the model"
            )
    return trains_randomly


def _attributes(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Copies of the numbers and tensors that the module and its parts hold as plain attributes, by name."""
    return {
        f"{part}.{name}".lstrip("."): torch.as_tensor(value).detach().clone()
        for part, each in module.named_modules()
        for name, value in vars(each).items()
        if isinstance(value, (int, float, torch.Tensor)) and not isinstance(value, bool)
    }


@contextmanager
def _watched(device: torch.device) -> Iterator[Callable[..., bool]]:
    """Restore all global random states at the end. Yields a function: has PyTorch's changed since its last call?"""
    numpy_state, python_state = np.random.get_state(), random.getstate()
    state = lambda: [torch.get_rng_state(), *([torch.cuda.get_rng_state(device)] if device.type == "cuda" else [])]
    try:
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            seen = [state()]

            def moved() -> bool:
                seen.append(state())
                return any(not torch.equal(a, b) for a, b in zip(*seen[-2:]))

            yield moved
        for name, before, after in (
            ("Python's random module", python_state, random.getstate()),
            ("NumPy's global stream", numpy_state, np.random.get_state()),
        ):
            if pickle.dumps(before) != pickle.dumps(after):
                raise Refused(
                    f"the model or the loss draws from {name}, which train's seed does not control; draw with torch "
                    f"instead"
                )
    finally:
        np.random.set_state(numpy_state)
        random.setstate(python_state)


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and torch.equal(a.nan_to_num(), b.nan_to_num())
