"""Rules that read losses, and what else clients say of themselves: shares, accuracies, how often they took part.

The weights are known before anybody compares two updates, so that no product of updates is needed; q-FedAvg alone reads
their lengths, for its step.
"""
