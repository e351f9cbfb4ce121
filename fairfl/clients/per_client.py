"""``PerClient``: a local method for each client, for clients that do unequal work."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairfl.clients.correction import Correction
from fairfl.clients.local_method import LocalMethod
from fairfl.clients.slots import Slot
from fairfl.errors import refuse

Several = Sequence[LocalMethod] | Mapping[int, LocalMethod] | Callable[[int], LocalMethod]


@dataclass(frozen=True)
class PerClient:
    """The local methods of N clients. ``methods``: the different ones; ``of_client``: client k has number
    ``of_client[k]``.
    """

    methods: tuple[LocalMethod, ...]
    of_client: tuple[int, ...]

    @classmethod
    def of(cls, given: Several, clients: int) -> "PerClient":
        """One method for each of ``clients`` clients, from a list, a mapping, or a function of the client's number.

        Raises ``Refused`` for another number of entries, for entries that are not local methods, and if only some
        clients have a ``correct``, because its means are over all clients.
        """
        if isinstance(given, Mapping):
            if set(given) != set(range(clients)):
                odd = sorted(set(given) ^ set(range(clients)), key=str)
                allowed = f"the clients' numbers, 0 to {clients - 1}, each with a local method"
                raise refuse("the clients named in local", list(given), allowed, f"See to {odd[:3]}.", "shape")
            found: list[Any] = [given[client] for client in range(clients)]
        elif callable(given):
            found = [given(client) for client in range(clients)]
        elif len(given) != clients:
            remedy = "Give one for each client, in the order of their numbers; or one for all, without a list."
            raise refuse("the number of entries in local", len(given), f"{clients}, one per client", remedy, "shape")
        else:
            found = list(given)
        methods: list[LocalMethod] = []
        number: dict[Hashable, int] = {}
        of_client = []
        for client, method in enumerate(found):
            if not isinstance(method, LocalMethod):
                remedy = "Give every client a local method, such as LocalSGD(lr=0.1, epochs=2)."
                raise refuse(f"client {client}'s local", method, "a LocalSGD or another LocalMethod", remedy, "type")
            key = _key(method)
            if key not in number:
                number[key] = len(methods)
                methods.append(method)
            of_client.append(number[key])
        first = methods[0].correct
        for client, which in enumerate(of_client):
            own = methods[which].correct
            if own is not first and own != first:
                remedy = "Give all clients the same one: its means are over all clients."
                raise refuse(f"client {client}'s local.correct", own, f"{first!r}, as for 0", remedy, "combination")
        return cls(tuple(methods), tuple(of_client))

    @property
    def correct(self) -> Correction | None:
        """The correction, which is the same for all clients."""
        return self.methods[0].correct

    def method(self, client: int) -> LocalMethod:
        """The local method of ``client``."""
        return self.methods[self.of_client[client]]

    def groups(self, slots: Sequence[Slot]) -> dict[int, list[int]]:
        """The places of ``slots`` that share a method, by the method's number."""
        out: dict[int, list[int]] = {}
        for place, slot in enumerate(slots):
            out.setdefault(self.of_client[slot.client], []).append(place)
        return out


Local = LocalMethod | PerClient
Given = Local | Several


def methods_of(local: Local) -> tuple[LocalMethod, ...]:
    """The different methods in ``local``."""
    return local.methods if isinstance(local, PerClient) else (local,)


def _key(method: LocalMethod) -> Hashable:
    try:
        hash(method)
    except TypeError:
        return id(method)
    return method
