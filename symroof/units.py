"""Units: the project's own registry, the reading of unit text, and dimensions for proofs.

The registry is pint's, filled from `data/units.txt` alone: byte and FLOP are dimensions of their own and all
factors are exact. Text from users never reaches pint's parser; `unit` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Any, TypeAlias

import pint
from pint.util import UnitsContainer

from symroof.errors import SymroofError, UnitError, UnknownNameError
from symroof.latex import grouped
from symroof.numerals import SIGNIFICANT, Exact, count_figure, exact, figure, full_figure, full_text

Unit: TypeAlias = pint.Unit
Quantity: TypeAlias = pint.Quantity


class _Formatter:
    """What `str(quantity)` and Jupyter show: the rounded figure and the unit, as everywhere else in symroof."""

    default_format = ""

    def format_quantity(self, quantity: Quantity, spec: str = "") -> str:
        return quantity_latex(quantity) if "L" in spec else quantity_text(quantity)

    def format_unit(self, unit: Unit, spec: str = "") -> str:
        return unit_latex(unit) if "L" in spec else unit_text(unit)


class _ExactQuantity(pint.Quantity):  # type: ignore[misc]
    """pint's quantity whose `to`, and with it `m_as`, reads unit text with `unit` and raises symroof's errors."""

    _op_priority = 20.0  # SymPy leaves sqrt(2)*quantity(3) to the quantity; it would be 3.0*sqrt(2) otherwise
    _repr_html_ = None  # so that a notebook shows the LaTeX, which is typeset

    def to(self, other: Any = None, *contexts: Any, **context_values: Any) -> Quantity:
        """The same quantity in another unit. Raises UnitError where the dimensions differ, and the errors of `unit`."""
        wanted = unit(other) if isinstance(other, str) else other
        try:
            return super().to(wanted, *contexts, **context_values)
        except pint.DimensionalityError as error:
            given = f"a quantity in {unit_text(self.units)}" if self.dimensionality else "a plain number"
            raise UnitError(
                f"{given} cannot be given in {unit_text(REGISTRY.Unit(error.units2)) or 'plain numbers'}",
                f"its dimension is that of {Dimension.of(self.units)}",
            ) from None

    def __repr__(self) -> str:
        return f"<Quantity {quantity_both_text(self)}>" if self._is_exact() else str(super().__repr__())

    def _repr_latex_(self) -> str | None:
        return f"${quantity_latex(self)}$" if self._is_exact() else None

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What IPython prints."""
        printer.text(str(self) if self._is_exact() else repr(self))

    def _is_exact(self) -> bool:
        """Whether its number is one of symroof's, and not what somebody's float made of it."""
        try:
            exact(self.magnitude)
        except (SymroofError, TypeError):
            return False
        return True


class _Registry(pint.UnitRegistry):  # type: ignore[misc]
    Quantity: TypeAlias = _ExactQuantity


def _load_registry() -> pint.UnitRegistry:
    with as_file(files("symroof") / "data" / "units.txt") as path:
        registry = _Registry(str(path), non_int_type=Fraction, on_redefinition="raise")
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
_PART = re.compile(r"([A-Za-zµμ%]+)(?:\^(-?[0-9]{1,2}))?")
_READABLE = 80  # characters up to which an exact number is shown beside its figure
MAX_UNIT_POWER = 99  # all powers of a unit together
_RATE = re.compile(r"([kMGTPEZY]?)(FLOP|OP)S")
_PLURAL_OPERATIONS = re.compile(r"([kmgtpezy]?)(?:flops|ops)", re.IGNORECASE)
_SIZE = re.compile(r"(?:([kmgtp])i?)?b((?:it)?ps)?", re.IGNORECASE)
_CLEAR_SIZES = ("B", *(f"{prefix}B" for prefix in "kMGTP"), *(f"{prefix}iB" for prefix in "KMGTP"))
_PREFIXES_SHOWN = ("", "k", "M", "G", "T", "P")
NAMES_SHOWN = [
    *(prefix + name for name in ("FLOP", "B") for prefix in _PREFIXES_SHOWN),
    *("byte", "bit", "Gbit", "KiB", "MiB", "GiB", "TiB", "s", "ms", "us", "ns", "min", "h", "day", "year"),
    *("Hz", "MHz", "GHz", "J", "kJ", "W", "kW", "m", "g", "kg", "K", "N", "USD", "%"),
]


