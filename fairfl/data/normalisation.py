"""Pixels → ``Dataset``: from bytes to floats, and the ways to normalise them."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike

from fairfl.data.dataset import Dataset
from fairfl.data.image_decoding import Pixels
from fairfl.errors import refuse, unknown

# A way, or a mean and a deviation.
Normalise = str | Sequence[ArrayLike] | None


def assemble(
    name: str,
    whole: Pixels,
    border: int,
    classes: Sequence[object] | None,
    normalise: Normalise,
    done: list[str],
    columns: dict[str, ArrayLike] | None = None,
    column_names: dict[str, tuple[str, ...]] | None = None,
) -> Dataset:
    """Pixels → ``Dataset``: float32 from 0 to 1, training rows up to ``border``, then what ``normalise`` asks for:

    - None: nothing;
    - "channel": minus the mean, divided by the deviation of each channel, over the training rows;
    - "pixel": the same for each pixel by itself, with 0.001/255 added to the deviation, as Li et al. 2019 (q-FFL) and
      FedFV prepare Fashion-MNIST;
    - (mean, deviation): these numbers, one each or one per channel, on the scale from 0 to 1.

    What was done is written into the dataset's ``variant``.
    """
    inputs = torch.from_numpy(whole.images).float().div_(255)
    if normalise is not None:
        mean, deviation, how = _moments(whole.images[:border], inputs[:border], normalise)
        inputs.sub_(mean).div_(deviation)
        done = [*done, how]
    return Dataset(inputs, whole.labels, classes, border, columns or {}, column_names or {}, "; ".join(done), name)


def _moments(
    raw: np.ndarray, train: torch.Tensor, normalise: str | Sequence[ArrayLike]
) -> tuple[torch.Tensor, torch.Tensor, str]:
    """Mean and deviation to normalise by, in a shape that broadcasts over rows, and the words for it."""
    channels = raw.shape[1]
    if isinstance(normalise, str):
        if normalise not in ("channel", "pixel"):
            raise unknown("normalise", normalise, ("channel", "pixel"), "Or give (mean, deviation), or None.")
        if normalise == "pixel":
            spread, centre = torch.std_mean(train, dim=0, correction=0)
            return centre, spread + 0.001 / 255, "normalised per pixel"
        # Exact, and quicker than over floats: how often each of the 256 values occurs.
        counts = np.stack([np.bincount(raw[:, c].ravel(), minlength=256) for c in range(channels)])
        values, total = np.arange(256) / 255, counts.sum(1)
        mean = counts @ values / total
        deviation = np.sqrt(np.maximum(counts @ values**2 / total - mean**2, 0))
        deviation[deviation == 0] = 1  # a channel of one value everywhere becomes 0, not 0/0
    else:
        try:
            mean, deviation = (np.broadcast_to(np.asarray(m, np.float64), channels) for m in normalise)
        except (TypeError, ValueError):
            raise refuse(
                "normalise",
                normalise,
                "None, 'channel', 'pixel', or (mean, deviation) with one number each "
                f"or one for each of {channels} channels",
                "See fairfl.data.normalisation.assemble.",
            ) from None
        if not (np.isfinite(mean).all() and (deviation > 0).all()):
            raise refuse("normalise", normalise, "finite means and positive deviations", "Pixels run from 0 to 1.")
    told = ", ".join(f"{m:.4f}/{d:.4f}" for m, d in zip(mean, deviation))
    first, second = (torch.tensor(m, dtype=torch.float32).reshape(-1, 1, 1) for m in (mean, deviation))
    return first, second, f"normalised per channel (mean/deviation {told})"
