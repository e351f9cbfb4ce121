"""How do I train a token-level language model fairly over authors?

Give a dataset int64 targets (N, T): a row's loss is the mean over its tokens, its accuracy the fraction of correct ones. Each author is a client here, each row 32 characters of its text, and the targets are the characters that follow them, one by one. With `shakespeare-train.parquet` in the folder FAIRFL_DATA the texts are six roles of Shakespeare's, otherwise they are made up.
"""

import torch
from torch import nn

from fairfl import Dataset, LocalSGD, data, partition, train

LENGTH = 32
WORDS = {
    "baker": "flour water salt yeast bread oven warm morning",
    "sailor": "wind wave sail rope anchor harbour storm deck",
    "gardener": "seed soil root leaf bloom rain spade hedge",
    "clerk": "stamp form desk paper queue ink seal letter",
    "miner": "coal lamp shaft dust pick tunnel cart deep",
    "poet": "rhyme moon verse quill dream line heart ode",
}


class LanguageModel(nn.Module):
    """One block of causal attention: (rows, T) symbols in, logits (rows, T, symbols) out."""

    def __init__(self, length: int, symbols: int, width: int = 32):
        super().__init__()
        self.embedding, self.position = nn.Embedding(symbols, width), nn.Embedding(length, width)
        self.before, self.attention, self.mix = (
            nn.LayerNorm(width),
            nn.Linear(width, 3 * width),
            nn.Linear(width, width),
        )
        self.hidden = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        self.out = nn.Linear(width, symbols)

    def forward(self, x):
        h = self.embedding(x) + self.position.weight[: x.shape[-1]]
        q, k, v = self.attention(self.before(h)).chunk(3, dim=-1)
        h = h + self.mix(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True))
        return self.out(h + self.hidden(h))


def model(shape, symbols):
    return LanguageModel(shape[0], symbols)


def made_up() -> Dataset:
    """Sentences of random words, 60 windows for each author but the last, who has ten."""
    g = torch.Generator().manual_seed(0)
    windows, author = [], []
    for number, words in enumerate(WORDS.values()):
        words, count = words.split(), 60 if number < len(WORDS) - 1 else 10
        drawn = torch.randint(len(words), (count * LENGTH,), generator=g).tolist()
        text = " ".join(words[i] for i in drawn)
        windows += [text[i : i + LENGTH + 1] for i in range(0, count * LENGTH, LENGTH)]
        author += [number] * count
    alphabet = sorted(set("".join(windows)))
    symbols = torch.tensor([[alphabet.index(c) for c in window] for window in windows])
    return Dataset(
        symbols[:, :-1], symbols[:, 1:], alphabet, columns={"author": author}, column_names={"author": tuple(WORDS)}
    )


def shakespeare() -> Dataset:
    """Up to 200 windows of each of six roles. A window starts where the one before it ends, so no character is predicted twice."""
    plays = data.load("shakespeare", stride=LENGTH, roles=6, min_windows=5_000)
    role = plays.columns["role"]
    rows = torch.cat([(role == k).nonzero().flatten()[:200] for k in range(6)])
    symbols = plays.inputs[rows, : LENGTH + 1]
    names = {"author": plays.column_names["role"]}
    return Dataset(symbols[:, :-1], symbols[:, 1:], plays.classes, columns={"author": role[rows]}, column_names=names)


def main(rounds: int = 15, texts: str = "") -> dict:
    """Train under both rules; ``texts``: "made up" or "shakespeare", by default what is there. Returns the histories by rule."""
    try:
        dataset = made_up() if texts == "made up" else shakespeare()
    except FileNotFoundError:
        if texts == "shakespeare":
            raise
        dataset = made_up()
    federation = partition.by_column(dataset, "author", test=0.2)
    local = LocalSGD(lr=0.01, optimiser="adam", epochs=2, batch_size=16, clip=1.0)
    histories = {rule: train(federation, rule, model, rounds=rounds, local=local) for rule in ("FedAvg", "FedMGDA")}
    names = dataset.column_names["author"]
    print(f"{dataset}\n{'':24}" + "".join(f"{rule:>10}" for rule in histories))
    for author, name in enumerate(names):
        print(f"{name:24}" + "".join(f"{history.accuracy[-1, author]:10.1%}" for history in histories.values()))
    return histories


if __name__ == "__main__":
    main()
