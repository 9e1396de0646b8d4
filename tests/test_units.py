"""Units: the registry's factors, the reading and writing of unit text, and dimensions, against hand-made tables."""

from __future__ import annotations

import operator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pint
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from symroof.elementary import sqrt
from symroof.errors import InexactError, UnitError, UnknownNameError
from symroof.units import (
    DIMENSIONLESS,
    REGISTRY,
    Dimension,
    base_magnitude,
    magnitude_in,
    mismatch,
    quantity,
    quantity_full_latex,
    quantity_full_text,
    quantity_latex,
    quantity_text,
    readable,
    unit,
    unit_latex,
    unit_text,
)

# symbol: (power of ten, long name)
DECIMAL_PREFIXES = {
    "a": (-18, "atto"),
    "f": (-15, "femto"),
    "p": (-12, "pico"),
    "n": (-9, "nano"),
    "u": (-6, "micro"),
    "m": (-3, "milli"),
    "": (0, ""),
    "k": (3, "kilo"),
    "M": (6, "mega"),
    "G": (9, "giga"),
    "T": (12, "tera"),
    "P": (15, "peta"),
    "E": (18, "exa"),
    "Z": (21, "zetta"),
    "Y": (24, "yotta"),
}
BINARY_PREFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
# spelling: (number of base units, their dimension as powers of byte, FLOP, s, m, g, K, USD)
UNITS: dict[str, tuple[Fraction | int, dict[str, int]]] = {
    "byte": (1, {"byte": 1}),
    "B": (1, {"byte": 1}),
    "bytes": (1, {"byte": 1}),
    "bit": (Fraction(1, 8), {"byte": 1}),
    "bits": (Fraction(1, 8), {"byte": 1}),
    "FLOP": (1, {"FLOP": 1}),
    "flop": (1, {"FLOP": 1}),
    "OP": (1, {"FLOP": 1}),
    "s": (1, {"s": 1}),
    "second": (1, {"s": 1}),
    "seconds": (1, {"s": 1}),
    "min": (60, {"s": 1}),
    "h": (3600, {"s": 1}),
    "hours": (3600, {"s": 1}),
    "day": (86_400, {"s": 1}),
    "week": (604_800, {"s": 1}),
    "year": (31_536_000, {"s": 1}),
    "Hz": (1, {"s": -1}),
    "m": (1, {"m": 1}),
    "g": (1, {"g": 1}),
    "K": (1, {"K": 1}),
    "N": (1000, {"g": 1, "m": 1, "s": -2}),
    "J": (1000, {"g": 1, "m": 2, "s": -2}),
    "W": (1000, {"g": 1, "m": 2, "s": -3}),
    "USD": (1, {"USD": 1}),
    "$": (1, {"USD": 1}),
    "%": (Fraction(1, 100), {}),
    "TFLOPS": (10**12, {"FLOP": 1, "s": -1}),
    "TOPS": (10**12, {"FLOP": 1, "s": -1}),
    "FLOPS": (1, {"FLOP": 1, "s": -1}),
    "GB/s": (10**9, {"byte": 1, "s": -1}),
    "FLOP/byte": (1, {"FLOP": 1, "byte": -1}),
    "GB/s/W": (10**6, {"byte": 1, "s": 2, "g": -1, "m": -2}),
    "TFLOPS/W": (10**9, {"FLOP": 1, "s": 2, "g": -1, "m": -2}),
    "1/s": (1, {"s": -1}),
    "W*s^2": (1000, {"g": 1, "m": 2, "s": -1}),
    "W*s**2": (1000, {"g": 1, "m": 2, "s": -1}),
    "MiB^-2": (Fraction(1, 2**40), {"byte": -2}),
    "kW*h": (3_600_000_000, {"g": 1, "m": 2, "s": -2}),
    "s/s": (1, {}),
    "m^0": (1, {}),
    "1": (1, {}),
    "": (1, {}),
}
BASES = {"byte": "byte", "FLOP": "FLOP", "s": "s", "m": "m", "g": "g", "K": "K", "USD": "USD"}
NAMES = st.sampled_from(
    ["byte", "bit", "GB", "MiB", "FLOP", "TFLOP", "s", "ms", "h", "Hz", "W", "kJ", "m", "kg", "K", "USD", "%"]
)
CHAINS = st.lists(st.tuples(NAMES, st.integers(-3, 3)), max_size=5).map(
    lambda parts: "*".join(f"{name}^{power}" for name, power in parts) or "1"
)
PLAIN_RATIONALS = st.fractions(max_denominator=10**6, min_value=-(10**6), max_value=10**6)


