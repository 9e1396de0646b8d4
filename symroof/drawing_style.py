"""How figures look: type, ink, hues and lines; and labels as matplotlib takes them."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from symroof.errors import OutputError
from symroof.figure_data import Axis
from symroof.latex import grouped, split_maths
from symroof.prose import Maths, Prose

INK, PALE, SHEET, RULE = "#1F3A5F", "#A9BCD6", "#FFFFFF", "#D5DAE1"
LINK, FAINT = "#7F97B8", "#C6D1E0"  # edges of a graph: between steps, and from givens
SHADES = ("#EDF1F6", "#FFFFFF")  # of regions, in turn
# Hues that differ in lightness as well, each with a line of its own.
HUES = (INK, "#C8553D", "#1F6F66", "#9C86C6", "#CFA53A")
ON_HUES = (SHEET, SHEET, SHEET, INK, INK)  # letters on them
LINES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (3, 1, 1, 1, 1, 1)))
WIDTH = 6.14  # inches: 156 mm
POINTS = 72  # to the inch

_FEW_DECADES, _PART_OF_DECADE, _MOST_TICKS = 2.5, 0.7, 9
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-4, 1e6

_STYLE: dict[str, Any] = {
    "font.family": ["cmr10"],
    "font.size": 9,
    # Of the same family as "cm", whose own table takes the stroke and the point from where other signs are expected:
    # the letters of a PDF can be searched for and copied.
    "mathtext.fontset": "custom",
    "mathtext.rm": "cmr10",
    "mathtext.it": "cmmi10",
    "mathtext.fallback": "cm",
    "pdf.fonttype": 42,
    "axes.formatter.use_mathtext": True,
    "axes.labelsize": 9.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.unicode_minus": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": RULE,
    "grid.linewidth": 0.4,
    "svg.fonttype": "path",
    "svg.hashsalt": "symroof",
}


@contextmanager
def style() -> Iterator[None]:
    """matplotlib's own defaults and the style above, whatever the user's settings are, and these again afterwards.

    What it and the library that reads its fonts log meanwhile is of no use to who asks for a figure.
    """
    levels = {logger: logger.level for logger in map(logging.getLogger, ("matplotlib", "fontTools"))}
    for logger in levels:
        logger.setLevel(logging.ERROR)
    try:
        try:
            import matplotlib
        except ImportError:
            raise OutputError(
                "figures need matplotlib, which is not installed", 'pip install "symroof[plot]"'
            ) from None
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            settings: Any = matplotlib.rcParams
            settings.update(_STYLE)
            yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


# -- text

_SAFE = re.compile(r"[A-Za-z0-9 \n!#%&'()*+,\-./:;=?@\[\]]*")  # what cmr10 has in the places of ASCII


def lettering(shown: Prose | Maths | str) -> dict[str, Any]:
    """The properties of a label: maths where matplotlib can set it, else plain text. Its id is how it reads."""
    prose = shown if isinstance(shown, Prose) else Prose((shown,))
    plain, written, words = prose.text, "", ""
    for part in prose.parts:
        pieces = [(True, part.latex)] if isinstance(part, Maths) else split_maths(part)
        written += "".join(f"${piece}$" if is_maths and piece else piece for is_maths, piece in pieces)
        words += "".join(piece for is_maths, piece in pieces if not is_maths)
    if "$" in written and _SAFE.fullmatch(words) and _is_maths(written):
        return {"text": written, "parse_math": True, "gid": plain}
    return {"text": _printable(plain), "parse_math": False, "gid": plain, "family": _family(plain)}


def _is_maths(written: str) -> bool:
    """Whether matplotlib can set every line; what it has no letters for it would pass over in silence."""
    from matplotlib.mathtext import MathTextParser

    if not written.isascii():
        return False
    try:
        for line in written.split("\n"):
            MathTextParser("path").parse(line)
    except ValueError:
        return False
    return True


def _family(plain: str) -> str:
    return "cmr10" if _SAFE.fullmatch(plain) else "DejaVu Serif"


def _printable(plain: str) -> str:
    """The text with a question mark for each character that the fonts do not have."""
    if _SAFE.fullmatch(plain):
        return plain
    from matplotlib.font_manager import findfont
    from matplotlib.ft2font import FT2Font

    known = FT2Font(findfont("DejaVu Serif")).get_charmap()
    return "".join(char if ord(char) in known else "?" for char in plain)


def axis_label(axis: Axis) -> Prose:
    if not axis.unit.text:
        return axis.label
    return Prose((*axis.label.parts, " (" if axis.label.parts else "(", axis.unit, ")"))


def frame(axes: Any) -> None:
    """Axes as all figures have them: two sides, short ticks, a thin grid behind everything."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(True, which="major")
    axes.tick_params(which="both", direction="out", length=3, width=0.5)
    axes.tick_params(which="minor", length=1.5)


def ticks(axis: Any, low: float, high: float) -> None:
    """Ticks of a logarithmic axis: at 1, 2 and 5 where there are few powers of ten, written plainly where that is
    short."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    decades = math.log10(high / low)
    steps = (
        (1.0,)
        if decades > _FEW_DECADES
        else (1.0, 2.0, 5.0)
        if decades > _PART_OF_DECADE
        else (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
    )
    plain = low >= _SMALLEST_PLAIN and high < _LARGEST_PLAIN
    axis.set_major_locator(LogLocator(subs=steps, numticks=_MOST_TICKS))
    axis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=_MOST_TICKS))
    axis.set_major_formatter(FuncFormatter(_plain if plain else _with_power))
    axis.set_minor_formatter(NullFormatter())


def _plain(value: float, _position: int) -> str:
    return f"${grouped(str(round(value)))}$" if value >= 1 and value == round(value) else f"${value:g}$"


def _with_power(value: float, _position: int) -> str:
    exponent = math.floor(math.log10(value) + 1e-9)
    factor = value / 10**exponent
    return f"$10^{{{exponent}}}$" if round(factor, 6) == 1 else rf"${factor:.2g} \times 10^{{{exponent}}}$"
