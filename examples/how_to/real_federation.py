"""How do I run a rule in a real federation?

`Coordinator` is the server's side and `Member` a client's; here both are in one process, and any network can carry `arrays` and replies. For Flower, `fairfl.deployment.flower` has `FairStrategy`, `client_app` and `server_app`; `examples/post_offices` is a whole Flower app.
"""

import numpy as np

from fairfl import LocalSGD, data, models, partition, train
from fairfl.deployment import Coordinator, Member

federation = partition.dirichlet(data.load("digits"), 6, 0.5, test=0.3)
model = models.build("logistic", federation.dataset, seed=0)
local = LocalSGD(lr=0.1, epochs=2, batch_size=16)
members = [Member.of(federation, k, model, local=local, seed=0) for k in range(6)]
coordinator = Coordinator("FedMGDA", model, population=6, rounds=5, local=local, participation=3, seed=0)
for t in range(5):
    arrays = coordinator.arrays()  # the model by parameter name, to be sent to coordinator.asked
    replies = [members[k].work(arrays, t, coordinator.needs) for k in coordinator.asked]
    print(
        coordinator.receive(replies)
    )  # names clients that did not answer, or not usably; the round goes on without them

scores = [member.score(coordinator.arrays(reported=True)) for member in members]
print("accuracies:", np.round([score["accuracy"] for score in scores], 3))
simulated = train(federation, "FedMGDA", rounds=5, local=local, participation=3, seed=0, engine="sequential")
print("the same bits as in a simulation:", np.array_equal(coordinator.reported, simulated.parameters))