def dimension(**powers: int) -> Dimension:
    """The dimension with these powers of the base units."""
    total = Dimension({})
    for name, power in powers.items():
        total = total * Dimension.of(unit(name)) ** power
    return total


class TestRegistry:
    @pytest.mark.parametrize(("spelled", "size", "powers"), [(name, *of) for name, of in UNITS.items()])
    def test_factors(self, spelled: str, size: Fraction | int, powers: dict[str, int]) -> None:
        assert base_magnitude(quantity(1, spelled)) == size
        assert Dimension.of(unit(spelled)).same(dimension(**powers))

    @pytest.mark.parametrize(("symbol", "power", "name"), [(symbol, *of) for symbol, of in DECIMAL_PREFIXES.items()])
    def test_decimal_prefixes(self, symbol: str, power: int, name: str) -> None:
        assert base_magnitude(quantity(1, f"{symbol}FLOP")) == Fraction(10) ** power
        assert unit(f"{name}second") == unit(f"{symbol}s")

    @pytest.mark.parametrize(("symbol", "power"), BINARY_PREFIXES.items())
    def test_binary_prefixes(self, symbol: str, power: int) -> None:
        assert base_magnitude(quantity(1, f"{symbol}B")) == 2**power

    @given(PLAIN_RATIONALS, st.sampled_from([*DECIMAL_PREFIXES]), st.sampled_from([*DECIMAL_PREFIXES]))
    def test_there_and_back_is_exact(self, number: Fraction, one: str, other: str) -> None:
        there = quantity(number, f"{one}s").to(unit(f"{other}s"))
        assert there.magnitude == number * Fraction(10) ** (DECIMAL_PREFIXES[one][0] - DECIMAL_PREFIXES[other][0])
        assert isinstance(there.magnitude, Fraction)
        assert there.to(unit(f"{one}s")).magnitude == number

    @given(CHAINS, PLAIN_RATIONALS)
    def test_base_units_of_a_chain(self, chain: str, number: Fraction) -> None:
        expected = number
        for part in chain.split("*") if chain != "1" else []:
            name, _, power = part.partition("^")
            expected *= base_magnitude(quantity(1, name)) ** int(power)
        assert base_magnitude(quantity(number, chain)) == expected

    def test_ridge_of_the_a100(self) -> None:
        # 312e12 / 1555e9 = 312000/1555 = 62400/311
        ridge = quantity(312, "TFLOP/s") / quantity(1555, "GB/s")
        assert magnitude_in(ridge, unit("FLOP/byte")) == Fraction(62_400, 311)

    @pytest.mark.parametrize(("one", "other"), [("byte", "FLOP"), ("byte", "s"), ("byte", ""), ("FLOP", "FLOP/s")])
    def test_dimensions_do_not_mix(self, one: str, other: str) -> None:
        left, right = quantity(1, one), quantity(1, other)
        for mix in (operator.add, operator.sub, operator.lt):
            with pytest.raises(pint.DimensionalityError):
                mix(left, right)
        with pytest.raises(UnitError, match=r"cannot be given in"):
            left.to(right.units)


