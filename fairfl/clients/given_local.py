"""``local_of``: the argument ``local`` of ``train`` and ``clients.updates``, in one form."""

from collections.abc import Mapping

from fairfl.clients.local_method import LocalMethod
from fairfl.clients.per_client import Given, Local, PerClient
from fairfl.clients.second_order import SecondOrder
from fairfl.errors import refuse


def local_of(local: Given | SecondOrder | None, default: LocalMethod, clients: int) -> Local | SecondOrder:
    """``local`` as given to ``train`` or ``clients.updates``: one method for all clients, or one for each of
    ``clients`` clients.
    """
    if local is None:
        return default
    if isinstance(local, PerClient):
        local = [local.method(client) for client in range(len(local.of_client))]
    if isinstance(local, (LocalMethod, SecondOrder)):
        return local
    if isinstance(local, (list, tuple, Mapping)) or callable(local) and not isinstance(local, type):
        return PerClient.of(local, clients)
    allowed = "a LocalSGD or another local method, or one for each client, as a list or a function of its number"
    raise refuse("local", local, allowed, "Pass an instance, such as LocalSGD().", "type")
