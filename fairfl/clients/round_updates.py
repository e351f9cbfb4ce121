"""``updates``: one round's ``Updates`` without a training, and ``collect``, which makes them for ``train`` as well."""

from collections.abc import Callable, Collection, Sequence

import torch

from fairfl import models
from fairfl._torch_modes import in_plain_modes
from fairfl._validation import as_device, integer, known, tensor
from fairfl.clients.client_statistics import ALWAYS, PROVIDERS, RoundView
from fairfl.clients.engines import ENGINES, choose, train_slots
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.float_precision import a_precision, arithmetic
from fairfl.clients.given_local import local_of
from fairfl.clients.local_sgd import LocalSGD
from fairfl.clients.losses import Loss, loss_of
from fairfl.clients.model_checks import tried
from fairfl.clients.per_client import Given, Local
from fairfl.clients.round_work import RoundWork
from fairfl.clients.second_order import SecondOrder
from fairfl.clients.slots import Examples, Slot
from fairfl.clients.uint8_images import resident
from fairfl.errors import Refused, refuse, unknown
from fairfl.federation import Federation, check_federation
from fairfl.updates import Updates


def collect(view: RoundView, needs: Collection[str], population: int) -> Updates:
    """The ``Updates`` of one round of a run, with the numbers listed in ``needs``.

    ``population``: the number of clients that exist.
    """
    work = view.work
    sizes = torch.tensor([len(rows) for rows in view.rows], dtype=torch.float64)
    # Sorted, because "smoothness" reads what "newton_rates" has stored.
    extras = {name: PROVIDERS[name](view) for name in sorted(needs)}
    return Updates(
        view.gradients,
        losses=extras.pop("losses", None),
        shares=sizes / sizes.sum(),
        clients=torch.tensor(view.clients),
        population=population,
        round=work.round,
        layout=view.flat.layout,
        extras=extras,
        local_lr=work.local_lr,
    )


@in_plain_modes
def updates(
    federation: Federation,
    model: str | torch.nn.Module | Callable = "logistic",
    *,
    local: Given | SecondOrder | None = None,
    parameters: torch.Tensor | Sequence[float] | None = None,
    clients: Sequence[int] | torch.Tensor | None = None,
    round: int = 0,
    seed: int = 0,
    needs: Collection[str] = (),
    loss: Loss | str | None = None,
    device: str | torch.device | None = None,
    engine: str | None = None,
    precision: str = "float32",
) -> Updates:
    """What clients send in one round: the ``Updates`` that ``train`` hands to its rule, without a training.

    With the same seed, model, clients and settings they have the same bits as in ``train``. So a rule, an attack or a
    figure can be tried on real updates in one line.

    - ``parameters`` (d,): the model that clients start from, such as ``history.parameters``. The default is the initial
      model of ``seed``.
    - ``clients``: the numbers of the participants, in the order of the rows. The default is all clients.
    - ``round``: the number of the round, from 0. It determines the order of batches, what dropout draws, and the step
      size if it decays.
    - ``needs``: the names of other numbers per client, such as "losses", or a rule's ``needs``.
    - The other arguments are those of ``train``.

    Raises ``Refused`` for arguments of the wrong type or out of range. After round 0 it also refuses what depends on
    earlier rounds: corrections that keep vectors, FedNL and FedNew, and the needs "newton_rates" and "smoothness".

    >>> from fairfl import clients, data, partition, rules
    >>> federation = partition.iid(data.load("digits"), 4)
    >>> updates = clients.updates(federation, "logistic", needs=["losses"])
    >>> updates.gradients.shape, updates.losses.shape
    (torch.Size([4, 650]), torch.Size([4]))
    >>> rules.make("FedMGDA").direction(updates).rates.min() > 0
    tensor(True)
    """
    check_federation(federation)
    loss, device = loss_of(loss, federation.dataset), as_device(device)
    method = local_of(local, LocalSGD(), len(federation))
    newton = method if isinstance(method, SecondOrder) else None
    seed = integer("seed", seed, remedy="It is the seed of a run.")
    round = integer("round", round, 0, "Rounds are counted from 0.")
    names, chosen = _named(needs), _participants(clients, len(federation))
    if "accuracies" in names:
        federation.dataset.class_labels("clients.updates(needs=['accuracies'])")
    if round and (past := _reads_earlier_rounds(method, names)):
        raise Refused(
            f"round is {round}, and {past} depends on the rounds before it; use round=0, or train with "
            f"on_round=, which gets every round's updates",
            "combination",
        )
    precision = a_precision(precision, device)
    flat = FlatModel(models.fresh(model, federation.dataset, seed), device)
    examples = Examples(resident(federation.dataset.inputs, device), federation.dataset.targets.to(device))
    few = torch.cat(federation.train)[:2].to(device)
    flat.draws = tried(flat, examples.inputs[few], examples.targets[few], loss, len(federation.dataset.classes))
    start = flat.vector.clone() if parameters is None else _start(parameters, flat)
    if engine is not None:
        known("engine", engine, ENGINES)
    # For a rule, a Newton step counts as one step of size 1.
    descent = LocalSGD(lr=1.0) if isinstance(method, SecondOrder) else method
    engine = engine or choose(flat, len(chosen), descent)
    check_engine(engine, flat)
    slots = [Slot(0, seed, k, federation.train[k].to(device)) for k in chosen]
    work = RoundWork(examples, slots, start[None], descent, round, loss)
    with arithmetic(precision, device):
        if newton is not None:
            newton.check(flat, len(slots))
            rows = newton.work(flat, work, [{}])
        else:
            keeps = descent.correct.keeps if descent.correct else ()
            zeros = {name: start.new_zeros(len(federation), len(start)) for name in keeps}
            rows = train_slots(flat, work, engine, [zeros])
        validation = [federation.validation[k].to(device) for k in chosen]
        view = RoundView(flat=flat, work=work, gradients=rows, validation=validation, memory={})
        return collect(view, names, len(federation))


