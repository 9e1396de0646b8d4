"""Units: the project's own registry, the reading of unit text, and dimensions for proofs.

The registry is pint's, filled from `data/units.txt` alone: byte and FLOP are dimensions of their own and all
factors are exact. Text from users never reaches pint's parser; `unit` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Any, TypeAlias

import pint
from pint.util import UnitsContainer

from symroof.errors import InexactError, UnitError, UnknownNameError
from symroof.latex import grouped
from symroof.numerals import Exact, count_figure, exact, figure, full_figure, full_text

Unit: TypeAlias = pint.Unit
Quantity: TypeAlias = pint.Quantity


class _Formatter:
    """What `str(quantity)` and Jupyter show: the rounded figure and the unit, as everywhere else in symroof."""

    default_format = ""

    def format_quantity(self, quantity: Quantity, spec: str = "") -> str:
        return quantity_latex(quantity) if "L" in spec else quantity_text(quantity)

    def format_unit(self, unit: Unit, spec: str = "") -> str:
        return unit_latex(unit) if "L" in spec else unit_text(unit)


def _load_registry() -> pint.UnitRegistry:
    with as_file(files("symroof") / "data" / "units.txt") as path:
        registry = pint.UnitRegistry(str(path), non_int_type=Fraction, on_redefinition="raise")
    registry.formatter = _Formatter()
    return registry


REGISTRY = _load_registry()

DIMENSIONLESS = REGISTRY.Unit(UnitsContainer({}))

_BASE_TEXT = {
    "[information]": "byte",
    "[operation]": "FLOP",
    "[time]": "s",
    "[length]": "m",
    "[mass]": "g",
    "[temperature]": "K",
    "[currency]": "USD",
}
_PART = re.compile(r"([A-Za-zµμ%$]+)(?:\^(-?[0-9]{1,2}))?")
_RATE = re.compile(r"([kMGTPEZY]?)(FLOP|OP)S")
_PLURAL_OPERATIONS = re.compile(r"([kMGTPEZY]?)(FLOP|OP)s")
_PER_SECOND = re.compile(r"([A-Za-z]+)ps")
_PREFIXES_SHOWN = ("", "k", "M", "G", "T", "P")
_NAMES_SHOWN = [
    *(prefix + name for name in ("FLOP", "B") for prefix in _PREFIXES_SHOWN),
    *("byte", "bit", "Gbit", "KiB", "MiB", "GiB", "TiB", "s", "ms", "us", "ns", "min", "h", "day", "year"),
    *("Hz", "MHz", "GHz", "J", "kJ", "W", "kW", "m", "g", "kg", "K", "N", "USD", "%"),
]


@lru_cache(maxsize=1024)
def unit(text: str) -> Unit:
    """The unit that text such as `GB/s`, `FLOP/byte`, `1/s` or `W*s^2` names; `1` and nothing are plain numbers.

    Raises UnitError for an ambiguous spelling or a broken chain, UnknownNameError for an unknown unit.
    """
    stripped = text.strip()
    if stripped in ("", "1"):
        return DIMENSIONLESS
    powers: dict[str, int] = {}
    chain = re.split(r"([*/])", stripped)
    for at in range(0, len(chain), 2):
        sign = -1 if at and chain[at - 1] == "/" else 1
        if at == 0 and chain[at] == "1":
            continue
        match = _PART.fullmatch(chain[at])
        if not match:
            raise UnitError(
                f"{text!r} is not a unit",
                "write names joined by * and /, with whole powers: GB/s, FLOP/byte, W*s^2",
            )
        for name, power in _named(match[1]).items():
            powers[name] = powers.get(name, 0) + sign * power * int(match[2] or 1)
    # Whole powers are ints: an int factor to a Fraction power would be a float.
    return REGISTRY.Unit(UnitsContainer({name: power for name, power in powers.items() if power}))


def _named(name: str) -> dict[str, int]:
    """The registry's names for one spelled unit, with their powers."""
    _refuse_ambiguous(name)
    rate = _RATE.fullmatch(name)
    if rate:
        return {**_named(rate[1] + rate[2]), "second": -1}
    found = REGISTRY.parse_unit_name(name)
    # A plural is fine for a name written in full (bytes), never behind a symbol (Bs).
    found = tuple(parts for parts in found if not parts[2] or name[:-1].endswith(parts[1]))
    if not found:
        raise UnknownNameError("unit", name, _NAMES_SHOWN)
    prefix, base, _ = found[0]
    return {prefix + base: 1}


