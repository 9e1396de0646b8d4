"""Pictures drawn with matplotlib, as SVG, PDF or PNG: for a text width of 156 mm, in the report's type and ink.

The same picture gives the same bytes. An SVG has a light sheet of its own below it, so that it reads the same on a
dark page; its letters are outlines, and its title and description say in words what they show.
"""

from __future__ import annotations

import html
import importlib.util
import io
import re
from typing import TYPE_CHECKING

from symroof.drawing_bars import draw_bars
from symroof.drawing_graph import draw_graph
from symroof.drawing_panels import draw_panels
from symroof.drawing_style import SHEET, WIDTH, style
from symroof.figure_data import Bars, Graph, Panels, Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMS = ("svg", "pdf", "png")

_PNG_DPI = 200
# What differs from day to day and from version to version stays out of the files.
_NAMELESS = {"svg": ("Date", "Creator"), "pdf": ("CreationDate", "Creator", "Producer"), "png": ("Software",)}


def is_possible() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def draw(picture: Picture, form: str, *, name: str, title: str) -> bytes:
    """The picture as `svg`, `pdf` or `png`. `name` makes the ids of an SVG its own, `title` says what it shows.

    Raises OutputError where matplotlib is not installed.
    """
    with style():
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, WIDTH / 2), facecolor=SHEET)
        FigureCanvasAgg(figure)  # without pyplot a figure has no canvas to measure its letters on
        match picture:
            case Panels():
                draw_panels(figure, picture)
            case Bars():
                draw_bars(figure, picture)
            case Graph():
                draw_graph(figure, picture)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=form, dpi=_PNG_DPI, metadata=dict.fromkeys(_NAMELESS[form]), facecolor=SHEET)
        if form == "svg":
            return _finished_svg(buffer.getvalue().decode(), figure, name, title).encode()
        return buffer.getvalue()


def _finished_svg(drawn: str, figure: Figure, name: str, title: str) -> str:
    """Ready to stand in a file or in a page: no prologue, ids that no other figure has, and what it says in words."""
    from matplotlib.text import Text

    own = re.sub(r"[^A-Za-z0-9_-]", "-", name)
    labels = dict.fromkeys(str(text.get_gid()) for text in figure.findobj(Text) if text.get_gid())
    body = drawn[drawn.index("<svg") :]
    # A style sheet would hold for the whole page; its two properties stand in the first tag instead.
    body = re.sub(r"<!--.*?-->\n?|<metadata>.*?</metadata>\n?|<style.*?</style>\n?", "", body, flags=re.DOTALL)
    body = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{own}-", body)
    label = html.escape(title)
    end = body.index(">") + 1
    attributes = f'role="img" aria-label="{label}" stroke-linejoin="round" stroke-linecap="butt"'
    said = f"<title>{label}</title>\n <desc>{html.escape('; '.join(labels))}</desc>"
    return f"<svg {attributes} {body[4:end].lstrip()}\n {said}{body[end:]}"
