"""What happens to updates between clients and server: attacks, clipping, noise and compression; and wrong labels.

Each of these classes maps the ``Updates`` of a round to ``Updates`` and fits ``train(..., tamper=...)``: ``Bias`` and
``Scaling`` are attacks of one client, ``Clip``, ``GaussianNoise`` and ``TopK`` change every client's update, and
``Chain`` applies several of them in order. ``noisy_labels`` maps a ``Federation`` to a ``Federation``, before training.
All of them are deterministic for given settings.
"""

from fairfl.attacks.chain import Chain
from fairfl.attacks.clip import Clip
from fairfl.attacks.gaussian_noise import GaussianNoise
from fairfl.attacks.label_noise import noisy_labels
from fairfl.attacks.misreports import Bias, Scaling
from fairfl.attacks.top_k import TopK

__all__ = ["Bias", "Chain", "Clip", "GaussianNoise", "Scaling", "TopK", "noisy_labels"]