class TestReading:
    @pytest.mark.parametrize(
        ("text", "plain"),
        [
            (" GB/s ", "GB/s"),
            ("GB∕s", "GB/s"),
            ("ＧＢ／ｓ", "GB/s"),
            ("W·s²", "W*s^2"),
            ("m×s⁻¹", "m/s"),
            ("µs", "us"),  # U+00B5, micro sign
            ("μs", "us"),  # U+03BC, Greek mu
            ("s**-1", "1/s"),
            ("m¹²", "m^12"),
        ],
    )
    def test_look_alikes(self, text: str, plain: str) -> None:
        assert unit(text) == unit(plain)

    @pytest.mark.parametrize(
        ("text", "read"),
        [
            ("3 × 4·5 ÷ 6 − 7", "3 * 4*5 / 6 - 7"),
            ("２＋（３，４．５）＝ｘ＊ｙ／ｚ＾８", "2+(3,4.5)=x*y/z^8"),
            ("10⁶ B", "10^6 B"),
            ("s⁻¹", "s^-1"),
            ("x²³", "x^23"),
            ("a ≤ b ≥ c", "a <= b >= c"),
            ("28.19 ms 7", "28.19 ms 7"),
            ("3–4—5‐6‑7", "3-4-5-6-7"),
            ("µ μ é ∞", "µ μ é ∞"),
            # no power that anyone would write
            ("x²⁻¹", "x²^-1"),
            ("⁻", "⁻"),
        ],
    )
    def test_readable(self, text: str, read: str) -> None:
        assert readable(text)[0] == read

    @given(st.text(alphabet="ab1 ²³⁻×−≤５＋µ\n\0"))
    def test_every_character_has_its_place(self, text: str) -> None:
        read, places = readable(text)
        assert len(places) == len(read) + 1
        assert list(places) == sorted(places)
        assert places[-1] == len(text)
        for char, place in zip(read, places, strict=False):
            assert char == text[place] or text[place] in "²³⁻×−≤５＋"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("KB", "the unit 'KB' is ambiguous\nwrite kB (10^3 byte), KiB (2^10 byte) or kbit (10^3 bit)"),
            ("kb", "the unit 'kb' is ambiguous\nwrite kB (10^3 byte), KiB (2^10 byte) or kbit (10^3 bit)"),
            ("Gb", "the unit 'Gb' is ambiguous\nwrite GB (10^9 byte), GiB (2^30 byte) or Gbit (10^9 bit)"),
            ("mB", "the unit 'mB' is ambiguous\nwrite MB (10^6 byte), MiB (2^20 byte) or Mbit (10^6 bit)"),
            ("Tib", "the unit 'Tib' is ambiguous\nwrite TB (10^12 byte), TiB (2^40 byte) or Tbit (10^12 bit)"),
            ("pb", "the unit 'pb' is ambiguous\nwrite PB (10^15 byte), PiB (2^50 byte) or Pbit (10^15 bit)"),
            ("b", "the unit 'b' is ambiguous\nwrite byte or bit"),
            ("bps", "the unit 'bps' is ambiguous\nwrite byte/s or bit/s"),
            (
                "Gbps",
                "the unit 'Gbps' is ambiguous\nwrite GB/s (10^9 byte/s), GiB/s (2^30 byte/s) or Gbit/s (10^9 bit/s)",
            ),
            (
                "MBps",
                "the unit 'MBps' is ambiguous\nwrite MB/s (10^6 byte/s), MiB/s (2^20 byte/s) or Mbit/s (10^6 bit/s)",
            ),
            (
                "GFLOPs",
                "the unit 'GFLOPs' is ambiguous\nwrite GFLOP for a number of operations, GFLOP/s for a rate",
            ),
            (
                "tflops",
                "the unit 'tflops' is ambiguous\nwrite TFLOP for a number of operations, TFLOP/s for a rate",
            ),
            ("flops", "the unit 'flops' is ambiguous\nwrite FLOP for a number of operations, FLOP/s for a rate"),
            ("kops", "the unit 'kops' is ambiguous\nwrite kFLOP for a number of operations, kFLOP/s for a rate"),
            ("m/Gb", "the unit 'Gb' is ambiguous\nwrite GB (10^9 byte), GiB (2^30 byte) or Gbit (10^9 bit)"),
        ],
    )
    def test_ambiguous(self, text: str, message: str) -> None:
        with pytest.raises(UnitError) as caught:
            unit(text)
        assert str(caught.value) == message

    @pytest.mark.parametrize(
        "text", ["B", "kB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB", "PiB", "kbit", "Gbit"]
    )
    def test_clear_sizes(self, text: str) -> None:
        assert Dimension.of(unit(text)).same(dimension(byte=1))

    @pytest.mark.parametrize(
        "text", ["GB s", "GB//s", "/s", "s/", "m^", "m^2^3", "m^1.5", "m^100", "2/s", "s/1", "(s)", "kΩ"]
    )
    def test_broken_chain(self, text: str) -> None:
        with pytest.raises(UnitError) as caught:
            unit(text)
        assert str(caught.value) == (
            f"{text!r} is not a unit\nwrite names joined by * and /, with whole powers: GB/s, FLOP/byte, W*s^2"
        )

    @pytest.mark.parametrize(
        ("text", "name", "hint"),
        [
            ("flobs", "flobs", "did you mean FLOP, TFLOP or PFLOP?"),
            ("GBs", "GBs", "did you mean GB or GiB?"),  # no plural behind a symbol
            ("ib", "ib", "did you mean TiB, MiB or KiB?"),
            ("m/hr", "hr", "did you mean h?"),
            ("Bytes", "Bytes", "did you mean byte?"),
            ("kWh", "kWh", "did you mean kW?"),
        ],
    )
    def test_unknown(self, text: str, name: str, hint: str) -> None:
        with pytest.raises(UnknownNameError) as caught:
            unit(text)
        assert str(caught.value) == f"unknown unit {name!r}\n{hint}"

    def test_nothing_near(self) -> None:
        with pytest.raises(UnknownNameError) as caught:
            unit("xyzzy")
        assert caught.value.hint.startswith(
            "known: FLOP, kFLOP, MFLOP, GFLOP, TFLOP, PFLOP, B, kB, MB, GB, TB, PB, byte"
        )

    @pytest.mark.parametrize("text", ["m^99*s", "*".join(["YB"] * 100), "m^60/s^60"])
    def test_powers_are_bounded(self, text: str) -> None:
        with pytest.raises(UnitError) as caught:
            unit(text)
        assert str(caught.value) == "the powers of the unit add up to more than 99\nwrite smaller powers"

    @given(st.text(alphabet="GMkKiBbtyeFLOPSpsm/*^-12 $%µ", max_size=12))
    def test_nothing_else_comes_out(self, text: str) -> None:
        with suppress(UnitError, UnknownNameError):
            unit(text)


