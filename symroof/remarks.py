"""What a line of a calculation is likely to have wrong although its units fit: rates, links, GB and GiB, multipliers;
and what it took from the chip and the data type that are meant where none is named.

A remark is a sentence for a note; the line's value stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from symroof.envelope import BINARY, Names
from symroof.expression import Expression
from symroof.hardware import CHIP_SYMBOLS, DTYPE_SYMBOLS
from symroof.numerals import certain, exact, figure
from symroof.syntax import Binary, Call, Literal, Name, Negative, Node, walk, written_out
from symroof.units import Dimension, Quantity, base_magnitude, quantity_text, unit, unit_powers, unit_text

_RATE, _BANDWIDTH = unit("FLOP/s").dimensionality, unit("byte/s").dimensionality
_MEASURED = Fraction(1, 10)  # how far from a peak a figure still looks like it
_ROUNDED = Fraction(1, 50)  # vendors round a link's figure: 64 GB/s is twice 31.5 GB/s
_DECIMAL = ("kilo", "mega", "giga", "tera", "peta", "exa")


class _Figure(NamedTuple):
    """A quantity that somebody wrote: a number with its unit, or a name that was set."""

    text: str
    value: Quantity


def remarks(sides: list[Expression], names: Names, result: Quantity | None = None) -> list[str]:
    """What is to be said of an expression and its result, or of the two sides of an equation; each once."""
    written = [figure for side in sides for figure in _written(side, names)]
    found = [*_rates(written, names, result), *_bandwidths(written, names, result), *_links(written, names)]
    found += [*_byte_steps(sides, names), *_seconds(sides, names), *_multipliers(written, result)]
    return list(dict.fromkeys(found))


def taken_by_default(names: Names, *, but: str = "") -> list[str]:
    """The figures that were used, `but` one aside, of a chip or a data type that nobody named."""
    found = []
    for name in names.used:
        if names.is_set(name) or name == but:
            continue
        whose, options = [], []
        if name in CHIP_SYMBOLS and not names.chip_is_named:
            whose, options = [f"of the {names.chip.name}"], ["--on CHIP"]
            if name == "P" and not names.dtype_is_named:
                whose, options = [*whose, f"in {names.dtype}"], [*options, "--dtype DTYPE"]
        elif name in DTYPE_SYMBOLS and not names.dtype_is_named:
            whose, options = [f"of {names.dtype}"], ["--dtype DTYPE"]
        if options:
            found.append(f"{name} = {quantity_text(names[name])} {' '.join(whose)} (another: {', '.join(options)})")
    return found


def unlike_the_chip(name: str, value: Quantity, names: Names) -> list[str]:
    """Whether a name that was solved for measures something else than the chip's figure of that name."""
    if name not in names or names.is_set(name):
        return []
    ours, theirs = Dimension.of(value.units), Dimension.of(names[name].units)
    if ours.same(theirs):
        return []
    kind = str(ours) if ours.powers else "a plain number"
    return [f"{name} comes out as {kind}; the chip's {name} is in {theirs}: check the units of the other values"]


def _written(side: Expression, names: Names) -> Iterator[_Figure]:
    for node in side.walk():
        if isinstance(node, Literal):
            value = node.number * node.unit
            yield _Figure(node.text, value)
        elif isinstance(node, Name) and names.is_set(node.name) and node.name not in names.ranges:
            yield _Figure(quantity_text(names[node.name]), names[node.name])


def _rates(written: list[_Figure], names: Names, result: Quantity | None) -> Iterator[str]:
    """Rates of operations above the peak of the chip, dense or sparse."""
    rates = _those(_RATE, written, result)
    if not rates or names.dtype not in names.chip.rates:
        return
    rate = names.chip.rates[names.dtype]
    kind = f"{names.dtype.upper()} peak of the {names.chip.name}"
    for text, value in rates:
        counts_integers = any(name.endswith("operation") for name in unit_powers(value.units))
        sparse = rate.sparse if names.dtype.startswith("int") or not counts_integers else None
        if sparse is not None and value == sparse.quantity:
            ratio = exact(base_magnitude(value) / base_magnitude(rate.dense.quantity))
            yield (
                f"{text} is the {kind} with structured sparsity, {figure(ratio, 2).text()} times the dense one: "
                f"{rate.dense.text} for a dense product"
            )
        elif value is result or names.chip_is_named:
            is_near = sparse is not None and _near(value, sparse.quantity, _MEASURED)
            near = f", near the {sparse.text} with structured sparsity" if sparse and is_near else ""
            yield from _above(_Figure(text, value), rate.dense.quantity, f"the dense {kind}{near}", names)


def _bandwidths(written: list[_Figure], names: Names, result: Quantity | None) -> Iterator[str]:
    """Bandwidths above the peak of the memory, where the chip is named: `140 GB / 20 ms` may ask which one would do."""
    if names.chip_is_named:
        for figure_there in _those(_BANDWIDTH, written, result):
            peak = f"the peak memory bandwidth of the {names.chip.name}"
            yield from _above(figure_there, names.chip.bandwidth.quantity, peak, names)


