"""Text inside a LaTeX document: what is text stays text, whatever characters it has."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
}
_CHAR = {written: char for char, written in _SPECIAL.items()}
_WRITTEN = re.compile("|".join(map(re.escape, _CHAR)))
WEB_ADDRESS = re.compile(r"(https?://[^\s<>|`\\]*[^\s<>|`\\.,;:!?)'\"])")
# As pandoc has it: no blank just inside the dollar signs, no digit after them. "$5 and $6" is money.
_MATHS = re.compile(r"(?<!\\)\$(?!\s)((?:[^$\\]|\\.)+)(?<!\s)\$(?!\d)")


def escape(text: str) -> str:
    """The text with every character that TeX would act on made to print itself."""
    return "".join(_SPECIAL.get(char, char) for char in text)


def unescape(text: str) -> str:
    """The text that `escape` made print itself."""
    return _WRITTEN.sub(lambda match: _CHAR[match[0]], text)


def split_maths(text: str) -> list[tuple[bool, str]]:
    """A sentence cut at its `$...$` spans: (True, maths) and (False, text) in turn.

    A lone dollar sign, a sum of money, or a dollar sign behind a backslash, is text.
    """
    parts: list[tuple[bool, str]] = []
    end = 0
    for match in _MATHS.finditer(text):
        parts += [(False, text[end : match.start()]), (True, match[1])]
        end = match.end()
    parts.append((False, text[end:]))
    return [(maths, part if maths else part.replace(r"\$", "$")) for maths, part in parts if part]


def grouped(digits: str) -> str:
    r"""A run of digits with thin spaces between groups of three from five digits on: `1\,048\,576`."""
    if len(digits) < 5:
        return digits
    head = len(digits) % 3
    groups = [digits[:head]] if head else []
    return r"\,".join(groups + [digits[at : at + 3] for at in range(head, len(digits), 3)])


# Commands that a sentence's maths may use; anything else is shown as text rather than handed to TeX.
_LETTERS = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi "
    "varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega star ast circ prime infty"
)
_OPERATORS = (
    "cdot times div pm mp le leq ge geq ne neq approx equiv sim propto partial nabla sum prod int in notin to "
    "rightarrow leftarrow Rightarrow mapsto ll gg cdots ldots dots max min log ln exp lim sin cos tan "
    "lceil rceil lfloor rfloor lvert rvert quad qquad"
)
_ACCENTS = "mathrm mathit mathbf text textrm operatorname bar hat tilde vec overline underline"


def _one_of(commands: str) -> str:
    return rf"\\(?:{'|'.join(commands.split())})(?![A-Za-z])"


_GROUP, _PAIRED = "\0", "\1"  # stand for what was in braces, and between \left and \right, and is sound
_ARGUMENT = rf"\s*(?:{_GROUP}|[A-Za-z0-9])"
_NUCLEUS = (
    rf"(?:{_one_of('frac tfrac dfrac')}\s*{_GROUP}\s*{_GROUP}|{_one_of('sqrt')}\s*(?:\[[^\\\[\]]*\])?{_ARGUMENT}"
    rf"|{_one_of(_ACCENTS)}{_ARGUMENT}|{_one_of(_LETTERS)}|{_one_of(_OPERATORS)}|[^\\{{}}^_%&#$~'\s])"
)
_SCRIPT = rf"\s*(?:{_GROUP}|{_one_of(_LETTERS)}|[A-Za-z0-9*+-])"
_SCRIPTS = (
    rf"(?:\s*\^{_SCRIPT}(?:\s*_{_SCRIPT})?|\s*_{_SCRIPT}(?:\s*\^{_SCRIPT}|'+)?|'+(?:\^{_SCRIPT})?(?:_{_SCRIPT})?)"
)
_ROW = re.compile(rf"\s*{_SCRIPTS}?(?:\s+|{_NUCLEUS}{_SCRIPTS}?)*")
_WORDS = re.compile(r"[A-Za-z0-9 .,:;!?()/*+=-]*")
_DELIMITER = r"\s*(?:[()\[\]|./<>]|\\[lr](?:vert|ceil|floor)(?![A-Za-z]))"
_PAIR = re.compile(
    rf"\\left(?![A-Za-z]){_DELIMITER}((?:(?!\\left(?![A-Za-z])).)*?)\\right(?![A-Za-z]){_DELIMITER}", re.DOTALL
)
_BRACES = re.compile(r"(\\text(?:rm)?)?\s*\{([^{}]*)\}")


def is_sound_maths(maths: str) -> bool:
    """Whether TeX can set it: balanced, with known commands only, and no script without or upon another.

    What is in braces is judged from the inside out, and each sound group then stands as one character.
    """
    if re.search(r"[^\x20-\x7e\n]|\n\s*\n", maths):
        return False
    row = re.sub(r"\\[{}]", "|", maths)
    row = re.sub(r"\\[%&#$_,;:! ]", ";", row)
    while group := _BRACES.search(row):
        sound = _WORDS.fullmatch(group[2]) if group[1] else _is_sound_row(group[2])
        if not sound:
            return False
        row = f"{row[: group.start()]}{group[1] or ''}{_GROUP}{row[group.end() :]}"
    return _is_sound_row(row)


def _is_sound_row(row: str) -> bool:
    while pair := _PAIR.search(row):
        if not _ROW.fullmatch(pair[1]):
            return False
        row = f"{row[: pair.start()]}{_PAIRED}{row[pair.end() :]}"
    return _ROW.fullmatch(row) is not None


def prose(text: str) -> str:
    """A sentence for a LaTeX document: `$...$` stays maths if it is sound, the rest is escaped."""
    return "".join(f"${part}$" if maths else escape(part) for maths, part in split_sound_maths(text))


def split_sound_maths(text: str) -> Iterator[tuple[bool, str]]:
    """As `split_maths`, but maths that is not sound is text, with its dollars."""
    for maths, part in split_maths(text):
        sound = maths and is_sound_maths(part)
        yield sound, f"${part}$" if maths and not sound else part


def plain_prose(text: str) -> str:
    """A sentence for the terminal, its maths in plain characters."""
    return "".join(
        plain(part) if maths and is_sound_maths(part) else f"${part}$" if maths else part
        for maths, part in split_maths(text)
    )


_PLAIN = {
    r"\star": "*",
    r"\times": "×",
    r"\cdot": "·",
    r"\leq": "<=",
    r"\le": "<=",
    r"\geq": ">=",
    r"\ge": ">=",
    r"\approx": "≈",
    r"\infty": "infinity",
    r"\to": "->",
    r"\left": "",
    r"\right": "",
    r"\{": "(",
    r"\}": ")",
    r"\,": " ",
    r"\%": "%",
    r"\_": "_",
}
# From the inside out: what each pattern finds has no braces in it any more.
_UNBRACED = (
    (re.compile(r"\\[td]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), lambda of: f"{_bound(of[1])}/{_bound(of[2])}"),
    (re.compile(r"\\sqrt\s*\{([^{}]*)\}"), lambda of: f"sqrt({of[1]})"),
    (re.compile(r"\\l(ceil|floor)\b(.*?)\\r\1\b"), lambda of: f"{of[1]}({of[2].strip()})"),
    (re.compile(r"\\(?:mathrm|mathit|mathbf|text|textrm|operatorname)\s*\{([^{}]*)\}"), lambda of: of[1]),
    (re.compile(r"\^\s*\{([^{}]*)\}"), lambda of: f"^{_bound(of[1])}"),
    (re.compile(r"(?<!frac)(?<!\})\{([^{}]*)\}"), lambda of: of[1]),
)


def plain(maths: str) -> str:
    """Maths in one line of plain characters: `m^{\\star}` is `m*`, `t_{\\mathrm{mem}}` is `t_mem`."""
    for command, shown in _PLAIN.items():
        end = r"(?![A-Za-z])" if command[-1].isalpha() else ""
        maths = re.sub(re.escape(command) + end, shown, maths)
    before = ""
    while maths != before:
        before = maths
        for pattern, written in _UNBRACED:
            maths = pattern.sub(written, maths)
    maths = maths.replace("^*", "*")
    return re.sub(r"[{}]", "", re.sub(r"\\([A-Za-z]+)", r"\1", maths))


def _bound(maths: str) -> str:
    """In parentheses, unless it is one name or number."""
    return maths if re.fullmatch(r"\\?[\w.*]+", maths) else f"({maths})"
