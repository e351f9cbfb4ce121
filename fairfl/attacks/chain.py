"""``Chain``: several changes of the updates, one after the other."""

from collections.abc import Callable
from typing import Any

from fairfl.errors import Refused, refuse
from fairfl.updates import Updates

Tamper = Callable[[Updates], Updates]


class Chain:
    """Apply ``tampers`` to a round's updates in the given order: ``Chain(Clip(1.0), GaussianNoise(0.1))`` clips first.

    (A list given to ``train(tamper=[...])`` is something else, one tamper per seed.) The state of a chain is the states
    of its links that have ``state_dict`` and ``load_state_dict``, by their place. ``train`` looks into every link, so a
    link with undeclared state is refused with a checkpoint as it would be alone.

    Raises ``Refused`` if no tamper is given, and for a tamper that cannot be called.

    >>> from fairfl import Updates, attacks
    >>> double = attacks.Scaling(client=0, factor=2.0)
    >>> attacks.Chain(double, attacks.Clip(1.0))(Updates([[0.75]])).gradients.tolist()
    [[1.0]]
    """

    def __init__(self, *tampers: Tamper):
        if not tampers:
            raise Refused("Chain() has nothing to apply; pass one or more tampers, such as Clip(1.0)", "missing")
        for tamper in tampers:
            if not callable(tamper) or isinstance(tamper, type):
                remedy = "Pass them one by one: Chain(first, second)."
                raise refuse("a link of Chain", tamper, "functions updates → updates", remedy, "type")
        self.tampers = tampers

    def __repr__(self) -> str:
        return f"Chain({', '.join(map(repr, self.tampers))})"

    def __call__(self, updates: Updates) -> Updates:
        for tamper in self.tampers:
            updates = tamper(updates)
        return updates

    def state_dict(self) -> dict[str, Any]:
        """The states of the links that have one, by their place in the chain."""
        return {str(place): link.state_dict() for place, link in self._stateful().items()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from ``state``. Raises ``Refused`` if it is the state of a chain with other links."""
        links = self._stateful()
        if not isinstance(state, dict) or set(state) != set(map(str, links)):
            raise Refused("the saved state is that of another Chain; pass the result of its state_dict()", "state")
        for place, link in links.items():
            link.load_state_dict(state[str(place)])

    def _stateful(self) -> dict[int, Any]:
        saves = lambda link: all(callable(getattr(link, name, None)) for name in ("state_dict", "load_state_dict"))
        # The state of a bound method is that of its instance.
        holders = [getattr(link, "__self__", link) for link in self.tampers]
        return {place: holder for place, holder in enumerate(holders) if saves(holder)}
