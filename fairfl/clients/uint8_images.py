"""Images kept as bytes where their floats would crowd a card, and turned into these floats where a batch is read.

Images have 256 shades a channel before they are normalised and as many values after it, so that a byte and a table of
each channel's values say as much as a float32, in a quarter of the memory. What is read has the bits of the floats: it
is looked up, and computed nowhere. So results do not depend on which of the two a card holds; a look-up moves several
times the bytes that reading floats does, which is why floats stay where there is room.
"""

import torch

SHADES = 256
# Floats of so many images are on the card at once while they are turned into bytes.
PIECE = 4096
# Floats may take this part of a card's free memory: models, a rule's memory and other runs need the rest.
ROOM = 0.25


class Coded:
    """Images (N, C, H, W) as ``codes``, uint8, and ``values`` (C, 256): ``coded[rows]`` is ``inputs[rows]``."""

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
        """Bytes that it holds."""
        return self.codes.nbytes + self.values.nbytes

    def data_ptr(self) -> int:
        """Where the codes lie, as a tensor tells it."""
        return self.codes.data_ptr()


def coded(inputs: torch.Tensor, device: torch.device) -> Coded | None:
    """``inputs`` (N, C, H, W) on ``device`` as bytes; ``None`` where a channel has more than 256 values, or they are no
    float32 images.
    """
    if inputs.ndim != 4 or inputs.dtype != torch.float32 or not len(inputs):
        return None
    shades = [inputs.new_empty(0, device=device)] * inputs.shape[1]
    for piece in inputs.split(PIECE):
        there = piece.to(device)
        shades = [torch.cat([known, there[:, c].unique()]).unique() for c, known in enumerate(shades)]
        if max(map(len, shades)) > SHADES:
            return None
    # The largest value again fills a table: no code points there.
    values = torch.stack([torch.cat([known, known[-1:].expand(SHADES - len(known))]) for known in shades])
    held = Coded(torch.empty(inputs.shape, dtype=torch.uint8, device=device), values)
    for rows in torch.arange(len(inputs), device=device).split(PIECE):
        place = slice(int(rows[0]), int(rows[-1]) + 1)
        there = inputs[place].to(device)
        for c, known in enumerate(shades):
            held.codes[place, c] = torch.searchsorted(known, there[:, c].contiguous()).byte()
        if not torch.equal(held[rows].view(torch.int32), there.contiguous().view(torch.int32)):
            return None  # two zeros of different signs, which are one value and not one pattern of bits
    return held


def resident(inputs: torch.Tensor, device: torch.device) -> torch.Tensor | Coded:
    """``inputs`` where the model is: as they are, or as bytes where they are images that would crowd the card."""
    if device.type == "cuda" and inputs.nbytes > ROOM * torch.cuda.mem_get_info(device)[0]:
        held = coded(inputs, device)
        if held is not None:
            return held
    return inputs.to(device)
