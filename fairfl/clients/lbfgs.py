"""Limited-memory BFGS on the client, from which DQN-Fed's rate is computed."""

import torch

from fairfl._validation import integer, number


class LBFGS:
    """An inverse Hessian ``B ≈ H⁻¹`` from the last ``memory`` pairs ``s = w − w_before``, ``y = ∇f(w) − ∇f(w_before)``.

    A pair with ``sᵀy ≤ skip ‖s‖ ‖y‖`` is skipped, so B stays positive definite. It stores 2 · memory + 2 vectors of
    length d. Source: Nocedal and Wright, Algorithm 7.4. DQN-Fed's paper gives neither the pairs nor B₀; both are this
    package's choice. Raises ``Refused`` for a ``memory`` below 1 and for a ``skip`` outside 0 to below 1.
    """

    def __init__(self, memory: int = 10, skip: float = 1e-8):
        self.memory = integer("memory", memory, 1, "It is the number of pairs to keep.")
        self.skip = number("skip", skip, 0, 1, "Pairs whose s and y have a smaller cosine are skipped.", below=True)
        self.pairs: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.last: tuple[torch.Tensor, torch.Tensor] | None = None

    def observe(self, w: torch.Tensor, gradient: torch.Tensor) -> None:
        """Record ``w`` and ``∇f(w)``, both (d,), and form a pair with the visit before."""
        if self.last is not None:
            s, y = w - self.last[0], gradient - self.last[1]
            if float(s @ y) > self.skip * float(s.norm() * y.norm()):
                self.pairs = [*self.pairs, (s, y)][-self.memory :]
        self.last = (w.clone(), gradient.clone())

    def times(self, v: torch.Tensor, b0: float) -> torch.Tensor:
        """``B v`` by the two-loop recursion with ``B₀ = b0 · I``."""
        q, alphas = v.clone(), []
        for s, y in reversed(self.pairs):
            alpha = (s @ q) / (s @ y)
            alphas.append(alpha)
            q = q - alpha * y
        r = b0 * q
        for (s, y), alpha in zip(self.pairs, reversed(alphas)):
            r = r + s * (alpha - (y @ r) / (s @ y))
        return r

    def state_dict(self) -> dict:
        return {"pairs": self.pairs, "last": self.last}

    def load_state_dict(self, state: dict) -> None:
        self.pairs = [(s, y) for s, y in state["pairs"]]
        self.last = None if state["last"] is None else tuple(state["last"])
