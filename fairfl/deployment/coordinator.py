"""``Coordinator``, the server's side of a real federation: a rule, a model, their memory, and a log of every round."""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

import torch

from fairfl._torch_modes import in_plain_modes
from fairfl._validation import check_module, instance_of, integer
from fairfl.clients import FlatModel, LocalMethod, LocalSGD
from fairfl.clients.client_statistics import PROVIDERS, refuse_unprovided
from fairfl.deployment.attribution import culprits
from fairfl.deployment.caps import Caps, shortened
from fairfl.deployment.collect import LISTED, Sound, gather, sift
from fairfl.deployment.reply import Refusal, Reply
from fairfl.deployment.reply_checks import claims, is_client, replies_of
from fairfl.deployment.rollback import Footing
from fairfl.errors import Refused, refuse
from fairfl.rules import Rule
from fairfl.training.samplers import (
    Drawn,
    Participation,
    Sampler,
    draw,
    expected_count,
    require_everyone,
    sampler_of,
    takes_everyone,
    with_inclusion,
)
from fairfl.training.server_optimiser import Server
from fairfl.training.server_step import ServerStep
from fairfl.training.user_objects import own_copies, restore
from fairfl.training.user_objects import state as state_of

MOST_CLIENTS = 10**8  # their numbers are drawn from one tensor


@dataclass(frozen=True)
class RoundRecord:
    """The record of one round.

    ``clients``: the clients whose updates the rule used. ``refused``: the replies that were left out, and why; of a
    flood of replies without a client of their own, only some and a count. ``missing``: the clients that were asked and
    did not answer. ``skipped``: why the model did not move; "" if it did. ``direction_norm``,
    ``smallest_rate``: as in ``History``. ``remark``: why the rule deviated from its own formula, if it did.
    """

    round: int
    clients: tuple[int, ...] = ()
    refused: tuple[Refusal, ...] = ()
    missing: tuple[int, ...] = ()
    skipped: str = ""
    direction_norm: float = float("nan")
    smallest_rate: float = float("nan")
    remark: str = ""

    def lines(self) -> list[str]:
        """The record in sentences, one per line: the round, then the missing clients, then each refusal."""
        did = f"{_count(len(self.clients), 'client')}, ‖dir‖ {self.direction_norm:.3g}"
        did = f"skipped ({self.skipped})" if self.skipped else did
        gone = [_missing(self.missing)] if self.missing else []
        return [f"round {self.round}: {did}", *gone, *(f"{r.who} refused: it {r.reason}" for r in self.refused)]

    def __str__(self) -> str:
        return "; ".join(self.lines())


