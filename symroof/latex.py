"""Text inside a LaTeX document: what is text stays text, whatever characters it has."""

from __future__ import annotations

import re

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
_MATHS = re.compile(r"(?<!\\)\$((?:[^$\\]|\\.)+?)(?<!\\)\$")


def escape(text: str) -> str:
    """The text with every character that TeX would act on made to print itself."""
    return "".join(_SPECIAL.get(char, char) for char in text)


def split_maths(text: str) -> list[tuple[bool, str]]:
    """A sentence cut at its `$...$` spans: (True, maths) and (False, text) in turn.

    A lone dollar sign, or one behind a backslash, is text.
    """
    parts: list[tuple[bool, str]] = []
    end = 0
    for match in _MATHS.finditer(text):
        parts += [(False, text[end : match.start()]), (True, match[1])]
        end = match.end()
    return [(maths, part) for maths, part in [*parts, (False, text[end:])] if part]


def grouped(digits: str) -> str:
    r"""A run of digits with thin spaces between groups of three from five digits on: `1\,048\,576`."""
    if len(digits) < 5:
        return digits
    head = len(digits) % 3
    groups = [digits[:head]] if head else []
    return r"\,".join(groups + [digits[at : at + 3] for at in range(head, len(digits), 3)])


# Commands that a sentence's maths may use; anything else is shown as text rather than handed to TeX.
_COMMANDS = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi "
    "varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega "
    "cdot times div pm mp le leq ge geq ne neq approx equiv sim propto infty partial nabla sum prod int in notin to "
    "rightarrow leftarrow Rightarrow mapsto ll gg cdots ldots dots star ast circ prime "
    "frac tfrac dfrac sqrt mathrm mathit mathbf text textrm operatorname left right max min log ln exp lim sin cos "
    "tan lceil rceil lfloor rfloor lvert rvert bar hat tilde vec overline underline quad qquad".split()
)
_REPEATED_SCRIPT = re.compile(r"([\^_])\s*(?:\{[^{}]*\}|\\[A-Za-z]+|[^\s{}\\])\s*\1")


def is_sound_maths(maths: str) -> bool:
    """Whether TeX can set it: balanced, with known commands only, and no script without or upon another."""
    bare = re.sub(r"\\[{}%&#$_,;:! ]", "", maths)
    if any(command not in _COMMANDS for command in re.findall(r"\\([A-Za-z]+)", bare)):
        return False
    if re.search(r"\\(?![A-Za-z])|[%&#$~]|[^\x20-\x7e]", bare):
        return False
    depth = 0
    for char in bare:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    if depth or _REPEATED_SCRIPT.search(bare) or re.search(r"[\^_]\s*(?:[\^_}]|$)", bare):
        return False
    arguments = re.findall(r"\\(?:frac|tfrac|dfrac)(?!\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\s*\{)", bare)
    pairs = len(re.findall(r"\\left(?![A-Za-z])", bare)) == len(re.findall(r"\\right(?![A-Za-z])", bare))
    return not arguments and pairs


def prose(text: str) -> str:
    """A sentence for a LaTeX document: `$...$` stays maths if it is sound, the rest is escaped."""
    return "".join(
        f"${part}$" if maths and is_sound_maths(part) else escape(f"${part}$" if maths else part)
        for maths, part in split_maths(text)
    )


def plain_prose(text: str) -> str:
    """A sentence for the terminal, its maths in plain characters."""
    return "".join(plain(part) if maths else part for maths, part in split_maths(text))


_PLAIN = {
    r"\star": "*",
    r"\times": "×",
    r"\cdot": "·",
    r"\le": "<=",
    r"\ge": ">=",
    r"\approx": "≈",
    r"\infty": "infinity",
    r"\to": "->",
    r"\,": " ",
    r"\%": "%",
    r"\_": "_",
}


def plain(maths: str) -> str:
    """Maths in one line of plain characters: `m^{\\star}` is `m*`, `t_{\\mathrm{mem}}` is `t_mem`."""
    maths = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"(\1)/(\2)", maths)
    maths = re.sub(r"\\(?:mathrm|text|mathit|mathbf|operatorname)\{([^{}]*)\}", r"\1", maths)
    for command, shown in _PLAIN.items():
        end = r"(?![A-Za-z])" if command[-1].isalpha() else ""
        maths = re.sub(re.escape(command) + end, shown, maths)
    maths = re.sub(r"\^\{?\*\}?", "*", maths)
    maths = re.sub(r"\\(?:left|right)(?![A-Za-z])", "", maths)
    return re.sub(r"[{}]", "", re.sub(r"\\([A-Za-z]+)", r"\1", maths))