def check_engine(engine: str, flat: FlatModel) -> None:
    """Raise ``Refused`` if ``engine`` cannot train this model."""
    if engine == "batched" and flat.has_dropout:
        raise refuse(
            "engine",
            engine,
            "'sequential' for a model with dropout",
            "Stacked clients would share their random numbers; leave engine out to get one that fits.",
            "combination",
        )
    if engine == "batched" and flat.has_shared_modules:
        raise refuse(
            "engine",
            engine,
            "'sequential' for a model in which one module has two names",
            "Leave engine out to get one that fits.",
            "combination",
        )


def _named(needs: Collection[str]) -> set[str]:
    names = {needs} if isinstance(needs, str) else set(needs)
    for name in names - ALWAYS - set(PROVIDERS):
        raise unknown("name in needs", name, set(PROVIDERS) | ALWAYS)
    return names - ALWAYS


def _participants(clients: Sequence[int] | torch.Tensor | None, population: int) -> list[int]:
    if clients is None:
        return list(range(population))
    chosen = [
        integer("clients", k, 0, "A client's number is its place in the federation, from 0.", high=population - 1)
        for k in clients
    ]
    if not chosen or len(set(chosen)) < len(chosen):
        raise refuse("clients", chosen, "one or more different numbers", "A client sends one row per round.")
    return chosen


def _start(parameters: torch.Tensor | Sequence[float], flat: FlatModel) -> torch.Tensor:
    start = tensor("parameters", parameters, precise=False).to(flat.vector)
    if start.shape != flat.vector.shape:
        raise refuse(
            "the shape of parameters",
            tuple(start.shape),
            f"{tuple(flat.vector.shape)}, the model's trainable parameters as one vector",
            "Pass history.parameters, or torch.nn.utils.parameters_to_vector(module.parameters()).",
            "shape",
        )
    return start


def _reads_earlier_rounds(local: Local | SecondOrder, needs: set[str]) -> str:
    """What among these depends on earlier rounds, or ""."""
    if isinstance(local, SecondOrder):
        return type(local).__name__
    if local.correct is not None and local.correct.keeps:
        return type(local.correct).__name__
    return " and ".join(sorted(needs & {"newton_rates", "smoothness"}))
