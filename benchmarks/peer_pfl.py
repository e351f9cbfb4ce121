"""The task of ``peers.py`` in pfl-research, in one process as its tutorials run it: the batches of a client are formed
once and not shuffled."""

import peers
import torch

ours = peers.ours


class Net(torch.nn.Module):
    """A model with the two methods that pfl requires."""

    def __init__(self, model: str):
        super().__init__()
        self.layers = peers.MODELS[model]()

    def loss(self, x, y, eval=False):
        self.train(not eval)
        return torch.nn.functional.cross_entropy(self.layers(x), y)

    @torch.no_grad()
    def metrics(self, x, y, eval=False):
        from pfl.metrics import Weighted

        self.train(not eval)
        out = self.layers(x)
        loss = torch.nn.functional.cross_entropy(out, y, reduction="sum").item()
        right = (out.argmax(1) == y).sum().item()
        return {"loss": Weighted(loss, len(y)), "accuracy": Weighted(right, len(y))}


def theirs(model: str, rounds: int) -> peers.Clock:
    from pfl.aggregate.simulate import SimulatedBackend
    from pfl.aggregate.weighting import WeightByDatapoints
    from pfl.algorithm.base import NNAlgorithmParams
    from pfl.algorithm.federated_averaging import FederatedAveraging
    from pfl.callback.base import TrainingProcessCallback
    from pfl.callback.central_evaluation import CentralEvaluationCallback
    from pfl.data.federated_dataset import FederatedDataset
    from pfl.data.pytorch import PyTorchTensorDataset
    from pfl.data.sampling import get_user_sampler
    from pfl.hyperparam import NNEvalHyperParams, NNTrainHyperParams
    from pfl.model.pytorch import PyTorchModel

    clock = peers.Clock()

    class Marks(TrainingProcessCallback):
        def after_central_iteration(self, aggregate_metrics, model, *, central_iteration):
            from pfl.metrics import Metrics

            clock.mark()
            return False, Metrics()

    rows, (_, labels) = peers.inputs(), peers.images()
    border = peers.CLIENTS * peers.EACH
    clients = torch.randperm(border, generator=torch.Generator().manual_seed(0)).view(peers.CLIENTS, peers.EACH)
    held = [PyTorchTensorDataset((rows[own], labels[own]), user_id=str(k)) for k, own in enumerate(clients)]
    federation = FederatedDataset(lambda k: held[k], get_user_sampler("random", list(range(peers.CLIENTS))))
    net = Net(model)
    scored = NNEvalHyperParams(local_batch_size=1024)
    FederatedAveraging().run(
        # Clients are evaluated before and after training only in the first round, because the other libraries do not do
        # it.
        NNAlgorithmParams(
            central_num_iterations=rounds,
            evaluation_frequency=10**6,
            train_cohort_size=peers.TAKING_PART,
            val_cohort_size=0,
        ),
        SimulatedBackend(training_data=federation, val_data=None, postprocessors=[WeightByDatapoints()]),
        PyTorchModel(net, torch.optim.SGD, torch.optim.SGD(net.parameters(), lr=1.0)),
        NNTrainHyperParams(local_num_epochs=1, local_learning_rate=peers.LR, local_batch_size=peers.BATCH),
        scored,
        [
            CentralEvaluationCallback(
                PyTorchTensorDataset((rows[border:], labels[border:]), eval_kwargs={"eval": True}), scored
            ),
            Marks(),
        ],
    )
    return clock
