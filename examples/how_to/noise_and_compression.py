"""How do I clip updates, add noise to them, or compress them?

Pass `Clip`, `GaussianNoise`, `TopK` or a `Chain` of them as `tamper`, which changes the updates before the rule sees them. That alone guarantees no privacy: nothing adds up a budget (ε, δ) over the rounds, and the losses or accuracies that some rules ask for are sent as they are.
"""

from fairfl import LocalSGD, data, partition, rules, train
from fairfl.attacks import Chain, Clip, GaussianNoise, TopK

federation = partition.iid(data.load("digits"), 20, test=0.2)
local = LocalSGD(lr=0.2, epochs=2, batch_size=16)
multiplier, norm = 1.0, 1.0
std = multiplier * norm / len(federation) ** 0.5  # the noise of the sum of all updates: multiplier · norm
seeds = [0, 1]
# Every run draws noise of its own.
noisy = [Chain(Clip(norm), GaussianNoise(std, seed=seed)) for seed in seeds]
results = {}
changes = {"plain": None, "clip and noise": noisy, "top 5 %, error feedback": TopK(0.05)}
for label, tamper in changes.items():
    results[label] = train(federation, "FedAvg", rounds=10, local=local, tamper=tamper, seed=seeds)
    print(f"{label:25}", [round(history.summary()["mean"], 1) for history in results[label]])

quiet = [name for name in rules.names() if not rules.make(name).needs]
print("rules that read only updates and data sizes:", quiet)