def _refuse_ambiguous(name: str) -> None:
    """Spellings that people use for two different things are errors that name the choices."""
    choices = ""
    per_second = _PER_SECOND.fullmatch(name)
    operations = _PLURAL_OPERATIONS.fullmatch(name)
    if operations:
        choices = f"{operations[1]}FLOP for a number of operations, {operations[1]}FLOP/s for a rate"
    elif per_second and re.fullmatch(r"[kKMGT]?i?[Bb](it)?", per_second[1]):
        choices = _byte_choices(per_second[1].removesuffix("it"), "/s")
    elif re.fullmatch(r"K?i?b|K[Bb]|[kMGTP]i?b|[gtp]i?[bB]|mb", name):
        choices = _byte_choices(name, "")
    if choices:
        raise UnitError(f"the unit {name!r} is ambiguous", f"write {choices}")


def _byte_choices(name: str, per: str) -> str:
    size = name[:1].upper() if len(name) > 1 else ""
    if not size:
        return f"byte{per} or bit{per}"
    decimal = "k" if size == "K" else size
    power = {"K": 1, "M": 2, "G": 3, "T": 4, "P": 5}[size]
    return (
        f"{decimal}B{per} (10^{3 * power} byte{per}), {size}iB{per} (2^{10 * power} byte{per}) "
        f"or {decimal}bit{per} (10^{3 * power} bit{per})"
    )


def quantity(value: Any, unit_of_value: str | Unit = "") -> Quantity:
    """An exact quantity. `value` is a whole number, a Fraction or an exact SymPy number."""
    return REGISTRY.Quantity(exact(value), unit(unit_of_value) if isinstance(unit_of_value, str) else unit_of_value)


def magnitude_in(value: Quantity, wanted: Unit) -> Exact:
    """The exact number of `wanted` units in the value. Raises UnitError if the dimensions differ."""
    try:
        return exact(value.to(wanted).magnitude)
    except pint.DimensionalityError:
        raise UnitError(
            f"a quantity in {unit_text(value.units)} cannot be given in {unit_text(wanted) or 'plain numbers'}",
            f"its dimension is that of {Dimension.of(value.units)}",
        ) from None


def mismatch(error: pint.DimensionalityError) -> str:
    """What pint's error says, in the words of this module (pint's own text fails on exact powers)."""
    one, other = (Dimension(REGISTRY.get_dimensionality(side)) for side in (error.units1, error.units2))
    return f"{one} and {other} do not go together"


def base_magnitude(value: Quantity) -> Exact:
    """The exact number of base units (byte, FLOP, s ...) in the value."""
    return exact(value.to_base_units().magnitude)


def unit_text(shown: Unit) -> str:
    """`GB/s`, `FLOP/byte`; empty for a plain number."""
    return _joined(shown, lambda name: name, "*", "^{}".format)


def unit_latex(shown: Unit) -> str:
    """The unit upright, for maths mode; empty for a plain number."""
    return _joined(shown, _latex_name, r"\,", "^{{{}}}".format)


def _latex_name(name: str) -> str:
    if name == "us":
        return r"\mu\mathrm{s}"
    return rf"\mathrm{{{name.replace('%', chr(92) + '%').replace('$', chr(92) + '$')}}}"


def _joined(shown: Unit, spelled: Any, times: str, raised: Any) -> str:
    parts: dict[bool, list[str]] = {True: [], False: []}
    for name, power in shown._units.items():
        size = abs(Fraction(power))
        symbol = "byte" if name == "byte" else REGISTRY.get_symbol(name)
        parts[power > 0].append(spelled(symbol) + (raised(size) if size != 1 else ""))
    above = times.join(parts[True]) or ("1" if parts[False] else "")
    return "/".join([above, *parts[False]])


def quantity_text(value: Quantity, digits: int = 4, decimals: int | None = None) -> str:
    """The rounded figure with its unit: `28.19 ms`. A whole plain number is written in full."""
    return f"{_figure(value, digits, decimals).text()} {unit_text(value.units)}".rstrip()


def quantity_full_text(value: Quantity) -> str:
    """The number with nothing lost, and its unit: `1048576`, `1/3`, `1.3 TB/s`."""
    return f"{full_text(exact(value.magnitude))} {unit_text(value.units)}".rstrip()


def quantity_full_latex(value: Quantity) -> str:
    """The same for maths mode, with a thin space before the unit."""
    number = exact(value.magnitude)
    shown = full_figure(number)
    if shown:
        text = shown.latex()
    elif isinstance(number, Fraction):
        sign = "-" if number < 0 else ""
        text = rf"{sign}\frac{{{grouped(str(abs(number.numerator)))}}}{{{grouped(str(number.denominator))}}}"
    else:
        import sympy

        text = sympy.latex(number)
    name = unit_latex(value.units)
    return rf"{text}\,{name}" if name else text


