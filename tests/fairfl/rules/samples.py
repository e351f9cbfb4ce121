"""Rounds for the rules to work on, and every rule in its settings."""

import numpy as np
import torch

from fairfl import rules
from fairfl.updates import Layout, Updates


def layout(d):
    """A matrix and, from two parameters on, a vector."""
    return Layout(("weight",), ((d,),)) if d < 2 else Layout(("weight", "bias"), ((d - d // 2, 1), (d // 2,)))


def updates(gradients, losses=None, dtype=torch.float64, seed=0, **more):
    """``Updates`` with everything that any rule reads; what is not given is drawn at random."""
    gradients = torch.as_tensor(np.asarray(gradients) if not torch.is_tensor(gradients) else gradients).to(dtype)
    K, d = gradients.shape
    rng = np.random.default_rng(seed)
    shares = rng.uniform(0.5, 2, K)
    extras = {"accuracies": rng.uniform(0.1, 0.9, K), "newton_rates": rng.uniform(0.2, 3, K)}
    losses = rng.uniform(0.2, 3, K) if losses is None else losses
    extras["losses_after"] = torch.as_tensor(losses, dtype=torch.float64)
    extras |= more.pop("extras", {})
    more = {"shares": torch.tensor(shares / shares.sum()), "layout": layout(d)} | more
    return Updates(
        gradients,
        losses=torch.as_tensor(losses, dtype=torch.float64),
        extras={name: torch.as_tensor(value) for name, value in extras.items()},
        **more,
    )


# One entry per behaviour that a setting can switch on: the tests of hard inputs and of states run over all of them.
VARIANTS = {
    "FedAvg": lambda: rules.FedAvg(),
    "FedAvg uniform": lambda: rules.FedAvg("uniform"),
    "FedAvgN": lambda: rules.FedAvgN(),
    "QFedAvg": lambda: rules.QFedAvg(),
    "QFedAvg q=0": lambda: rules.QFedAvg(q=0),
    "QFedAvg q=0.1": lambda: rules.QFedAvg(q=0.1, L=10),
    "TERM": lambda: rules.TERM(),
    "TERM t=-2": lambda: rules.TERM(t=-2),
    "AFL": lambda: rules.AFL(),
    "FedFA": lambda: rules.FedFA(),
    "FedMGDA": lambda: rules.FedMGDA(),
    "FedMGDA box": lambda: rules.FedMGDA(epsilon=0.1, lambda0="shares"),
    "FedMGDAPlus": lambda: rules.FedMGDAPlus(),
    "FedMGDAPlus box": lambda: rules.FedMGDAPlus(epsilon=0.1),
    "AdaFed": lambda: rules.AdaFed(),
    "AdaFed g=0": lambda: rules.AdaFed(gamma=0),
    "AdaFed g=10": lambda: rules.AdaFed(gamma=10),
    "AdaFed after": lambda: rules.AdaFed(losses="after"),
    "DQNFed": lambda: rules.DQNFed(),
    "FedFV": lambda: rules.FedFV(),
    "FedFV tau": lambda: rules.FedFV(alpha=0, tau=2),
    "FedFV random": lambda: rules.FedFV(alpha=0, order="random", seed=3),
    "FedFV reversed": lambda: rules.FedFV(alpha=0.5, order="reversed"),
    "FedLF": lambda: rules.FedLF(),
    "FedHEAL": lambda: rules.FedHEAL(),
    "PropFair": lambda: rules.PropFair(),
    "PropFair uniform": lambda: rules.PropFair(M=5, epsilon=0.01, weighting="uniform"),
    "CVaR": lambda: rules.CVaR(),
    "CVaR shares": lambda: rules.CVaR(0.3, "shares"),
    "FedMDFG": lambda: rules.FedMDFG(),
    "FedMDFG theta=0": lambda: rules.FedMDFG(theta=0),
    "NashMTL": lambda: rules.NashMTL(),
    "FairGrad": lambda: rules.FairGrad(),
    "FairGrad alpha=0.5": lambda: rules.FairGrad(0.5),
    "FairGrad alpha=100": lambda: rules.FairGrad(100),
    "IMTLG": lambda: rules.IMTLG(),
    "ConFIG": lambda: rules.ConFIG(),
    "AlignedMTL": lambda: rules.AlignedMTL(),
    "AlignedMTL shares": lambda: rules.AlignedMTL("shares"),
    "CAGrad": lambda: rules.CAGrad(),
    "CAGrad c=0": lambda: rules.CAGrad(0),
    "CAGrad c=10": lambda: rules.CAGrad(10),
    "DualProj": lambda: rules.DualProj(),
    "UPGrad": lambda: rules.UPGrad(),
    "UPGrad shares": lambda: rules.UPGrad("shares"),
    "PCGrad": lambda: rules.PCGrad(),
    "PCGrad fixed": lambda: rules.PCGrad("fixed"),
}


def length(vector):
    return float(torch.linalg.vector_norm(vector.double()))
