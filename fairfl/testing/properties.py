"""``PROPERTIES``: the name of every property, with one line that says what holds."""

from collections.abc import Mapping
from types import MappingProxyType

from fairfl.testing.answers import ANSWER, INPUTS, REPEATABLE
from fairfl.testing.hard_inputs import HARD_INPUTS
from fairfl.testing.in_training import CHECKPOINT, ENGINES_AGREE
from fairfl.testing.order import ORDER
from fairfl.testing.promises import PROMISES
from fairfl.testing.property import Property
from fairfl.testing.state import COPY, REPORT, STATE

# In the order in which they are tried: a rule that writes into the updates, or that has no usable answer, fails nearly
# all that follow.
BY_NAME: dict[str, Property] = {
    tested.name: tested
    for tested in (
        INPUTS,
        ANSWER,
        REPEATABLE,
        ORDER,
        *HARD_INPUTS,
        STATE,
        COPY,
        REPORT,
        *PROMISES,
        ENGINES_AGREE,
        CHECKPOINT,
    )
}
OWED: tuple[str, ...] = tuple(name for name, tested in BY_NAME.items() if not tested.promised)

PROPERTIES: Mapping[str, str] = MappingProxyType({name: tested.description for name, tested in BY_NAME.items()})
