"""What clients say of the model that the server reports: as little to be believed as their replies."""

from collections.abc import Iterable, Mapping

import numpy as np

from fairfl.deployment.reply import Refusal, Reply
from fairfl.deployment.reply_checks import against_name, against_numbers, claims, replies_of
from fairfl.deployment.sanitise import quoted


def scores_of(replies: Iterable[Reply], population: int) -> tuple[np.ndarray, np.ndarray, list[Refusal]]:
    """Accuracies (N,) and losses (N,) by client number, NaN for who sent none, and whose were refused and why.

    Raises nothing for a bad reply. Its arrays and its size are not looked at.
    """
    replies, refused = replies_of(replies)
    claimed = claims(replies, population)
    accuracy, loss = np.full(population, np.nan), np.full(population, np.nan)
    for reply in replies:
        reason = against_name(reply, claimed, population) or _against_scores(reply.numbers)
        if reason:
            refused.append(Refusal(reply.who, reason))
        else:
            accuracy[reply.client], loss[reply.client] = reply.numbers["accuracy"], reply.numbers["loss"]
    return accuracy, loss, refused


def _against_scores(numbers: Mapping[str, float]) -> str:
    reason = against_numbers(numbers, ("accuracy", "loss"), "the server")
    if not reason and not 0 <= numbers["accuracy"] <= 1:
        return f"sent 'accuracy' = {quoted(numbers['accuracy'])}; allowed: 0 to 1"
    return reason
