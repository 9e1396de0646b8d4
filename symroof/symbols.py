"""The LaTeX of names, by one rule."""

from __future__ import annotations

_GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split()
)


def default_latex(name: str) -> str:
    """The LaTeX of a name by one rule: a letter or Greek word stands for itself, longer words are upright,
    what follows the first `_` is a subscript, and `star` there is a star above."""
    head, _, tail = name.partition("_")
    if head in _GREEK:
        head = "\\" + head
    elif len(head) > 1:
        head = rf"\mathrm{{{head}}}"
    if tail == "star":
        return rf"{head}^{{\star}}"
    if tail.endswith("_star"):
        return rf"{default_latex(name.removesuffix('_star'))}^{{\star}}"
    if not tail:
        return head or r"\_"
    if tail in _GREEK:
        return rf"{head}_{{\{tail}}}"
    below = tail if len(tail) == 1 or tail.isdigit() else rf"\mathrm{{{tail.replace('_', ',')}}}"
    return rf"{head}_{{{below}}}"


def with_subscript(latex: str, suffix: str) -> str:
    """The symbol with the suffix in its subscript, beside what stands there."""
    below = suffix.strip("_").replace("_", ",")
    below = below if len(below) == 1 or below.isdigit() else rf"\mathrm{{{below}}}"
    head, mark, old = latex.rpartition("_")
    if not mark or old.count("{") != old.count("}"):
        return f"{latex}_{{{below}}}"
    return f"{head}_{{{old.removeprefix('{').removesuffix('}') if old.startswith('{') else old},{below}}}"
