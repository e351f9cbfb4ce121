"""Every rule in its settings, and the rounds for them to work on."""

from fairfl import rules
from fairfl.testing.comparison import length
from fairfl.testing.rounds import complete_updates as updates
from fairfl.testing.rounds import layout

__all__ = ["VARIANTS", "layout", "length", "updates"]

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
    "FedAvg with memory": lambda: rules.WithMemory(rules.FedAvg()),
    "TERM with memory": lambda: rules.WithMemory(rules.TERM()),
    "FedMGDAPlus with memory": lambda: rules.WithMemory(rules.FedMGDAPlus()),
    "DQNFed with memory": lambda: rules.WithMemory(rules.DQNFed()),
    "FedFV with memory": lambda: rules.WithMemory(rules.FedFV()),
}
