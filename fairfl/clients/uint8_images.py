"""Images stored as bytes if their floats would fill a GPU's memory; a batch is converted back to floats when read.

An image has 256 shades per channel before normalisation, and so at most 256 values per channel after it. A byte and a
table of each channel's values therefore hold the same information as a float32, in a quarter of the memory. Reading
returns the floats bit for bit, because they are looked up and not computed, so results do not depend on which of the
two a GPU holds. A look-up moves several times as many bytes as reading floats, which is why floats stay if they fit.
"""

import torch

SHADES = 256
# Images whose floats are on the GPU at a time during the conversion to bytes.
PIECE = 4096
# Floats may take this fraction of a GPU's free memory: models, a rule's state and other runs need the rest.
ROOM = 0.25


class Coded:
    """Images (N, C, H, W) as ``codes``, uint8, and ``values`` (C, 256); ``coded[rows]`` equals ``inputs[rows]``."""

    def __init__(self, codes: torch.Tensor, values: torch.Tensor):
        self.codes, self.values = codes, values
        self._first = torch.arange(len(values), device=codes.device, dtype=torch.int32)[:, None, None] * SHADES

    def __getitem__(self, rows: torch.Tensor) -> torch.Tensor:
        """Float images (*rows.shape, C, H, W)."""
        return self.values.view(-1)[self.codes[rows].int() + self._first]

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def shape(self) -> torch.Size:
        return self.codes.shape

    @property
    def device(self) -> torch.device:
        return self.codes.device

    @property
    def nbytes(self) -> int:
        """The number of bytes of codes and values."""
        return self.codes.nbytes + self.values.nbytes

    def data_ptr(self) -> int:
        """The address of the codes, as ``torch.Tensor.data_ptr`` gives it."""
        return self.codes.data_ptr()


def coded(inputs: torch.Tensor, device: torch.device) -> Coded | None:
    """``inputs`` (N, C, H, W) on ``device`` as bytes.

    ``None`` if a channel has more than 256 values, or if ``inputs`` are not float32 images.
    """
    if inputs.ndim != 4 or inputs.dtype != torch.float32 or not len(inputs):
        return None
    shades = [inputs.new_empty(0, device=device)] * inputs.shape[1]
    for piece in inputs.split(PIECE):
        there = piece.to(device)
        shades = [torch.cat([known, there[:, c].unique()]).unique() for c, known in enumerate(shades)]
        if max(map(len, shades)) > SHADES:
            return None
    # The largest value pads a table; no code refers to the padding.
    values = torch.stack([torch.cat([known, known[-1:].expand(SHADES - len(known))]) for known in shades])
    held = Coded(torch.empty(inputs.shape, dtype=torch.uint8, device=device), values)
    for rows in torch.arange(len(inputs), device=device).split(PIECE):
        place = slice(int(rows[0]), int(rows[-1]) + 1)
        there = inputs[place].to(device)
        for c, known in enumerate(shades):
            held.codes[place, c] = torch.searchsorted(known, there[:, c].contiguous()).byte()
        if not torch.equal(held[rows].view(torch.int32), there.contiguous().view(torch.int32)):
            return None  # zeros of both signs: one value, but two bit patterns
    return held


def resident(inputs: torch.Tensor, device: torch.device) -> torch.Tensor | Coded:
    """``inputs`` on the model's device: as floats, or as bytes for images that would fill a GPU's memory."""
    if device.type == "cuda" and inputs.nbytes > ROOM * torch.cuda.mem_get_info(device)[0]:
        held = coded(inputs, device)
        if held is not None:
            return held
    return inputs.to(device)
