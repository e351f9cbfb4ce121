"""Rewrite the imports in a reader's copy of an earlier edition to this edition's module names.

Only import statements and dotted module names change; everything else that a reader wrote stays as it is.
"""

import json
import re
from pathlib import Path

from fairfl import _atomic_files

# First-edition names → second-edition names.
_FIRST = {
    "fairfl.book": "fairfl_book",
    "fairfl.exercises": "fairfl_book.exercises",
    "fairfl.experiments": "reproductions",
    "fairfl.figures": "fairfl_book.figures",
    "fairfl.flower.demo": "post_offices.demo",
    "fairfl.flower.faults": "fairfl_book.faults",
    "fairfl.gram": "fairfl.rules.gram",
    "fairfl.labs.scalarisation.backdrop": "fairfl_book.two_spaces.backdrop",
    "fairfl.labs.scalarisation.level": "fairfl_book.two_spaces.level",
    "fairfl.labs": "fairfl_book.labs",
    "fairfl.selftest": "fairfl_book.selftest",
    "fairfl.toy": "fairfl_book.toy",
}
# The second edition's names, and the names that they have in the third.
_SECOND = {
    "fairfl.atomic": "fairfl._atomic_files",
    "fairfl.checkout": "fairfl._repository",
    "fairfl.clients.coded": "fairfl.clients.uint8_images",
    "fairfl.clients.curvature": "fairfl.clients.lbfgs",
    "fairfl.clients.dimension": "fairfl.clients.intrinsic_dimension",
    "fairfl.clients.flat": "fairfl.clients.flat_model",
    "fairfl.clients.graphed": "fairfl.clients.cuda_graphs",
    "fairfl.clients.local": "fairfl.clients.local_sgd",
    "fairfl.clients.loss": "fairfl.clients.losses",
    "fairfl.clients.provide": "fairfl.clients.client_statistics",
    "fairfl.clients.trial": "fairfl.clients.model_checks",
    "fairfl.clients.work": "fairfl.clients.round_work",
    "fairfl.data.download": "fairfl.data.downloads",
    "fairfl.data.parquet": "fairfl.data.hub_images",
    "fairfl.data.pixels": "fairfl.data.image_decoding",
    "fairfl.data.places": "fairfl.data.data_folder",
    "fairfl.data.scaling": "fairfl.data.normalisation",
    "fairfl.data.tables": "fairfl.data.parquet_reader",
    "fairfl.extras": "fairfl._extras",
    "fairfl.flower": "fairfl.deployment.flower",
    "fairfl.given": "fairfl._validation",
    "fairfl.kinds": "fairfl._validation",
    "fairfl.layers": "fairfl._layers",
    "fairfl.numbers": "fairfl._validation",
    "fairfl.partition.law": "fairfl.partition.partitioner",
    "fairfl.partition.laws": "fairfl.partition.partitioners",
    "fairfl.partition.own_lists": "fairfl.partition.from_indices",
    "fairfl.partition.scoring": "fairfl.partition.holdout",
    "fairfl.randomness": "fairfl._randomness",
    "fairfl.rules.geometry": "fairfl.rules",
    "fairfl.rules.losses": "fairfl.rules",
    "fairfl.rules.settings": "fairfl.rules.inputs",
    "fairfl.rules.structure.latest": "fairfl.rules.latest_updates",
    "fairfl.rules.structure": "fairfl.rules",
    "fairfl.secure": "fairfl.deployment.secure_sums",
    "fairfl.server.Server": "fairfl.training.Server",
    "fairfl.server.ServerStep": "fairfl.training.ServerStep",
    "fairfl.server.Taken": "fairfl.training.Taken",
    "fairfl.server.blame": "fairfl.deployment.attribution",
    "fairfl.server.checks": "fairfl.deployment.reply_checks",
    "fairfl.server.footing": "fairfl.deployment.rollback",
    "fairfl.server.quoting": "fairfl.deployment.sanitise",
    "fairfl.server.round": "fairfl.training.server_step",
    "fairfl.server.scores": "fairfl.deployment.reported_scores",
    "fairfl.server.step": "fairfl.training.server_optimiser",
    "fairfl.server": "fairfl.deployment",
    "fairfl.training.arithmetic": "fairfl.clients.float_precision",
    "fairfl.training.checks": "fairfl.training.arguments",
    "fairfl.training.code": "fairfl.training.code_fingerprint",
    "fairfl.training.identity": "fairfl.training.run_identity",
    "fairfl.training.jobs": "fairfl.training.run_batches",
    "fairfl.training.memory": "fairfl.training.rule_memory",
    "fairfl.training.settings": "fairfl.training.description",
    "fairfl.training.tampers": "fairfl.training.user_objects",
    "fairfl.vision": "fairfl._torchvision",
    "fairfl_book.address": "fairfl_book.repository_address",
    "fairfl_book.faults": "fairfl_book.fault_injection",
    "fairfl_book.labs.box": "fairfl_book.labs.epsilon_box",
    "fairfl_book.labs.flows": "fairfl_book.labs.descent_paths",
    "fairfl_book.labs.wall": "fairfl_book.labs.adafed_stall",
    "fairfl_book.places": "fairfl_book.book_paths",
    "fairfl_book.two_spaces": "fairfl_book.objective_plots",
    "reproductions.claim": "reproductions.paper_claim",
    "reproductions.claim_pages": "reproductions.claim_report",
    "reproductions.frame": "reproductions.dataframe",
    "reproductions.judgement": "reproductions.claim_verdict",
    "reproductions.places": "reproductions.result_folders",
    "reproductions.released": "reproductions.released_rules",
    "reproductions.rerun": "reproductions.rerun_row",
    "reproductions.verdict": "reproductions.cell_verdict",
    "reproductions.verify": "reproductions.reruns",
}
_SERVER = ("Coordinator", "Member", "Reply", "collect")  # the first edition offered them in fairfl.flower
_FROM = re.compile(
    r"^([ \t]*)from ((?:fairfl|fairfl_book|reproductions)(?:\.\w+)*) import (\w+(?: as \w+)?(?:, *\w+(?: as \w+)?)*)[ \t]*$",
    re.MULTILINE,
)
_DOTTED = re.compile(r"\b(?:fairfl|fairfl_book|reproductions)(?:\.\w+)+")


