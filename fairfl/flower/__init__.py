"""The rules of this package inside Flower, on machines that really are apart.

``Reply`` → ``collect`` → ``Updates`` → ``Coordinator`` needs no Flower and is what the tests and the chapter take apart;
``Member`` is the client's side of it. ``FairStrategy``, ``client_app`` and ``server_app`` put these into Flower's messages and
need ``pip install "fairfl[flower]"``; they are imported on first use.
"""

import importlib

from fairfl.extras import needed_by
from fairfl.server.collect import collect
from fairfl.server.coordinator import Coordinator, RoundRecord
from fairfl.server.member import Member
from fairfl.server.reply import Refusal, Reply

_WITH_FLOWER = {"FairStrategy": "strategy", "client_app": "apps", "server_app": "apps"}

__all__ = ["Coordinator", "Member", "Refusal", "Reply", "RoundRecord", "collect"]


def __getattr__(name):
    if name not in _WITH_FLOWER:
        raise AttributeError(f"module 'fairfl.flower' has no attribute {name!r}; it has {', '.join([*__all__, *_WITH_FLOWER])}")
    with needed_by(f"fairfl.flower.{name}"):
        return getattr(importlib.import_module(f"fairfl.flower.{_WITH_FLOWER[name]}"), name)
