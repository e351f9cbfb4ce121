"""All clients scored in one pass: the model sees each row once, whoever shares it."""

import torch

CHUNK = 4096


class Scorer:
    """Accuracies and mean losses of N clients on their own lists of rows.

    ``lists``: N tensors of row numbers into ``data``. ``shared``: whether a row may stand in several lists (a held-out pool);
    it is then evaluated once. ``loss(outputs, targets)`` gives one loss a row.
    """

    def __init__(self, data, lists, loss, shared: bool = True):
        device = data.inputs.device
        flat = torch.cat(list(lists))
        rows, place = flat.unique(return_inverse=True) if shared else (flat, None)
        if len(rows) == len(flat):
            rows, place = flat, None
        self.rows = rows.to(device)
        self.place = None if place is None else place.to(device)
        self.sizes = torch.tensor([len(rows) for rows in lists], device=device)
        self.data, self.loss = data, loss

    @torch.no_grad()
    def __call__(self, module: torch.nn.Module) -> tuple[torch.Tensor, torch.Tensor]:
        """(accuracies from 0 to 1, mean losses), each (N,) float64 on the CPU."""
        was_training = module.training
        module.eval()
        right, losses = [], []
        for rows in self.rows.split(CHUNK):
            outputs, targets = module(self.data.inputs[rows]), self.data.targets[rows]
            right.append(outputs.argmax(1) == targets)
            losses.append(self.loss(outputs, targets))
        module.train(was_training)
        return self._mean(torch.cat(right)), self._mean(torch.cat(losses))

    def _mean(self, per_row):
        per_row = per_row.double() if self.place is None else per_row.double()[self.place]
        # A segment sum, since scattered addition is not deterministic on CUDA.
        return (torch.segment_reduce(per_row, "sum", lengths=self.sizes) / self.sizes).cpu()
