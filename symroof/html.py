"""Text and formulas inside an HTML page: text is escaped, formulas are MathML."""

from __future__ import annotations

import html
import re
from xml.etree.ElementTree import Element, tostring

from symroof.latex import WEB_ADDRESS, plain, plain_prose, split_sound_maths, unescape


def prose(text: str) -> str:
    """A sentence: `$...$` is maths if it is sound, a web address is a link, the rest is escaped."""
    return "".join(inline(part) if maths else escape(part) for maths, part in split_sound_maths(text))


def escape(text: str) -> str:
    """The text with every character that HTML would act on made to print itself; a web address becomes a link."""
    pieces = [html.escape(piece) for piece in WEB_ADDRESS.split(text)]
    return "".join(f'<a href="{piece}">{piece}</a>' if at % 2 else piece for at, piece in enumerate(pieces))


def title(text: str) -> str:
    """A sentence in plain characters, for places that allow no markup."""
    return html.escape(plain_prose(text))


def inline(maths: str) -> str:
    """A formula in a line of text."""
    return _mathml(maths, "inline")


def display(maths: str) -> str:
    """A formula on lines of its own, in a box in which it scrolls where it is wider than the page."""
    return f'<div class="formula">{_mathml(maths, "block")}</div>'


_TOUCHED = re.compile(r"([^\s<>]*)(<math>.*?</math>)([^\s<>]*)", re.DOTALL)


def glued(page: str) -> str:
    """The page with what touches a formula kept on its line; browsers break before and behind one, even at a comma."""

    def glue(match: re.Match[str]) -> str:
        return f'<span class="glued">{match[0]}</span>' if match[1] or match[3] else match[0]

    return _TOUCHED.sub(glue, page)


def _mathml(maths: str, layout: str) -> str:
    """The formula as a `math` element; in plain characters where the converter does not know it."""
    from latex2mathml.converter import Converter

    leaves = _Leaves()
    try:
        # The converter reads an ampersand in `aligned` as a letter.
        found = Converter(display=layout).convert_to_element(
            leaves.taken_out(maths).replace("{aligned}", "{align*}").strip()
        )
        leaves.put_back(found)
        _mend(found)
    except Exception:  # it raises whatever it trips over
        return f'<span class="plain">{html.escape(plain(maths))}</span>'
    del found.attrib["xmlns"]
    if layout == "inline":
        del found.attrib["display"]
    return tostring(found, encoding="unicode")


_FIRST_PLACEHOLDER = 0xE000  # of the characters that Unicode leaves to private use
_LEAF = re.compile(
    r"(?P<micro>\\mu)?\\(?P<command>text|textrm|mathrm|operatorname|mathit|mathbf)"
    r"\{(?P<words>(?:[^{}\\]|\\[A-Za-z]+\{\}|\\[^A-Za-z])*)\}"
    r"|\\(?P<bar>[lr])vert(?![A-Za-z])"
    r"|(?P<number>\d+(?:\\,\d{3})+(?:\.\d+)?|\d+\.\d+(?:\\,\d+)+)"
)


class _Leaves:
    r"""The words, long numbers and bars of a formula, which pass by the converter.

    It would write a word in `\mathrm` letter by letter and a single letter or a micro sign slanted, cut a number,
    read escaped characters of `\text` as they stand, and take the two bars of an absolute value for one sign.
    """

    def __init__(self) -> None:
        self._matches: dict[str, re.Match[str]] = {}

    def taken_out(self, maths: str) -> str:
        return _LEAF.sub(self._take_out, maths)

    def _take_out(self, match: re.Match[str]) -> str:
        placeholder = chr(_FIRST_PLACEHOLDER + len(self._matches))
        self._matches[placeholder] = match
        return placeholder

    def put_back(self, found: Element) -> None:
        for one in found.iter():
            if one.text in self._matches:
                _fill(one, self._matches[one.text])
            elif one.text:
                one.text = html.unescape(one.text)
                if one.text.startswith("\\"):
                    raise ValueError(f"{one.text} is not known")
                if one.tag == "mi" and len(one.text) > 1:  # log, sin
                    one.tag = "mo"