def _those(dimensionality: Any, written: list[_Figure], result: Quantity | None) -> list[_Figure]:
    """The figures of a dimension; a result that is one of those written stands for it."""
    if result is None or result.dimensionality != dimensionality:
        return [one for one in written if one.value.dimensionality == dimensionality]
    others = [one for one in written if one.value.dimensionality == dimensionality and one.value != result]
    return [*others, _Figure(quantity_text(result), result)]


def _above(one: _Figure, peak: Quantity, whose: str, names: Names) -> Iterator[str]:
    ratio = exact(base_magnitude(one.value) / base_magnitude(peak))
    if certain(ratio, lambda bound: bound > 1):
        which = "" if names.chip_is_named else " (or name another chip: --on CHIP)"
        yield f"{one.text} is {figure(ratio, 2).text()} times {whose}: check the timing{which}"


def _near(value: Quantity, other: Quantity, tolerance: Fraction) -> bool:
    ratio = exact(base_magnitude(value) / base_magnitude(other))
    return certain(ratio, lambda bound: abs(bound - 1) <= tolerance)


def _links(written: list[_Figure], names: Names) -> Iterator[str]:
    """Rates that are those of a link in both directions together."""
    rates = [one for one in written if one.value.dimensionality == _BANDWIDTH]
    if not rates:
        return
    chip = names.chip
    links = [("beta_link", "GPU links", chip.gpu_link), ("beta_host", "host link", chip.host_link)]
    for text, value in rates:
        for symbol, kind, link in links:
            if link is None or value == chip.bandwidth.quantity:
                continue
            if _near(value, 2 * link.quantity, _ROUNDED):
                yield (
                    f"{text} is both directions of the {kind} of the {chip.name} together; "
                    f"one direction is {link.text} ({symbol})"
                )


def _byte_steps(sides: list[Expression], names: Names) -> Iterator[str]:
    """GB and GiB in one sum or comparison."""
    compared = [side.root for side in sides] if len(sides) > 1 else []
    groups = [compared] if compared else [[node] for node in _sums(sides[0].root)]
    for group in groups:
        units = {name for node in group for leaf in walk(node) for name in _units(leaf, names)}
        binary = sorted(name for name in units if name.startswith(BINARY))
        decimal = sorted(name for name in units if name.startswith(_DECIMAL) and name.endswith(("byte", "bit")))
        if binary and decimal:
            one, other = (_explained(name) for name in (decimal[0], binary[0]))
            yield f"{one} and {other} meet in one sum or comparison: check that both are meant"


def _sums(root: Node) -> Iterator[Node]:
    """The outermost sums and comparisons."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        match node:
            case Binary(operator="+" | "-") | Call(function="max" | "min"):
                yield node
            case Binary():
                waiting += [node.right, node.left]
            case Call():
                waiting += node.arguments
            case Negative():
                waiting.append(node.operand)


def _units(leaf: Node, names: Names) -> list[str]:
    """The registry's names of the units that a number or a name is in."""
    if isinstance(leaf, Literal):
        return list(unit_powers(leaf.unit))
    if isinstance(leaf, Name) and names.is_set(leaf.name) and leaf.name not in names.ranges:
        return list(unit_powers(names[leaf.name].units))
    return []


def _explained(name: str) -> str:
    one = unit_text(unit(name))
    prefixes, base = (BINARY, "2^{}") if name.startswith(BINARY) else (_DECIMAL, "10^{}")
    step = next(at for at, prefix in enumerate(prefixes, 1) if name.startswith(prefix))
    of = "bit" if name.endswith("bit") else "byte"
    return f"{one} ({base.format(step * (10 if prefixes is BINARY else 3))} {of})"


def _seconds(sides: list[Expression], names: Names) -> Iterator[str]:
    """`140 GB / s`, which divides by the bytes of an element."""
    for side in sides:
        for node in side.walk():
            if (
                isinstance(node, Binary)
                and isinstance(node.left, Literal)
                and node.left.unit.dimensionality
                and isinstance(node.right, Name)
                and node.right.name == "s"
                and not names.is_set("s")
            ):
                yield (
                    f"s is here the size of an element, {quantity_text(names['s'])}; the unit stands directly "
                    f"behind its number: {node.left.text}{node.operator}s"
                )


def _multipliers(written: list[_Figure], result: Quantity | None) -> Iterator[str]:
    """`128K` and `7B`, which are read as kelvin and bytes."""
    for text, value in written:
        if value.units == unit("K"):
            yield f"{text} is a temperature in kelvin; for a multiple, {written_out(exact(value.magnitude), 'K')}"
    if result is None:
        return
    dimension = Dimension.of(result.units)
    bytes_in_it = dimension.powers.get("[information]", 0)
    if bytes_in_it > 1 or (bytes_in_it > 0 and "[operation]" in dimension.powers):
        yield f"the result is in {dimension}: a B is a byte, so write 7*10^9 for 7 billion"