class TestWriting:
    @pytest.mark.parametrize(
        ("spelled", "text", "latex"),
        [
            ("GB/s", "GB/s", r"\mathrm{GB}/\mathrm{s}"),
            ("B", "byte", r"\mathrm{byte}"),
            ("TFLOPS", "TFLOP/s", r"\mathrm{TFLOP}/\mathrm{s}"),
            ("µs", "us", r"\mu\mathrm{s}"),
            ("uJ", "uJ", r"\mu\mathrm{J}"),
            ("%", "%", r"\mathrm{\%}"),
            ("$", "USD", r"\mathrm{USD}"),
            ("1/s", "1/s", r"\mathrm{s}^{-1}"),
            ("FLOP/byte/s^2", "FLOP/byte/s^2", r"\mathrm{FLOP}/\mathrm{byte}/\mathrm{s}^{2}"),
            ("W*s^2", "W*s^2", r"\mathrm{W}\,\mathrm{s}^{2}"),
            ("1", "", ""),
        ],
    )
    def test_unit(self, spelled: str, text: str, latex: str) -> None:
        assert unit_text(unit(spelled)) == text
        assert unit_latex(unit(spelled)) == latex

    @given(CHAINS)
    def test_text_reads_back(self, chain: str) -> None:
        assert unit(unit_text(unit(chain))) == unit(chain)

    def test_half_powers(self) -> None:
        root = sqrt(quantity(3, "byte"))
        assert quantity_text(root) == "1.732 byte^(1/2)"
        assert quantity_latex(root) == r"1.732\,\mathrm{byte}^{1/2}"
        assert str(Dimension.of(root.units)) == "byte^(1/2)"

    @pytest.mark.parametrize(
        ("number", "spelled", "text", "latex"),
        [
            (Fraction(2147483648, 76171875), "ms", "28.19 ms", r"28.19\,\mathrm{ms}"),
            (1_048_576, "", "1048576", r"1\,048\,576"),
            (1_048_576, "byte", "1.049e6 byte", r"1.049 \times 10^{6}\,\mathrm{byte}"),
            (312_000_000_000_000, "", "312000000000000", r"312\,000\,000\,000\,000"),
            (Fraction(1, 3), "", "0.3333", "0.3333"),
            (40, "%", "40 %", r"40\,\mathrm{\%}"),
            (-3, "s", "-3 s", r"-3\,\mathrm{s}"),
            (0, "GB", "0 GB", r"0\,\mathrm{GB}"),
        ],
    )
    def test_quantity(self, number: Any, spelled: str, text: str, latex: str) -> None:
        value = quantity(number, spelled)
        assert quantity_text(value) == text
        assert quantity_latex(value) == latex
        assert f"{value}" == text
        assert f"{value:L}" == latex

    def test_digits_and_decimals(self) -> None:
        value = quantity(Fraction(2147483648, 76171875), "ms")
        assert quantity_text(value, digits=7) == "28.19261 ms"
        assert quantity_text(value, decimals=4) == "28.1926 ms"
        assert quantity_text(quantity(5), decimals=2) == "5.00"

    @pytest.mark.parametrize(
        ("number", "spelled", "text", "latex"),
        [
            (1_048_576, "byte", "1048576 byte", r"1\,048\,576\,\mathrm{byte}"),
            (Fraction(13, 10), "TB/s", "1.3 TB/s", r"1.3\,\mathrm{TB}/\mathrm{s}"),
            (Fraction(-1, 3), "", "-1/3", r"-\frac{1}{3}"),
            (
                Fraction(62_400, 311),
                "FLOP/byte",
                "62400/311 FLOP/byte",
                r"\frac{62\,400}{311}\,\mathrm{FLOP}/\mathrm{byte}",
            ),
            (sympy.sqrt(2), "s", "sqrt(2) s", r"\sqrt{2}\,\mathrm{s}"),
        ],
    )
    def test_in_full(self, number: Any, spelled: str, text: str, latex: str) -> None:
        assert quantity_full_text(quantity(number, spelled)) == text
        assert quantity_full_latex(quantity(number, spelled)) == latex


