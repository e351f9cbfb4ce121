"""What can be said against one reply beside its arrays: who it claims to be, and the numbers that it carries."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping

from fairfl.deployment.reply import NotFinite, Refusal, Reply
from fairfl.deployment.sanitise import quoted, told

# Every whole number up to here is a float64, and the sum of a population's sizes is finite.
MOST_ROWS = 2**53


def is_client(number: object, population: int) -> bool:
    """Whether ``number`` is an integer from 0 to ``population − 1``."""
    return type(number) is int and 0 <= number < population


def replies_of(given: Iterable[object]) -> tuple[list[Reply], list[Refusal]]:
    """What among ``given`` is a reply, and a refusal for all that is none."""
    replies, refused = [], []
    for thing in given:
        if isinstance(thing, Reply):
            replies.append(thing)
        else:
            refused.append(Refusal("an unnamed sender", f"sent {quoted(thing)}; allowed: a Reply"))
    return replies, refused


def claims(replies: Iterable[Reply], population: int) -> Counter:
    """How many replies come in each client's name."""
    return Counter(r.client for r in replies if not told(r.error) and is_client(r.client, population))


def against_name(reply: Reply, claimed: Counter, population: int) -> str:
    """Why nobody can tell whose reply this is; "" if one can."""
    if told(reply.error):
        return f"sent no answer: {told(reply.error)}"
    if not is_client(reply.client, population):
        return f"gives its number as {quoted(reply.client)}; allowed: 0 to {population - 1}"
    if claimed[reply.client] > 1:
        # Nothing tells the true one from the other, and counting both would give this client two votes.
        return (
            f"is one of {claimed[reply.client]} replies that call themselves client {reply.client}, "
            "and none of them is used"
        )
    return ""


def against_size(size: object) -> str:
    """What is wrong with a number of rows; "" if nothing is."""
    if not isinstance(size, (int, float)) or isinstance(size, bool) or not size > 0:
        return f"gives its size as {quoted(size)}; allowed: a positive number of rows"
    if size > MOST_ROWS:
        return f"gives its size as {quoted(size)}; allowed: up to {MOST_ROWS} rows"
    return ""


def against_numbers(numbers: object, needs: Iterable[str], reader: str = "the rule") -> str:
    """Which of the numbers that ``reader`` needs is missing or not a finite number; "" if none is."""
    if not isinstance(numbers, Mapping):
        return f"sent its numbers as {quoted(numbers)}; allowed: numbers by name"
    for name in needs:
        if name not in numbers:
            sent = quoted(list(numbers)) if numbers else "no numbers"
            return f"sent no {name!r}, which {reader} reads; it sent {sent}"
        value = numbers[name]
        said = f"sent {name!r} = {quoted(value)}; allowed: a finite number"
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return said
        if not abs(value) <= sys.float_info.max:
            return NotFinite(said)
    return ""