def _fill(leaf: Element, match: re.Match[str]) -> None:
    leaf.attrib.clear()
    if match["number"]:
        leaf.tag, leaf.text = "mn", match["number"].replace(r"\,", "\N{NARROW NO-BREAK SPACE}")
        return
    if match["bar"]:
        leaf.tag, leaf.text = "mo", "|"
        leaf.attrib.update(form="prefix" if match["bar"] == "l" else "postfix", stretchy="false")
        return
    micro = "μ" if match["micro"] else ""
    leaf.text = micro + unescape(match["words"]).replace(" ", "\N{NO-BREAK SPACE}")
    if match["command"] in ("text", "textrm"):
        leaf.tag = "mtext"
    elif match["command"] in ("mathit", "mathbf"):
        leaf.tag = "mi"
        leaf.set("class", match["command"])
    elif match["command"] == "operatorname":
        leaf.tag = "mo"
    else:
        leaf.tag = "mi"
        if len(leaf.text) == 1:  # which would be slanted
            leaf.set("mathvariant", "normal")


# Which elements have as many children as they please, and how many the others have.
_ROWS = ("math", "mrow", "mtd", "msqrt", "mstyle")
_PARTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3}
_SCRIPTS = ("msub", "msup", "msubsup")
_LETTERS = ("∞", "∂")
_FENCES = ("⌈", "⌉", "⌊", "⌋")
_SIGNS = ("\N{MINUS SIGN}", "+")
_WITH_LIMITS = ("lim", "max", "min")
_THIN = "0.167em"


def _mend(parent: Element) -> None:
    """What the converter has wrong, or leaves to the browser's guess, in place and from the leaves up."""
    for child in parent:
        _mend(child)
    if len(parent) != _PARTS.get(parent.tag, len(parent)):
        raise ValueError(f"a part of {parent.tag} is missing")
    if parent.tag in _SCRIPTS:
        _mend_scripts(parent)
    if parent.tag == "mstyle" and "mathcolor" in parent.attrib:  # a colour is for the style sheet to choose
        parent.tag = "mrow"
        parent.set("class", parent.attrib.pop("mathcolor"))
    row = _mended_row(parent)
    if parent.tag in ("math", "mtd", "msqrt") and len(row) == 1 and row[0].tag == "mrow" and not row[0].attrib:
        row = list(row[0])
    parent[:] = row


def _mend_scripts(scripted: Element) -> None:
    base, *scripts = scripted
    for comma in (operator for script in scripts for operator in script.iter("mo") if operator.text == ","):
        comma.set("rspace", "0")
    if scripted.tag == "msub" and base.tag == "mo" and base.text in _WITH_LIMITS:
        scripted.tag = "munder"  # which stands below in a display, and beside in a line
        base.attrib.update(movablelimits="true", lspace="0", rspace=_THIN)


def _mended_row(parent: Element) -> list[Element]:
    """The children with their operators mended, names of functions apart from what is beside them, and no idle rows."""
    children = list(parent)
    row: list[Element] = []
    for before, child, after in zip([None, *children], children, [*children[1:], None], strict=False):
        _mend_operator(child, before)
        base = child[0] if child.tag in _SCRIPTS else child
        if _is_name(base) and parent.tag in _ROWS:
            base.tag = "mi"
            row += [_thin_space()] if before is not None and before.tag != "mo" else []
            row += [child] if after is None else [child, _application(after)]
        elif child.tag == "mrow" and not child.attrib and len(child) == 1:
            row.append(child[0])
        elif child.tag != "mo" or child.text:  # an empty one is \right.
            row.append(child)
    return row


def _is_name(element: Element) -> bool:
    """Whether it is the name of a function, which the converter gives the wide spaces of an operator."""
    text = element.text or ""
    return element.tag == "mo" and len(text) > 1 and text.isalpha() and text != "mod"


def _application(after: Element) -> Element:
    """What stands between a function and what it is applied to: nothing that is seen, or a thin space."""
    first = after[0] if after.tag == "mrow" and len(after) else after
    if first.tag == "mo":
        applied = Element("mo")
        applied.text = "\N{FUNCTION APPLICATION}"
        return applied
    return _thin_space()


def _thin_space() -> Element:
    return Element("mspace", width=_THIN)


def _mend_operator(operator: Element, before: Element | None) -> None:
    text = operator.text or ""
    if text in _LETTERS:
        operator.tag = "mi"
    elif text and text in _FENCES:
        operator.tag = "mo"
        operator.attrib.setdefault("stretchy", "false")
    if operator.tag != "mo":
        return
    if text in ("/", "|") and "form" not in operator.attrib:  # set without the spaces of a relation
        operator.attrib.update(lspace="0", rspace="0")
    elif text in _SIGNS and (before is None or (before.tag == "mo" and not _closes(before))):
        operator.set("form", "prefix")  # a browser goes by the place in the row alone, and would set it as a difference


def _closes(operator: Element) -> bool:
    return operator.get("form") == "postfix" or operator.text in (")", "]", "}", "⌉", "⌋")
