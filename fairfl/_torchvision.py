"""Import torchvision lazily, even beside a build of PyTorch that it was not compiled for."""

import importlib
import importlib.util
import re
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import cast

import torch

from fairfl._extras import needed_by

# A torch.library.Library unregisters its operators when it is collected, so the declarations are kept here.
_declared: list[torch.library.Library] = []


def torchvision() -> ModuleType:
    """Import and return torchvision, as in ``torchvision().models.resnet18()``.

    torchvision's wheels on the registry are CUDA builds. Beside a CPU build of PyTorch, their compiled operators do not
    load, and a plain ``import torchvision`` fails with "operator torchvision::nms does not exist". Datasets,
    transforms and ResNets do not need these operators. So if, and only if, the plain import fails in this way, the
    missing operators are declared (by name, without code: calling one still fails) and the import is repeated.
    Afterwards a plain ``import torchvision`` works as well, for other libraries too.

    Raises ``NotInstalled`` if torchvision is not installed.
    """
    try:
        with needed_by("downloading an image dataset, or a ResNet,"):
            return importlib.import_module("torchvision")
    except RuntimeError as failure:
        if "torchvision::" not in str(failure):
            raise
    # The failed import leaves submodules in sys.modules whose parent is gone.
    for name in [name for name in sys.modules if name.startswith("torchvision.")]:
        del sys.modules[name]
    package = cast(ModuleSpec, importlib.util.find_spec("torchvision"))
    _declare(Path(cast(list[str], package.submodule_search_locations)[0]) / "_meta_registrations.py")
    return importlib.import_module("torchvision")


def _declare(registrations: Path) -> None:
    """Declare every operator for which torchvision's own file registers a fake implementation."""
    names = re.findall(r'register_fake\("torchvision::(\w+)"\)', registrations.read_text())
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in names:
        if not hasattr(torch.ops.torchvision, name):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _declared.append(library)
