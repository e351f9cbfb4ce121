"""``refused``: what a test asserts of an error: its kind, and the names and numbers in it, not its wording."""

from contextlib import contextmanager

import pytest

from fairfl.errors import Refused


@contextmanager
def refused(kind: str, *mentions: object):
    """The block raises a ``Refused`` of this ``kind`` whose message mentions each of ``mentions``."""
    with pytest.raises(Refused) as caught:
        yield caught
    assert caught.value.kind == kind, f"{caught.value.kind}: {caught.value}"
    for one in mentions:
        assert str(one) in str(caught.value), f"{one!r} is not in: {caught.value}"
