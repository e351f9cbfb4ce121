"""Shakespeare by speaking role: predict the next character from the 80 before it."""

import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from fairfl._randomness import numpy_generator
from fairfl._validation import integer
from fairfl.data import data_folder
from fairfl.data.dataset import Dataset
from fairfl.data.parquet_reader import Table, broken
from fairfl.errors import Refused, refuse, unknown

# The 80 characters of LEAF and of q-FFL's code, in their order; a character's number is its index here.
ALPHABET = "\n !\"&'(),-.0123456789:;>?ABCDEFGHIJKLMNOPQRSTUVWXYZ[]abcdefghijklmnopqrstuvwxyz}"
WINDOW = 80


def load(*, stride: int = 10, roles: int | Sequence[str] | None = None, min_windows: int = 1, seed: int = 0) -> Dataset:
    """Windows of the 37 plays: (80,) int64 characters in, the next character out; a role is a (play, role) pair.

    A role's speeches are joined in the play's order, and every run of white space becomes one space (as in LEAF).
    Windows start every ``stride`` characters and never reach from one role into another. Rows are ordered by role and,
    within a role, by time.

    - ``stride``: 1 in the papers; all roles then make 4.2 million windows, 2.7 GB. The default keeps every tenth.
    - ``roles``: a number (that many, drawn by ``seed``), names such as "hamlet/HAMLET", or None for all.
    - ``min_windows``: leaves out roles with fewer windows, counted at stride 1 whatever the stride. LEAF and q-FFL use
      64; AdaFed's set-up 2 uses more than 10,000.

    The papers' exact 31 roles are not published: ``load("shakespeare", stride=1, roles=31, min_windows=64)`` draws 31
    others by the same rule.

    ``columns``: "role"; "position" and "position_end", the fractions of its role's text at which a row begins and at
    which its next character ends (float32). Neighbouring windows overlap, so a split at fraction c without leaks trains
    on ``position_end <= c`` and tests on ``position >= c``.
    ``classes``: the 80 characters of ``ALPHABET`` ("\\n" never occurs). Accents are dropped and curly quotes
    straightened; any other unknown character is read as a space, and ``variant`` counts them.

    Source: ``shakespeare-train.parquet`` under ``$FAIRFL_DATA``, one speech per row in the play's order, with the
    columns play, role and text. Raises ``FileNotFoundError`` without it: there is no download.
    """
    integer("stride", stride, 1, "It is the step from one window to the next.")
    integer("min_windows", min_windows, 1, "It is the number of windows at stride 1.")
    texts, strange = _texts(_file())
    texts = {name: text for name, text in texts.items() if len(text) - WINDOW >= min_windows}
    chosen = _chosen(texts, roles, seed)
    counts = [(len(texts[name]) - WINDOW - 1) // stride + 1 for name in chosen]
    inputs = torch.empty(sum(counts), WINDOW, dtype=torch.int64)
    targets = torch.empty(sum(counts), dtype=torch.int64)
    begins = torch.empty(sum(counts))
    ends = torch.empty(sum(counts))
    first = 0
    for name, count in zip(chosen, counts):
        text, rows = texts[name], slice(first, first + count)
        windows = np.lib.stride_tricks.sliding_window_view(text, WINDOW + 1)[::stride]
        inputs[rows] = torch.from_numpy(windows[:, :-1].copy())
        targets[rows] = torch.from_numpy(windows[:, -1].copy())
        starts = torch.arange(count, dtype=torch.float64) * stride
        begins[rows], ends[rows] = starts / len(text), (starts + WINDOW + 1) / len(text)
        first += count
    done = [f"every {stride}th window"] if stride > 1 else []
    done += [f"{len(chosen):,} of {len(texts):,} roles, drawn by seed {seed}"] if isinstance(roles, int) else []
    odd = sum(strange[name] for name in chosen)
    done += [f"characters outside the alphabet read as spaces: {odd}"] if odd else []
    role = torch.repeat_interleave(torch.arange(len(chosen)), torch.tensor(counts))
    return Dataset(
        inputs,
        targets,
        tuple(ALPHABET),
        None,
        {"role": role, "position": begins, "position_end": ends},
        {"role": tuple(chosen)},
        "; ".join(done),
        "shakespeare",
    )


def _file() -> Path:
    own = data_folder.own()
    files = data_folder.shards(own / "shakespeare", "train") if own else []
    if not files:
        raise data_folder.missing(
            "shakespeare",
            "shakespeare-train.parquet (one speech per row: play, role, text)",
            "it cannot be downloaded by role",
            "make that file from an edition of the plays, speech by speech in the plays' order",
        )
    return files[0]


def _chosen(texts: dict[str, np.ndarray], roles: int | str | Sequence[str] | None, seed: int) -> list[str]:
    if not texts:
        raise Refused("no role has as many windows as min_windows; lower it", "missing")
    names = sorted(texts)
    if roles is None:
        return names
    if isinstance(roles, int):
        integer("roles", roles, 1, "Ask for fewer roles, or lower min_windows to keep more.", high=len(names))
        return sorted(numpy_generator(seed, "roles").choice(names, roles, replace=False).tolist())
    if not roles:
        raise refuse("roles", roles, "one role or more", "Leave roles out to take all.")
    for name in [roles] if isinstance(roles, str) else roles:
        if name not in texts:
            raise unknown("role (or one with too few windows)", name, names)
    return [roles] if isinstance(roles, str) else list(dict.fromkeys(roles))


def _texts(file: Path) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """Every role's text as uint8 character numbers, and how many of its characters are not in the alphabet."""
    table = Table(file)
    columns = [table.values(table.column(name, (), "text")) for name in ("play", "role", "text")]
    speeches: dict[str, list[str]] = {}
    for row, (play, role, text) in enumerate(zip(*columns)):
        if not all(isinstance(value, str) for value in (play, role, text)):
            raise broken(file, f"row {row} lacks a play, role or text")
        # Some editions put several simultaneous speakers on separate lines: "ANGELO\n\nESCALUS".
        speeches.setdefault(f"{play}/{' '.join(role.split())}", []).append(text)
    number = np.full(128, 255, np.uint8)
    number[[ord(c) for c in ALPHABET]] = np.arange(len(ALPHABET), dtype=np.uint8)
    coded, odd = {}, {}
    for name, parts in speeches.items():
        text = _plain(" ".join(" ".join(parts).split()))
        codes = number[np.frombuffer(text.encode("ascii", "replace"), np.uint8)]
        # "replace" turns characters that are not ASCII into question marks, so they are counted first.
        strange = np.array([not c.isascii() for c in text]) if not text.isascii() else np.zeros(len(text), bool)
        strange |= codes == 255
        odd[name] = int(strange.sum())
        coded[name] = np.where(strange, np.uint8(ALPHABET.index(" ")), codes)
    return coded, odd


def _plain(text: str) -> str:
    """Replace typographic characters by plain ones: straight quotes, single dashes, no accents."""
    if text.isascii():
        return text
    text = text.translate(str.maketrans("‘’“”–—", "''\"\"--"))
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
