"""Checks of a reply's claimed client and of its numbers. Its arrays are checked in ``collect``."""

import sys
from collections import Counter
from collections.abc import Container, Iterable, Mapping

from fairfl.deployment.reply import NotFinite, Refusal, Reply
from fairfl.deployment.sanitise import quoted, readable

# Every integer up to here is exact in float64, and the sum of all clients' sizes is finite.
MOST_ROWS = 2**53


def is_client(number: object, population: int) -> bool:
    """Whether ``number`` is an integer from 0 to ``population − 1``."""
    return type(number) is int and 0 <= number < population


def replies_of(given: Iterable[object]) -> tuple[list[Reply], list[Refusal]]:
    """The replies in ``given``, and a refusal for every other object in it."""
    replies, refused = [], []
    for thing in given:
        if isinstance(thing, Reply):
            replies.append(thing)
        else:
            refused.append(Refusal("an unnamed sender", f"sent {quoted(thing)}; allowed: a Reply"))
    return replies, refused


def claims(replies: Iterable[Reply], population: int) -> Counter:
    """How many replies claim each client's number."""
    return Counter(r.client for r in replies if not readable(r.error) and is_client(r.client, population))


def against_name(reply: Reply, claimed: Counter, population: int, asked: Container[int] | None = None) -> str:
    """Why this reply cannot be attributed to a client that was ``asked``; "" if it can. ``None``: all were asked."""
    if readable(reply.error):
        return f"sent no answer: {readable(reply.error)}"
    if not is_client(reply.client, population):
        return f"gives its number as {quoted(reply.client)}; allowed: 0 to {population - 1}"
    if claimed[reply.client] > 1:
        # The genuine reply cannot be recognised, and using both would give this client two votes.
        return (
            f"is one of {claimed[reply.client]} replies that claim to be client {reply.client}, "
            "and none of them is used"
        )
    if asked is not None and reply.client not in asked:
        return "was not asked in this round"
    return ""


def against_size(size: object) -> str:
    """Why ``size`` is not a valid number of rows; "" if it is."""
    if not isinstance(size, (int, float)) or isinstance(size, bool) or not size > 0:
        return f"gives its size as {quoted(size)}; allowed: a positive number of rows"
    if size > MOST_ROWS:
        return f"gives its size as {quoted(size)}; allowed: up to {MOST_ROWS} rows"
    return ""


def against_numbers(numbers: object, needs: Iterable[str], reader: str = "the rule") -> str:
    """Which number that ``reader`` needs is missing or not finite; "" if all are valid."""
    if not isinstance(numbers, Mapping):
        return f"sent its numbers as {quoted(numbers)}; allowed: numbers by name"
    for name in needs:
        if name not in numbers:
            sent = quoted(list(numbers)) if numbers else "no numbers"
            return f"sent no {name!r}, which {reader} reads; it sent {sent}"
        value = numbers[name]
        reason = f"sent {name!r} = {quoted(value)}; allowed: a finite number"
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return reason
        if not abs(value) <= sys.float_info.max:
            return NotFinite(reason)
    return ""