@lru_cache(maxsize=1024)
def unit(text: str) -> Unit:
    """The unit that text such as `GB/s`, `FLOP/byte`, `1/s` or `W*s^2` names; `1` and nothing are plain numbers.

    Raises UnitError for an ambiguous spelling or a broken chain, UnknownNameError for an unknown unit.
    """
    spelled = readable(text)[0].strip().replace("**", "^").replace("$", "USD")  # pint has no name that is a sign
    if spelled in ("", "1"):
        return DIMENSIONLESS
    powers: dict[str, int] = {}
    chain = re.split(r"([*/])", spelled)
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
    if sum(map(abs, powers.values())) > MAX_UNIT_POWER:
        raise UnitError(f"the powers of the unit add up to more than {MAX_UNIT_POWER}", "write smaller powers")
    # Whole powers are ints: an int factor to a Fraction power would be a float.
    return unit_of_powers({name: power for name, power in powers.items() if power})


def unit_powers(shown: Unit) -> dict[str, Any]:
    """The registry's names with their powers, ints or Fractions: of `GB/s` gigabyte with 1 and second with -1."""
    return dict(shown._units)


def unit_of_powers(powers: Mapping[str, Any]) -> Unit:
    """The unit that is the product of these powers."""
    return REGISTRY.Unit(UnitsContainer(powers))


def _named(name: str) -> dict[str, int]:
    """The registry's names for one spelled unit, with their powers."""
    rate = _RATE.fullmatch(name)
    if rate:
        return {**_named(rate[1] + rate[2]), "second": -1}
    _refuse_ambiguous(name)
    found = REGISTRY.parse_unit_name(name)
    # A plural is fine for a name written in full (bytes), never behind a symbol (Bs).
    found = tuple(parts for parts in found if not parts[2] or name[:-1].endswith(parts[1]))
    if not found:
        raise UnknownNameError("unit", name, NAMES_SHOWN)
    prefix, base, _ = found[0]
    return {prefix + base: 1}


def _refuse_ambiguous(name: str) -> None:
    """Spellings that people use for two different things are errors that name the choices."""
    operations, size = _PLURAL_OPERATIONS.fullmatch(name), _SIZE.fullmatch(name)
    if operations:
        prefix = _decimal_prefix(operations[1])
        choices = f"{prefix}FLOP for a number of operations, {prefix}FLOP/s for a rate"
    elif size and name not in _CLEAR_SIZES:
        choices = _byte_choices(_decimal_prefix(size[1] or ""), "/s" if size[2] else "")
    else:
        return
    raise UnitError(f"the unit {name!r} is ambiguous", f"write {choices}")


def _decimal_prefix(letter: str) -> str:
    return "k" if letter in ("k", "K") else letter.upper()


def _byte_choices(prefix: str, per: str) -> str:
    if not prefix:
        return f"byte{per} or bit{per}"
    step = "kMGTP".index(prefix) + 1
    return (
        f"{prefix}B{per} (10^{3 * step} byte{per}), {prefix.upper()}iB{per} (2^{10 * step} byte{per}) "
        f"or {prefix}bit{per} (10^{3 * step} bit{per})"
    )