class TestExactness:
    @pytest.mark.parametrize(
        ("number", "error"), [(0.5, InexactError), ("3", TypeError), (None, TypeError), (sympy.Symbol("x"), TypeError)]
    )
    def test_only_exact_numbers(self, number: Any, error: type[Exception]) -> None:
        with pytest.raises(error):
            quantity(number, "s")

    @pytest.mark.parametrize("spelled", ["", "byte", "%"])
    def test_a_quantity_never_enters_sympy(self, spelled: str) -> None:
        root, value = sympy.sqrt(2), quantity(3, spelled)
        for product in (root * value, value * root):
            assert isinstance(product, pint.Quantity)
            assert product.magnitude == 3 * root
            assert not product.magnitude.has(sympy.Float)
        assert (root / value).magnitude == root / 3
        if spelled == "":
            assert (root + value).magnitude == 3 + root
            assert (root - value).magnitude == root - 3
            assert root < value
            assert not root >= value

    @given(PLAIN_RATIONALS, PLAIN_RATIONALS, NAMES)
    def test_arithmetic_is_that_of_fractions(self, one: Fraction, other: Fraction, name: str) -> None:
        left, right = quantity(one, name), quantity(other, name)
        assert (left + right).magnitude == one + other
        assert (left - right).magnitude == one - other
        assert (left * right).magnitude == one * other
        if other:
            assert (left / right).to_base_units().magnitude == one / other

    @pytest.mark.parametrize(
        ("value", "wanted", "message"),
        [
            (quantity(3, "ms"), "GB", "a quantity in ms cannot be given in GB\nits dimension is that of s"),
            (quantity(3, "ms"), "", "a quantity in ms cannot be given in plain numbers\nits dimension is that of s"),
            (
                quantity(3),
                "GB/s",
                "a plain number cannot be given in GB/s\nits dimension is that of a plain number",
            ),
            (
                quantity(3, "W"),
                "J",
                "a quantity in W cannot be given in J\nits dimension is that of m^2*g/s^3",
            ),
        ],
    )
    def test_magnitude_in_another_dimension(self, value: Any, wanted: str, message: str) -> None:
        with pytest.raises(UnitError) as caught:
            magnitude_in(value, unit(wanted))
        assert str(caught.value) == message

    def test_magnitude_in(self) -> None:
        assert magnitude_in(quantity(40, "GiB"), unit("GB")) == Fraction(40 * 2**30, 10**9)
        assert magnitude_in(quantity(40, "%"), DIMENSIONLESS) == Fraction(2, 5)
        assert magnitude_in(quantity(sympy.sqrt(2), "s"), unit("ms")) == 1000 * sympy.sqrt(2)

    def test_mismatch(self) -> None:
        with pytest.raises(pint.DimensionalityError) as caught:
            quantity(1, "GB/s") + quantity(1, "FLOP")
        assert mismatch(caught.value) == (
            "byte/s and FLOP do not go together",
            "both sides need the same dimension",
        )


