"""Draw anew which rows are held out, and keep who holds which rows."""

import torch

from fairfl.errors import refuse
from fairfl.federation import Federation
from fairfl.partition.holdout import Scoring, finish


def recut(federation: Federation, *, seed: int = 0, test: float = 0.2, validation: float = 0.0) -> Federation:
    """Cut every client's own rows anew, by ``seed``, into training, validation and test rows.

    Use it where several runs share one deal of the data and differ only in what is held out, as the runs of FedFV's
    released code do. Clients keep their rows, so their sizes and mixes of classes stay the same. ``test`` and
    ``validation`` are fractions of a client's rows.

    Raises ``Refused`` for fractions outside [0, 1), and where clients share test rows: a common pool cannot be cut
    client by client.
    """
    scoring = Scoring(seed, "own", test, validation)
    scored = torch.cat(federation.test)
    if len(scored.unique()) < len(scored):
        raise refuse(
            "the federation",
            "one whose clients share test rows",
            "a federation whose clients are scored on rows of their own",
            "Partition with scored_on='own' before you recut.",
            "combination",
        )
    lists = [torch.cat(parts).sort().values for parts in zip(federation.train, federation.validation, federation.test)]
    facts = federation.recipe | {"recut": {"seed": seed, "test": test, "validation": validation}}
    return finish(federation.dataset, lists, None, scoring, facts=facts)