@dataclass
class Coordinator:
    """Run a federation from unchecked replies: in each round, do what ``train`` would do with the sound ones.

    ``rule``: a ``Rule`` (a copy is used) or its name. ``model``: a module; its weights are w_0. ``population``: N, the
    number of clients that exist. ``rounds``, ``server``, ``local``: as in ``train`` (``local`` only gives the rule the
    local step size). ``quorum``: a round with fewer valid replies is skipped. ``participation``, ``seed``: who is asked
    in a round, as in ``train``: a fraction, a number of clients, or a sampler. With one seed both draw the same
    clients. An empty draw is a skipped round. ``caps``: limits on rows, sizes and numbers that the clients have agreed
    on; a reply beyond one is refused before the rule sees it.

    One malformed reply, or one row whose length overflows, cannot end the federation. Before the rule sees a round, a
    row is refused if it is more than a million times as long as the median row (or than 1) and its squared length
    overflows the model's type; in float32, such a row is longer than 1.8e19. A shorter row may still ruin the model. So
    suppose that a row of the newest step was a million times as long as the median row, that ``quorum`` or more clients
    now reply with numbers that are not finite, and that no client except the row's sender sends a sound reply. Then the
    model and all memories are rolled back to where they were before that step, the round's record names the sender, and
    rows of such a length are refused from then on. The rollback is one step at most, to a model from which clients did
    send sound replies. It never refuses clients whose rows have comparable lengths. It cannot detect outsized rows from
    half of the clients or more, a client that answers alone, and false numbers of ordinary size.

    One outsized but finite reply can end the learning, and no record names its sender. Without caps, a row that is a
    billion times as long as the others carries FedAvg's model so far away that, in float32, honest steps are rounded
    away. Every later direction is then zero or rounding error. ``Caps(times_median=10)`` refuses such a row before the
    rule sees it.

    False numbers of ordinary size are the rule's matter, and no record names their sender. A reported loss of 1e30
    shortens AdaFed's steps to nothing. A loss of 0, −1 or 1e5 stopped FedLF and FedMDFG in our trials. A row that is
    minus the sum of the others stops FedAvg and every rule that looks for a common descent direction, and drives TERM
    and AFL far away; Krum and the coordinate-wise median go on. DQN-Fed prescribes rates, so a very short row asks for
    a very long step. AFL moves only when every client has answered. ``caps`` narrow what a false number can do, as in
    ``Caps(times_median=10, numbers={"losses": (0.01, 20)})``. With a ``roster`` (``fairfl.deployment.flower``), one
    node speaks for one client only. With a ``quorum``, the model waits until enough clients are sound.

    ``w`` (d,): the model from which clients start the next round. ``reported`` (d,): the model that the method reports.
    ``round``: the next round. ``asked``: the clients to ask in it. ``log``: one ``RoundRecord`` per round.

    >>> import torch
    >>> from fairfl.deployment import Coordinator, Member
    >>> from fairfl import data, partition
    >>> federation, model = partition.iid(data.load("digits"), 10), torch.nn.Linear(64, 10)
    >>> coordinator = Coordinator("FedAvg", model, population=10, rounds=2, participation=3)
    >>> for t in range(2):
    ...     members = [Member.of(federation, k, model) for k in coordinator.asked]
    ...     replies = [m.work(coordinator.arrays(), t, coordinator.needs) for m in members]
    ...     record = coordinator.receive(replies)
    >>> len(record.clients), record.missing
    (3, ())

    Raises ``Refused`` for settings out of range or of the wrong type, for a rule that needs numbers that no client can
    provide, for a cap on a number that no rule reads, and for a rule that is defined for full participation with a
    ``participation`` below it.
    """

    rule: Rule | str
    model: torch.nn.Module
    population: int
    rounds: int
    server: Server = field(default_factory=Server)
    local: LocalMethod = field(default_factory=LocalSGD)
    quorum: int = 1
    participation: Participation = 1.0
    seed: int = 0
    caps: Caps = field(default_factory=Caps)

    @in_plain_modes
    def __post_init__(self) -> None:
        self.caps = instance_of("caps", self.caps, Caps)
        remedy = "It is the number of clients that exist."
        self.population = integer("population", self.population, 1, remedy, high=MOST_CLIENTS)
        self.rounds = integer("rounds", self.rounds, 1, "A round is one exchange between server and clients.")
        remedy = "It is the minimum number of valid replies."
        self.quorum = integer("quorum", self.quorum, 1, remedy, high=self.population)
        if not isinstance(self.local, LocalMethod):
            raise refuse("local", self.local, "a LocalSGD or another local method", "Pass LocalSGD(lr=...).", "type")
        flat = FlatModel(copy.deepcopy(check_module(self.model)))
        self.layout = flat.layout
        self._step = ServerStep(self.rule, flat.vector, self.rounds, self.server)
        self.rule = self._step.rule
        refuse_unprovided(self.rule.name, self.rule.needs)
        self.caps.check_names(self.rule.name, {*PROVIDERS, *self.needs})
        self.seed = integer("seed", self.seed, remedy="With the seed of train, the same clients are asked.")
        self._sampler: Sampler = own_copies("participation", [sampler_of(self.participation, self.population)])[0]
        if self.rule.needs_everyone:
            require_everyone(self.rule.name, self.participation, self._sampler)
        if (count := expected_count(self._sampler, self.population)) < self.quorum:
            remedy = "A round with fewer replies than the quorum is skipped: lower it, or ask more clients."
            raise refuse("quorum", self.quorum, f"1 to {count}, the clients of a round", remedy, "combination")
        self._draw: tuple[Drawn, Sampler] | None = None
        self._footing = Footing(flat.vector.dtype)
        self.round = 0
        self.log: list[RoundRecord] = []

    @property
    def w(self) -> torch.Tensor:
        return self._step.w

    @property
    def reported(self) -> torch.Tensor:
        return self._step.reported

    @property
    def needs(self) -> list[str]:
        """The numbers that clients must send in addition to their model and their size."""
        return self._step.needs

    @property
    def asks_everyone(self) -> bool:
        """Whether every round asks all clients."""
        return takes_everyone(self._sampler)

    @property
    def asked(self) -> tuple[int, ...]:
        """The numbers of the clients to ask in this round, in increasing order, drawn by ``participation``.

        The draw is repeatable: a coordinator that is restored in the middle of a round draws the same clients.
        """
        return self._drawn()[0].clients

    @in_plain_modes
    def _drawn(self) -> tuple[Drawn, Sampler]:
        """This round's draw, and the sampler after it, which replaces the present one when the round is over."""
        if self._draw is None:
            after = copy.deepcopy(self._sampler)
            self._draw = draw(after, self.seed, self.round, self.population), after
        return self._draw

    def arrays(self, reported: bool = False) -> dict[str, torch.Tensor]:
        """The model by parameter name: the one that clients start from, or the one that the method reports."""
        w = self.reported if reported else self.w
        return {
            name: w[place].reshape(shape).clone()
            for name, place, shape in zip(self.layout.names, self.layout.slices, self.layout.shapes)
        }

    @in_plain_modes
    def receive(self, replies: Iterable[Reply], asked: Iterable[int] | None = None) -> RoundRecord:
        """Run one round: check the replies, apply the rule, move the model.

        ``asked``: the numbers of the clients that were asked, by default ``self.asked``. Those that did not answer are
        missing, and a client that was not asked is refused. Pass it only if something else chose the clients; a rule
        then gets no inclusion probabilities.

        A bad reply is left out. So is a client whose numbers the rule refuses: the rule is applied again, as if that
        client had not answered. A round without a direction is skipped and leaves no trace in any memory. In each case
        the round is over and recorded in ``log``.

        Any exception other than ``Refused`` that the rule raises is a bug in the rule and passes through; the
        coordinator is then as it was before.
        """
        inclusion = self._inclusion(asked is None)
        asked = self.asked if asked is None else asked
        remedy = "Name clients of the population."
        wanted = sorted({integer("a client that was asked", k, 0, remedy, high=self.population - 1) for k in asked})
        replies, strays = replies_of(replies)
        heard = claims(replies, self.population)
        sound, refused = sift(replies, self.w, self.layout, self.population, self.needs, set(wanted), self.caps)
        members = {r.who for r in replies if is_client(r.client, self.population) and heard[r.client] == 1}
        refused = shortened(strays + refused, members)
        if self._footing.lost(sound, refused, self.quorum):
            refused += self._footing.back(self._step)
            done: dict = {"skipped": "no client sent a sound reply from this model, so the previous model is restored"}
            sound = {}
        elif not wanted:
            done = {"skipped": "no client was asked"}
        else:
            done = self._decide(sound, refused, inclusion)
        missing = tuple(k for k in wanted if k not in heard)
        named = tuple(Refusal(r.who, str(r.reason)) for r in refused)  # plain strings, for torch.load
        record = RoundRecord(self.round, tuple(sound), named, missing, **done)
        self.round += 1
        if self._draw is not None:
            self._sampler, self._draw = self._draw[1], None
        self.log.append(record)
        return record

    def _inclusion(self, drawn_here: bool) -> Mapping[int, float] | None:
        """The inclusion probabilities of the clients that were asked, by number, if the rule reads them."""
        rule = self._step.rule
        if "inclusion" not in rule.needs:
            return None
        if not drawn_here:
            raise Refused(
                f"{rule.name} needs inclusion probabilities, and receive(asked=...) has none. Pass participation= "
                f"to the Coordinator, ask coordinator.asked, and leave asked out",
                "missing",
            )
        drawn, _ = self._drawn()
        return dict(zip(drawn.clients, with_inclusion(drawn, rule.name, self._sampler).tolist()))

    def _decide(
        self, sound: dict[int, Sound], refused: list[Refusal], inclusion: Mapping[int, float] | None = None
    ) -> dict:
        """Move the model, and return the fields of the ``RoundRecord`` that describe the step.

        Clients whose replies the rule cannot use are moved from ``sound`` to ``refused``.
        """
        while len(sound) >= self.quorum:
            updates = gather(
                sound,
                self.layout,
                self.population,
                round=self.round,
                needs=self.needs,
                local_lr=self.local.sgd_lr_at(self.round),
                inclusion=inclusion,
            )
            if giants := self.caps.too_long(updates) or self._footing.outsized(updates):
                refused += [Refusal(sound.pop(k).who, why) for k, why in giants.items()]
                continue
            before = self._footing.note(self._step, updates)
            try:
                taken = self._step.take(updates)
                self._footing.stepped(before, updates, sound)
                return {
                    "direction_norm": taken.norm,
                    "smallest_rate": taken.smallest_rate,
                    "remark": taken.direction.reason,
                }
            except Refused as refusal:
                blamed = culprits(refusal, updates)
                if not blamed:
                    return {"skipped": str(refusal)}
            refused += [Refusal(sound.pop(k).who, f"{why} ({self._step.rule.name})") for k, why in blamed.items()]
        return {"skipped": f"{_count(len(sound), 'sound reply', 'sound replies')}; needed: {self.quorum}"}

    def state_dict(self) -> dict:
        """Everything that changes from round to round, as tensors and plain values, for ``torch.save`` and
        ``torch.load(..., weights_only=True)``.
        """
        log = [asdict(record) for record in self.log]
        own = {"round": self.round, "log": log, "footing": self._footing.state_dict()}
        return own | state_of("participation", self._sampler) | self._step.state_dict()

    def load_state_dict(self, state: dict) -> None:
        """Continue from ``state``, bit for bit. Raises ``Refused`` as ``ServerStep.load_state_dict`` does."""
        try:
            next_round, log = (
                integer("the saved round", state["round"], 0),
                [
                    RoundRecord(**{**record, "refused": tuple(Refusal(**r) for r in record["refused"])})
                    for record in state["log"]
                ],
            )
        except (KeyError, TypeError) as error:
            what = "the saved state has no round or no log of rounds; give the result of state_dict()"
            raise Refused(what, "state") from error
        self._step.load_state_dict(state)
        if "footing" in state:  # states saved by version 1.0.0 have none
            self._footing.load_state_dict(state["footing"])
        restore("participation", self._sampler, state)
        self.round, self.log, self._draw = next_round, log, None


def _missing(clients: tuple[int, ...]) -> str:
    """The missing clients in one line, however many they are."""
    more = f" and {len(clients) - LISTED} more" if len(clients) > LISTED else ""
    return f"client{'s' * (len(clients) > 1)} {', '.join(map(str, clients[:LISTED]))}{more} missing"


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"
