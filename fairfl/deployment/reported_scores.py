"""The scores that clients send for the reported model, which are checked just as their replies are."""

from collections.abc import Iterable, Mapping

import numpy as np

from fairfl.deployment.reply import Refusal, Reply
from fairfl.deployment.reply_checks import against_name, against_numbers, claims, replies_of
from fairfl.deployment.sanitise import quoted


def scores_of(replies: Iterable[Reply], population: int) -> tuple[np.ndarray, np.ndarray, list[Refusal]]:
    """Accuracies (N,) and losses (N,) by client number, NaN for clients that sent none, and the refused replies.

    A bad reply never raises an exception. Its arrays and its size are ignored.
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