class TestDimension:
    @given(CHAINS, CHAINS, st.integers(-4, 4))
    def test_algebra_is_that_of_pint(self, one: str, other: str, power: int) -> None:
        left, right = unit(one), unit(other)
        assert Dimension.of(left * right).same(Dimension.of(left) * Dimension.of(right))
        assert Dimension.of(left / right).same(Dimension.of(left) / Dimension.of(right))
        assert Dimension.of(left**power).same(Dimension.of(left) ** power)
        agree = REGISTRY.get_dimensionality(left) == REGISTRY.get_dimensionality(right)
        assert Dimension.of(left).same(Dimension.of(right)) == agree
        if agree:
            assert (Dimension.of(left) + Dimension.of(right)).same(Dimension.of(left))
        else:
            with pytest.raises(UnitError, match=r"adding .* and .*\n"):
                Dimension.of(left) + Dimension.of(right)

    @given(CHAINS)
    def test_root_undoes_the_square(self, chain: str) -> None:
        of = Dimension.of(unit(chain))
        assert (of**2).root().same(of)
        assert (of ** Fraction(1, 2)).same(of.root())

    @pytest.mark.parametrize(
        ("spelled", "text"),
        [
            ("GB/s", "byte/s"),
            ("TFLOPS", "FLOP/s"),
            ("1/s", "1/s"),
            ("Hz", "1/s"),
            ("W", "m^2*g/s^3"),
            ("USD/h", "USD/s"),
            ("K", "K"),
            ("%", "a plain number"),
        ],
    )
    def test_text(self, spelled: str, text: str) -> None:
        assert str(Dimension.of(unit(spelled))) == text

    def test_numbers_are_plain(self) -> None:
        byte, plain = dimension(byte=1), Dimension({})
        for number in (2, Fraction(1, 3), sympy.sqrt(2), sympy.Rational(1, 2)):
            for product in (number * byte, byte * number, byte / number):
                assert product.same(byte)
            assert (number / byte).same(dimension(byte=-1))
            assert (plain + number).same(plain)
            assert (number - plain).same(plain)
        assert (2**plain).same(plain)
        assert (-byte).same(byte)
        assert abs(byte).same(byte)
        assert (byte // byte).same(plain)
        assert (byte % byte).same(byte)
        assert (plain ** sympy.sqrt(2)).same(plain)
        assert (plain**plain).same(plain)

    BYTE, SECOND, PLAIN = dimension(byte=1), dimension(s=1), dimension()

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            (lambda b, s: b + s, "adding byte and s\nboth sides need the same dimension"),
            (lambda b, _: b + 0, "adding byte and a plain number\nboth sides need the same dimension"),
            (lambda b, _: 0 + b, "adding byte and a plain number\nboth sides need the same dimension"),
            (lambda b, s: b - s, "subtracting byte and s\nboth sides need the same dimension"),
            (lambda b, s: b < s, "comparing byte and s\nboth sides need the same dimension"),
            (lambda b, _: b == 3, "comparing byte and a plain number\nboth sides need the same dimension"),
            (lambda b, s: b // s, "dividing to a whole number byte and s\nboth sides need the same dimension"),
            (lambda b, s: b % s, "taking the remainder of byte and s\nboth sides need the same dimension"),
            (lambda b, _: 2**b, "byte as a power\na plain number is needed there"),
            (lambda b, _: b ** Dimension({}), "byte as a base of a varying power\na plain number is needed there"),
            (lambda b, _: b ** sympy.sqrt(2), "byte as a base of an irrational power\na plain number is needed there"),
            (lambda b, s: (b / s).whole("ceil"), "byte/s in ceil\na plain number is needed there"),
        ],
    )
    def test_what_does_not_go(self, wrong: Any, message: str) -> None:
        with pytest.raises(UnitError) as caught:
            wrong(self.BYTE, self.SECOND)
        assert str(caught.value) == message

    @pytest.mark.parametrize("wrong", [lambda b: 0.5 * b, lambda b: b / 2.0, lambda b: b + 1.0, lambda b: b**0.5])
    def test_a_float_is_refused(self, wrong: Any) -> None:
        with pytest.raises(InexactError, match=r"the float (0.5|1.0|2.0) is not exact"):
            wrong(self.BYTE)

    @pytest.mark.parametrize("wrong", [lambda b: b + "x", lambda b: b * None, lambda b: b * True])
    def test_what_is_no_number(self, wrong: Any) -> None:
        with pytest.raises(TypeError, match="is not an exact real number"):
            wrong(self.BYTE)

    def test_is_neither_true_nor_false(self) -> None:
        with pytest.raises(TypeError, match="a dimension is neither true nor false"):
            bool(self.PLAIN)
