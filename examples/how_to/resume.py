"""How do I stop a run, resume it, and extend it?

Pass `checkpoint=`. The same call continues from the file and ends with the same bits; with more `rounds`, a finished run goes on.
"""

import tempfile
from pathlib import Path

import numpy as np

from fairfl import LocalSGD, data, partition, train

federation = partition.dirichlet(data.load("digits"), 5, 0.5, test=0.3)
path = Path(tempfile.mkdtemp()) / "run.pt"  # for a job, a place that outlives it
settings = dict(local=LocalSGD(lr=0.1, epochs=2, batch_size=16), seed=3)


def interrupt(round):
    if round.round == 6:
        raise KeyboardInterrupt  # as Ctrl-C or the end of a job does


try:
    train(federation, "FedFV", rounds=10, checkpoint=path, checkpoint_every=5, on_round=interrupt, **settings)
except KeyboardInterrupt as stopped:
    print("finished before the interrupt:", stopped.history)

resumed = train(federation, "FedFV", rounds=10, checkpoint=path, **settings)
extended = train(federation, "FedFV", rounds=15, checkpoint=path, **settings)
uninterrupted = train(federation, "FedFV", rounds=15, **settings)
print("the same bits:", np.array_equal(extended.parameters, uninterrupted.parameters))