def renew(source: str) -> str:
    """A cell's source with this edition's imports."""
    return _DOTTED.sub(lambda found: _moved(found[0]), _FROM.sub(_statement, source))


def _moved(name: str) -> str:
    """The current name of a module or of one of its members, given its name in any edition."""
    for edition in (_FIRST, _SECOND):
        for old in sorted(edition, key=len, reverse=True):
            if name == old or name.startswith(f"{old}."):
                name = edition[old] + name.removeprefix(old)
                break
    return name


def _statement(found: re.Match) -> str:
    """One ``from … import …`` as one line per new module. A renamed member is imported under its old name."""
    indent, module, names = found.groups()
    homes: dict[str, list[str]] = {}
    for name in re.split(r", *", names):
        leaf, called = name.split()[0], name.split()[-1]
        whole = "fairfl.server" if module == "fairfl.flower" and leaf in _SERVER else module
        home, _, today = _moved(f"{whole}.{leaf}").rpartition(".")
        homes.setdefault(home, []).append(today if today == called else f"{today} as {called}")
    return "\n".join(
        indent + (f"from {home} import {', '.join(given)}" if home else f"import {', '.join(given)}")
        for home, given in homes.items()
    )


def renew_copy(path: Path) -> bool:
    """Update the imports of the notebook at ``path``; returns whether anything changed. An unreadable file is not changed."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        before = ["".join(cell["source"]) for cell in cells]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    after = [renew(source) for source in before]
    if after == before:
        return False
    for cell, source in zip(cells, after):
        cell["source"] = source.splitlines(keepends=True)
    _atomic_files.write(path, (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
    return True
