"""Independent oracles: literal NumPy versions of the published algorithms, on full vectors in float64.

They share no code with the package. Each function follows a paper's lines with plain loops; where a paper
is silent, the docstring states the reading as a formula. `G` always holds the clients' pseudo-gradients
`g_k = w_t - w_t^k` (uphill) as rows; a server steps *against* the direction that an oracle returns.
"""