def quantity_latex(value: Quantity, digits: int = 4, decimals: int | None = None) -> str:
    """The same for maths mode, with a thin space before the unit."""
    name = unit_latex(value.units)
    shown = _figure(value, digits, decimals).latex()
    return rf"{shown}\,{name}" if name else shown


def _figure(value: Quantity, digits: int, decimals: int | None) -> Any:
    number = exact(value.magnitude)
    if decimals is None and not value.units._units and isinstance(number, Fraction) and number.denominator == 1:
        return count_figure(number)
    return figure(number, digits, decimals)


class Dimension:
    """A dimension as the product of powers of base dimensions: the value of a formula when only units count.

    Arithmetic on dimensions is a proof over all numbers at once. Unlike pint, `byte + 0` is an error.
    """

    def __init__(self, powers: Mapping[str, Fraction]) -> None:
        self.powers = {name: Fraction(power) for name, power in sorted(powers.items()) if power}

    @classmethod
    def of(cls, measured: Unit) -> Dimension:
        return cls({str(name): Fraction(power) for name, power in measured.dimensionality.items()})

    def __str__(self) -> str:
        top = [_power_text(name, power) for name, power in self.powers.items() if power > 0]
        bottom = [_power_text(name, -power) for name, power in self.powers.items() if power < 0]
        return "/".join(["*".join(top) or "1", *bottom]) if top or bottom else "a plain number"

    def same(self, other: Dimension) -> bool:
        return self.powers == other.powers

    def __bool__(self) -> bool:
        raise TypeError("a dimension is neither true nor false")

    def _agreed(self, other: object, what: str) -> Dimension:
        if not self.same(_dimension(other)):
            raise UnitError(f"{what} {self} and {_dimension(other)}", "both need the same dimension")
        return self

    def __add__(self, other: object) -> Dimension:
        return self._agreed(other, "adding")

    __radd__ = __add__

    def __sub__(self, other: object) -> Dimension:
        return self._agreed(other, "subtracting")

    __rsub__ = __sub__

    def _compared(self, other: object) -> Any:
        return self._agreed(other, "comparing")

    __lt__ = __le__ = __gt__ = __ge__ = _compared
    __eq__ = __ne__ = _compared
    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> Dimension:
        return self

    __pos__ = __abs__ = __neg__

    def __mul__(self, other: object) -> Dimension:
        powers = dict(self.powers)
        for name, power in _dimension(other).powers.items():
            powers[name] = powers.get(name, Fraction(0)) + power
        return Dimension(powers)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Dimension:
        return self * _dimension(other) ** -1

    def __rtruediv__(self, other: object) -> Dimension:
        return _dimension(other) * self**-1

    def __floordiv__(self, other: object) -> Dimension:
        self._agreed(other, "dividing to a whole number")
        return Dimension({})

    def __mod__(self, other: object) -> Dimension:
        return self._agreed(other, "taking the remainder of")

    def __pow__(self, exponent: object) -> Dimension:
        if isinstance(exponent, Dimension):
            self._plain("as a base of a varying power")
            exponent._plain("as a power")
            return self
        if isinstance(exponent, float):
            exact(exponent)
        assert isinstance(exponent, (int, Fraction))
        return Dimension({name: power * exponent for name, power in self.powers.items()})

    def __rpow__(self, base: object) -> Dimension:
        self._plain("as a power")
        return _dimension(base)

    def _plain(self, what: str) -> Dimension:
        if self.powers:
            raise UnitError(f"{self} {what}", "a plain number is needed there")
        return self

    def root(self) -> Dimension:
        return Dimension({name: power / 2 for name, power in self.powers.items()})

    def whole(self, what: str) -> Dimension:
        """For rounding to a whole number, which only a plain number allows: 3.5 byte is 28 bit."""
        return self._plain(f"in {what}")


def _dimension(value: object) -> Dimension:
    if isinstance(value, Dimension):
        return value
    if isinstance(value, float):
        raise InexactError(
            f"the float {value!r} is not exact",
            "divide whole numbers last (x/2, 9*x/10), use symroof.sqrt for roots, or make the number a given",
        )
    if isinstance(value, (int, Fraction)):
        return Dimension({})
    raise TypeError(f"{value!r} is not a number")


def _power_text(name: str, power: Fraction) -> str:
    return _BASE_TEXT[name] + (f"^{power}" if power != 1 else "")
