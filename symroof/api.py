"""What `import symroof` offers: derivations that can be solved, loading them, sweeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symroof import hardware, library
from symroof.derivation import DerivationGraph
from symroof.errors import LoadError
from symroof.settings import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from symroof.crossover import Answer
    from symroof.evaluate import Solution


class Derivation(DerivationGraph):
    """Givens, steps and questions, ready to be worked out.

    A derivation file makes one and declares into it: `given`, `step`, `binding`, `crossover`, `limit`, `trend`,
    `equal`, `conclude`, `advise`, `plan`, `chart`, `claim`, `worked`, `include`.
    """

    def __repr__(self) -> str:
        return f"<Derivation {self.name}: {self.title}>"

    def __str__(self) -> str:
        from symroof import overview

        return overview.text(self)

    def _repr_latex_(self) -> str:
        from symroof import overview

        return overview.latex(self)

    def _repr_html_(self) -> str:
        from symroof import overview

        return overview.html(self)

    def at(self, *, on: str = hardware.DEFAULT_CHIP, dtype: str = hardware.DEFAULT_DTYPE, **values: Any) -> Solution:
        """The quantities in one case: `gemm.at(on="h100-sxm", m=8192)["t"].to("ms")`.

        `values` sets givens: text with a unit, or a number in the declared unit. Raises a SymroofError that says
        what is wrong with a value; a missing one is an error when a quantity needs it.
        """
        from symroof.evaluate import Solution

        return Solution(Settings(self, values, on=on, dtype=dtype))

    def solve(
        self,
        equation: str,
        *,
        for_: str | None = None,
        on: str = hardware.DEFAULT_CHIP,
        dtype: str = hardware.DEFAULT_DTYPE,
        **values: Any,
    ) -> Answer | Any:
        """The roots of an equation such as "t = 10 ms" for a given, or of a crossover by its name: an `Answer`.

        For an inequality such as "t <= 10 ms" a `Budget`, the ranges in which it holds. Raises a SymroofError for a
        text that does not parse, whose units do not fit, or without an unknown.
        """
        # Typed as `re.Match.group` is: whoever asks knows which of the two comes, and need not rule out the other.
        from symroof.solving import solve_text

        return solve_text(Settings(self, values, on=on, dtype=dtype), equation, for_)


def load(name_or_path: str) -> Derivation:
    """A shipped derivation by name, or the one in a file. Raises UnknownNameError, LoadError."""
    found = library.find(name_or_path)
    if not isinstance(found, Derivation):
        raise LoadError(f"{name_or_path} defines no symroof.Derivation", "write: from symroof import Derivation")
    return found


def sweep(
    derivation: str | DerivationGraph,
    *,
    over: Mapping[str, Sequence[Any]],
    show: Sequence[str],
    on: str = hardware.DEFAULT_CHIP,
    dtype: str = hardware.DEFAULT_DTYPE,
    **values: Any,
) -> dict[str, NDArray[Any]]:
    """Columns by name over all combinations of the swept values: `sweep("gemm", over={"m": ms}, show=["t:ms"])`.

    Swept values are numbers in the given's declared unit. Raises a SymroofError.
    """
    from symroof.sweeps import sweep as run

    found = load(derivation) if isinstance(derivation, str) else derivation
    return {column.name: column.values for column in run(Settings(found, values, on=on, dtype=dtype), over, show)}
