"""Turn decoded pixels into a ``Dataset``: bytes become floats, which can be normalised."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike

from fairfl._validation import known
from fairfl.data.dataset import Dataset
from fairfl.data.image_decoding import Pixels
from fairfl.errors import refuse

# A method's name, or a mean and a standard deviation.
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
    """Make a ``Dataset`` of pixels: float32 from 0 to 1, normalised. Rows before ``border`` are the training rows.

    ``normalise`` is one of

    - None: leave the pixels as they are;
    - "channel": subtract each channel's mean over the training rows, and divide by its standard deviation;
    - "pixel": the same for each pixel separately, with 0.001/255 added to the deviation, as Li et al. 2019 (q-FFL) and
      FedFV prepare Fashion-MNIST;
    - (mean, deviation): use these numbers, one each or one per channel, on the scale from 0 to 1.

    The dataset's ``variant`` records ``done`` and the normalisation.
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
    """Mean and deviation to normalise by, in shapes that broadcast over rows, and a description for ``variant``."""
    channels = raw.shape[1]
    if isinstance(normalise, str):
        known("normalise", normalise, ("channel", "pixel"), "Or give (mean, deviation), or None.")
        if normalise == "pixel":
            spread, centre = torch.std_mean(train, dim=0, correction=0)
            return centre, spread + 0.001 / 255, "normalised per pixel"
        # Counting how often each of the 256 values occurs is exact, and faster than summing floats.
        counts = np.stack([np.bincount(raw[:, c].ravel(), minlength=256) for c in range(channels)])
        values, total = np.arange(256) / 255, counts.sum(1)
        mean = counts @ values / total
        deviation = np.sqrt(np.maximum(counts @ values**2 / total - mean**2, 0))
        deviation[deviation == 0] = 1  # a constant channel becomes 0, not 0/0
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
                "shape" if hasattr(normalise, "__len__") else "type",
            ) from None
        if not (np.isfinite(mean).all() and (deviation > 0).all()):
            raise refuse("normalise", normalise, "finite means and positive deviations", "Pixels run from 0 to 1.")
    listed = ", ".join(f"{m:.4f}/{d:.4f}" for m, d in zip(mean, deviation))
    first, second = (torch.tensor(m, dtype=torch.float32).reshape(-1, 1, 1) for m in (mean, deviation))
    return first, second, f"normalised per channel (mean/deviation {listed})"
