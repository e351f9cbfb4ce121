"""What was set, as plain values: the identity of a run, in checkpoints and histories."""

import dataclasses
import hashlib

import torch


def describe(thing) -> object:
    """``thing`` as nested plain values; tensors by their shape and a digest of their content."""
    if thing is None or isinstance(thing, (bool, int, float, str)):
        return thing
    if isinstance(thing, torch.Tensor):
        digest = hashlib.blake2b(thing.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes(), digest_size=6)
        return f"tensor{tuple(thing.shape)}:{digest.hexdigest()}"
    if isinstance(thing, dict):
        return {str(k): describe(v) for k, v in thing.items()}
    if isinstance(thing, (list, tuple, set, frozenset)):
        return [describe(v) for v in (sorted(thing) if isinstance(thing, (set, frozenset)) else thing)]
    if dataclasses.is_dataclass(thing):
        return {f.name: describe(getattr(thing, f.name)) for f in dataclasses.fields(thing)}
    if isinstance(thing, torch.nn.Module):
        return str(thing)
    if isinstance(thing, type) or callable(thing) and hasattr(thing, "__qualname__"):
        return f"{thing.__module__}:{thing.__qualname__}"
    public = {k: describe(v) for k, v in vars(thing).items() if not k.startswith("_")} if hasattr(thing, "__dict__") else {}
    return {"class": f"{type(thing).__module__}:{type(thing).__qualname__}", **public}


def describe_rule(rule) -> dict:
    """A rule's class and public settings. State belongs in underscored attributes."""
    return {"name": rule.name, **describe(rule)}


def describe_federation(federation) -> dict:
    return {"dataset": federation.dataset.name, "variant": federation.dataset.variant, "clients": len(federation),
            "recipe": describe(federation.recipe), "digest": federation.digest}


def describe_machine(device: torch.device) -> dict:
    """Versions and hardware, for provenance; not compared when a run is resumed."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
    return {"torch": str(torch.__version__), "device": name, "threads": torch.get_num_threads()}
