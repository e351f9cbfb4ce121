"""Which device a command trains on."""

import torch

from fairfl.errors import Refused, refuse


def chosen(name: str | None, here: bool = True) -> str | None:
    """``name`` as PyTorch knows it ("cpu", "cuda", "cuda:1"), or ``None`` where none was given.

    Raises ``Refused`` for any other device, and for a CUDA device that is not on this machine, if it is to be used ``here``.
    """
    if name is None:
        return None
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise refuse("--device", name, "cpu, cuda, or cuda:N for one of several", "Leave it out for CUDA where there is some.")
    if device.type == "cpu":
        return "cpu"
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if here and (device.index or 0) >= count:
        raise Refused(f"--device is {name!r}, and PyTorch sees {count or 'no'} CUDA devices on this machine; use --device cpu, or leave it out")
    return name
