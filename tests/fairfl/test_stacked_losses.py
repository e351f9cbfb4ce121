import torch

from fairfl import models, partition
from fairfl.clients import FlatModel
from fairfl.clients.client_statistics import _stacked_losses
from fairfl.clients.losses import cross_entropy
from fairfl.clients.slots import Examples


def test_losses_of_stacked_models_are_those_of_each_model_on_its_own_rows(digits):
    federation = partition.dirichlet(digits, 6, 0.5, test=0.3)
    flat = FlatModel(models.build("mlp", digits, seed=0))
    g = torch.Generator().manual_seed(1)
    own = flat.vector + 0.1 * torch.randn(6, len(flat.vector), generator=g)
    together = _stacked_losses(flat, own, federation.train, Examples(digits.inputs, digits.targets), cross_entropy)
    assert len({len(rows) for rows in federation.train}) > 1
    for loss, w, rows in zip(together, own, federation.train):
        flat.vector.copy_(w)
        alone = cross_entropy(flat.module(digits.inputs[rows]), digits.targets[rows]).mean()
        assert torch.allclose(loss, alone.double(), rtol=1e-5)