# Characters that are read as what they look like: each becomes one or two of the plain ones.
_LOOKALIKES = str.maketrans(
    {chr(0xFF01 + at): chr(0x21 + at) for at in range(94)}  # full-width letters, digits and signs
    | dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
    | dict.fromkeys("×·⋅∙∗•", "*")
    | dict.fromkeys("÷⁄∕", "/")
    | dict.fromkeys("−‐‑‒–—", "-")
    | {"≤": "<=", "≥": ">="}
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_PIECE = re.compile(r"(?P<power>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?![⁰¹²³⁴⁵⁶⁷⁸⁹⁻]))|.", re.DOTALL)


def readable(text: str) -> tuple[str, Sequence[int]]:
    """The text in plain characters (`2 × 10⁶` is `2 * 10^6`), and for each of them its place in the original."""
    if text.isascii():
        return text, range(len(text) + 1)
    read, places = "", []
    for match in _PIECE.finditer(text):
        piece = match[0]
        plain = "^" + piece.translate(_SUPERSCRIPTS) if match["power"] else piece.translate(_LOOKALIKES)
        read += plain
        places += [match.start()] * len(plain)
    return read, [*places, len(text)]


def quantity(value: Any, unit_of_value: str | Unit = "") -> Quantity:
    """An exact quantity. `value` is a whole number, a Fraction or an exact SymPy number."""
    return REGISTRY.Quantity(exact(value), unit(unit_of_value) if isinstance(unit_of_value, str) else unit_of_value)


def magnitude_in(value: Quantity, wanted: Unit) -> Exact:
    """The exact number of `wanted` units in the value. Raises UnitError if the dimensions differ."""
    return exact(value.to(wanted).magnitude)


def converted(value: Quantity, wanted: str | Unit) -> Quantity:
    """The same quantity in another unit, exact. Raises UnitError if the dimensions differ."""
    measured = unit(wanted) if isinstance(wanted, str) else wanted
    return quantity(magnitude_in(value, measured), measured)


def from_base(number: Exact, wanted: str | Unit) -> Quantity:
    """A number of base units (byte, FLOP, s ...) as a quantity in a unit of their dimension."""
    return quantity(exact(number / base_magnitude(quantity(1, wanted))), wanted)


def mismatch(error: pint.DimensionalityError) -> tuple[str, str]:
    """What pint's error says and what to try, in the words of this module (pint's own text fails on exact powers)."""
    one, other = (Dimension(REGISTRY.get_dimensionality(side)) for side in (error.units1, error.units2))
    return unlike(one, other)


def unlike(one: Dimension, other: Dimension) -> tuple[str, str]:
    """What is wrong where two dimensions should be the same and are not, and what to try."""
    return f"{one} and {other} do not go together", both_alike(one, other)


def both_alike(one: Dimension, other: Dimension) -> str:
    """What to try where two dimensions should be the same and are not."""
    second = Dimension.of(unit("s"))
    for count, rate in ((one, other), (other, one)):
        if count.powers.keys() <= {"[operation]", "[information]"} and count.powers and (count / rate).same(second):
            return f"{count} counts and {rate} is a rate: a rate times a time is a count, a count over a time is a rate"
    return "both sides need the same dimension"


def base_magnitude(value: Quantity) -> Exact:
    """The exact number of base units (byte, FLOP, s ...) in the value."""
    return exact(value.to_base_units().magnitude)


def unit_text(shown: Unit) -> str:
    """`GB/s`, `FLOP/byte`; empty for a plain number."""
    return _joined(shown, lambda name: name, "*", _raised)


def unit_latex(shown: Unit) -> str:
    """The unit upright, for maths mode; empty for a plain number."""
    powers = unit_powers(shown)
    if len(powers) == 1 and all(power < 0 for power in powers.values()):  # 1/s behind a number reads as its part
        ((name, power),) = powers.items()
        return rf"{_latex_name(REGISTRY.get_symbol(name))}^{{{power}}}"
    return _joined(shown, _latex_name, r"\,", "^{{{}}}".format)


def _latex_name(name: str) -> str:
    if name.startswith("u"):  # micro
        return r"\mu" + _latex_name(name[1:])
    return rf"\mathrm{{{name.replace('%', chr(92) + '%').replace('$', chr(92) + '$')}}}"


def _joined(shown: Unit, spelled: Any, times: str, raised: Any) -> str:
    parts: dict[bool, list[str]] = {True: [], False: []}
    for name, power in unit_powers(shown).items():
        size = abs(Fraction(power))
        symbol = "byte" if name == "byte" else REGISTRY.get_symbol(name)
        parts[power > 0].append(spelled(symbol) + (raised(size) if size != 1 else ""))
    above = times.join(parts[True]) or ("1" if parts[False] else "")
    return "/".join([above, *parts[False]])


def quantity_text(value: Quantity, digits: int = SIGNIFICANT, decimals: int | None = None) -> str:
    """The rounded figure with its unit: `28.19 ms`. A whole plain number is written in full."""
    return f"{_figure(value, digits, decimals).text()} {unit_text(value.units)}".rstrip()


def quantity_full_text(value: Quantity) -> str:
    """The number with nothing lost, and its unit: `1048576`, `1/3`, `1.3 TB/s`."""
    return f"{full_text(exact(value.magnitude))} {unit_text(value.units)}".rstrip()


def quantity_both_text(value: Quantity, digits: int = SIGNIFICANT) -> str:
    """The rounded figure, and the exact one where that is another and can be read: `0.3333   exactly 1/3`."""
    shown, full = quantity_text(value, digits), quantity_full_text(value)
    return shown if shown == full or len(full) > _READABLE else f"{shown}   exactly {full}"


def quantity_both_latex(value: Quantity, digits: int = SIGNIFICANT) -> str:
    r"""Both with their signs of equality, for maths mode: `= \frac{1}{3} \approx 0.3333`."""
    full = quantity_full_text(value)
    if quantity_text(value, digits) == full:
        return f"= {quantity_latex(value, digits)}"
    exactly = f"= {quantity_full_latex(value)} " if len(full) <= _READABLE else ""
    return rf"{exactly}\approx {quantity_latex(value, digits)}"


def quantity_full_latex(value: Quantity) -> str:
    """The number with nothing lost, for maths mode, with a thin space before the unit."""
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


def quantity_latex(value: Quantity, digits: int = SIGNIFICANT, decimals: int | None = None) -> str:
    """The rounded figure for maths mode, with a thin space before the unit."""
    name = unit_latex(value.units)
    shown = _figure(value, digits, decimals).latex()
    return rf"{shown}\,{name}" if name else shown


def _figure(value: Quantity, digits: int, decimals: int | None) -> Any:
    number = exact(value.magnitude)
    if decimals is None and not unit_powers(value.units) and isinstance(number, Fraction) and number.denominator == 1:
        return count_figure(number)
    return figure(number, digits, decimals)


class Dimension:
    """A dimension as the product of powers of base dimensions: the value of a formula when only units count.

    Arithmetic on dimensions is a proof over all numbers at once. Unlike pint, `byte + 0` is an error.
    """

    _op_priority = 20.0  # as for quantities: SymPy leaves arithmetic with a dimension to the dimension

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

    def agreed(self, other: object, what: str) -> Dimension:
        """The dimension, if the other is the same. Raises UnitError, which says `what` they were meant for."""
        if not self.same(_dimension(other)):
            raise UnitError(f"{what} {self} and {_dimension(other)}", both_alike(self, _dimension(other)))
        return self

    def __add__(self, other: object) -> Dimension:
        return self.agreed(other, "adding")

    __radd__ = __add__

    def __sub__(self, other: object) -> Dimension:
        return self.agreed(other, "subtracting")

    __rsub__ = __sub__

    def _compared(self, other: object) -> Any:
        return self.agreed(other, "comparing")

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
        self.agreed(other, "dividing to a whole number")
        return Dimension({})

    def __mod__(self, other: object) -> Dimension:
        return self.agreed(other, "taking the remainder of")

    def __pow__(self, exponent: object) -> Dimension:
        if isinstance(exponent, Dimension):
            exponent._plain("as a power")
            return self._plain("as a base of a varying power")
        number = exact(exponent)
        if not isinstance(number, Fraction):
            return self._plain("as a base of an irrational power")
        return Dimension({name: power * number for name, power in self.powers.items()})

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
    exact(value)
    return Dimension({})


def _power_text(name: str, power: Fraction) -> str:
    return _BASE_TEXT[name] + (_raised(power) if power != 1 else "")


def _raised(power: Fraction) -> str:
    return f"^{power}" if power.denominator == 1 else f"^({power})"
