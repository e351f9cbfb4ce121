"""``recut`` keeps who holds which rows and draws anew which of them are held out."""

import torch

from fairfl.errors import refuse
from fairfl.federation import Federation
from fairfl.partition.scoring import Scoring, finish


def recut(federation: Federation, *, seed: int = 0, test: float = 0.2, validation: float = 0.0) -> Federation:
    """``federation`` with every client's own rows cut anew, by ``seed``, into training, validation and test rows.

    Use it where several runs share one deal of the data and differ in what is held out, as the runs of FedFV's released
    code do. ``test`` and ``validation`` are fractions of a client's rows. Clients' shares and mixes of classes stay as
    they were. Raises ``Refused`` for fractions outside [0, 1), and where clients are scored on rows that they share:
    a common pool cannot be cut client by client.
    """
    scoring = Scoring(seed, "own", test, validation)
    scored = torch.cat(federation.test)
    if len(scored.unique()) < len(scored):
        raise refuse(
            "the federation",
            "one whose clients share test rows",
            "clients scored on rows of their own",
            "Split with scored_on='own' before you recut.",
        )
    lists = [torch.cat(parts).sort().values for parts in zip(federation.train, federation.validation, federation.test)]
    facts = federation.recipe | {"recut": {"seed": seed, "test": test, "validation": validation}}
    return finish(federation.dataset, lists, None, scoring, facts=facts)
