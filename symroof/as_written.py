r"""The first reading: a formula in LaTeX exactly as its author wrote it.

One pipeline of named steps: parse the source, bring it into the form latexify knows, put placeholders for the
names, let latexify typeset it, and put symbols or numbers where the placeholders are. The placeholders are single
letters that no formula uses, since latexify joins only single letters without a `\cdot`.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
from collections.abc import Mapping

from symroof.derivation import DerivationGraph, Step, default_latex
from symroof.errors import AuthoringError
from symroof.latex import escape, grouped

_FUNCTIONS = {"largest": r"\max", "smallest": r"\min", "max": r"\max", "min": r"\min"}
_FIRST_PLACEHOLDER = 0xAC00  # Hangul syllables: Python identifiers, no numerals, and in no one's formula
_PLACEHOLDER = "[\uac00-\ud7a3]"


def formula(derivation: DerivationGraph, step: Step) -> str:
    """The right-hand side with its symbols: `c m k n`, `\\max\\left( t_1, t_2 \\right)`.

    Raises AuthoringError for a formula that cannot be typeset as it stands.
    """
    latex, placeholders = _typeset(step)
    shown = {placeholders[name]: derivation.latex_of(name) for name in step.parameters}
    return _finished(_without_dots(latex, shown), shown)


def substituted(step: Step, numbers: Mapping[str, str]) -> str:
    """The right-hand side with `numbers`, ready LaTeX, in place of its parameters, and every product visible."""
    latex, placeholders = _typeset(step)
    shown = {placeholders[name]: numbers[name] for name in step.parameters}
    return _finished(_with_visible_products(latex), shown)


def source_line(step: Step) -> str:
    """The formula in plain text, as the author wrote it and as the parser reads it: `c*m*k*n`."""
    lines = _plain(_without_guards(_tree(step).body))
    return "; ".join(lines).replace(" ** ", "^").replace(" * ", "*").replace(" / ", "/")


def _typeset(step: Step) -> tuple[str, dict[str, str]]:
    """latexify's LaTeX with placeholders for the parameters, and which placeholder stands for which name."""
    from latexify.codegen import FunctionCodegen
    from latexify.exceptions import LatexifyError

    simplified = _Simplified(step.parameters)
    tree = simplified.visit(_tree(step))
    try:
        latex = FunctionCodegen(use_signature=False).visit(ast.Module(body=[tree], type_ignores=[]))
    except LatexifyError as error:
        raise AuthoringError(
            f"step {step.name} cannot be typeset as written: {error}",
            "use one return, or if/elif/else with a return in each branch, and plain assignments before it",
        ) from None
    latex = re.sub(_PLACEHOLDER, lambda match: simplified.known.get(match[0], match[0]), latex)
    return _tidied(latex), simplified.placeholders


def _tree(step: Step) -> ast.FunctionDef:
    """The function's syntax tree without its docstring. Raises AuthoringError where there is no source."""
    try:
        module = ast.parse(textwrap.dedent(inspect.getsource(step.function)))
    except (OSError, TypeError, SyntaxError):
        raise AuthoringError(
            f"the source of step {step.name} is not to be had", "write the derivation in a file and load that"
        ) from None
    tree = module.body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise AuthoringError(f"step {step.name} is no plain function", "write it with def")
    if ast.get_docstring(tree) is not None:
        tree.body = tree.body[1:]
    return tree


class _Simplified(ast.NodeTransformer):
    """The tree in the form latexify knows: placeholders for names, guards as if/else, clean numbers, sums.

    `placeholders` says which stands for which name, `known` what those mean that are not parameters.
    """

    def __init__(self, parameters: tuple[str, ...]) -> None:
        self.placeholders: dict[str, str] = {}
        self.known: dict[str, str] = {}
        for name in parameters:
            self._placeholder(name)

    def _placeholder(self, name: str, meaning: str | None = None) -> str:
        if name not in self.placeholders:
            self.placeholders[name] = chr(_FIRST_PLACEHOLDER + len(self.placeholders))
            if meaning is not None:
                self.known[self.placeholders[name]] = meaning
        return self.placeholders[name]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.decorator_list = []
        node.returns = None
        node.body = _without_guards([self.visit(statement) for statement in node.body])
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return node
        return ast.Assign(targets=[self.visit(node.target)], value=self.visit(node.value), lineno=node.lineno)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(id=self._placeholder(node.id, default_latex(node.id)), ctx=node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        arguments = [self.visit(argument) for argument in node.args]
        if name == "total" and arguments:
            return _sum(arguments)
        called = self._placeholder(name, _FUNCTIONS[name]) if name in _FUNCTIONS else name
        return ast.Call(func=ast.Name(id=called, ctx=ast.Load()), args=arguments, keywords=[])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(operand, ast.UnaryOp) and isinstance(operand.op, ast.USub):
            return operand.operand  # --x
        return ast.UnaryOp(op=node.op, operand=operand)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, str):  # a label
            return ast.Name(id=self._placeholder(repr(node.value), rf"\text{{{escape(node.value)}}}"), ctx=ast.Load())
        return node


def _without_guards(body: list[ast.stmt]) -> list[ast.stmt]:
    """`if a: return x` followed by more becomes `if a: return x` / `else: more`."""
    for at, statement in enumerate(body[:-1]):
        if isinstance(statement, ast.If) and not statement.orelse:
            statement.orelse = _without_guards(body[at + 1 :])
            return [*body[:at], statement]
    return body


def _sum(terms: list[ast.expr]) -> ast.expr:
    return functools.reduce(lambda left, right: ast.BinOp(left=left, op=ast.Add(), right=right), terms)


class _PlainNames(ast.NodeTransformer):
    """largest and smallest under the names that the parser reads, and total as a sum."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(id={"largest": "max", "smallest": "min"}.get(node.id, node.id), ctx=node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return _sum(node.args) if isinstance(node.func, ast.Name) and node.func.id == "total" else node


def _plain(body: list[ast.stmt]) -> list[str]:
    """One piece of text for each assignment and each case."""
    lines: list[str] = []
    for statement in body:
        if isinstance(statement, ast.If):
            lines += [f"{case} if {_text(statement.test)}" for case in _plain(statement.body)]
            others = _plain(_without_guards(statement.orelse))
            lines += others if len(others) > 1 else [f"{case} otherwise" for case in others]
        elif isinstance(statement, ast.Return) and statement.value is not None:
            lines.append(_text(statement.value))
        else:
            lines.append(_text(statement))
    return lines


def _text(node: ast.AST) -> str:
    return ast.unparse(_PlainNames().visit(node))


def _without_dots(latex: str, shown: Mapping[str, str]) -> str:
    r"""Factors side by side, except before a number; a thin space where an upright word touches another factor."""
    latex = re.sub(r" \\cdot (?![0-9-])", " ", latex)

    def spaced(match: re.Match[str]) -> str:
        words = any(shown.get(symbol, "").startswith(r"\mathrm{") for symbol in match.group(1, 2))
        return rf"{match[1]} \, {match[2]}" if words else match[0]

    return re.sub(rf"({_PLACEHOLDER}) (?=({_PLACEHOLDER}))", lambda match: spaced(match).removesuffix(match[2]), latex)


def _with_visible_products(latex: str) -> str:
    r"""A `\times` wherever two factors would stand side by side with nothing but a blank between them."""
    latex = latex.replace(r" \cdot ", r" \times ")
    ends = rf"(?:{_PLACEHOLDER}|\\right\)|\\right\\rceil|\\right\\rfloor|[0-9]|(?<!\{{l)(?<!\{{ll)\}})"
    starts = rf"(?:{_PLACEHOLDER}|\\left\(|\\left\\lceil|\\left\\lfloor|\\frac|\\sqrt)"
    return re.sub(rf"({ends}) (?={starts})", r"\1 \\times ", latex)


def _tidied(latex: str) -> str:
    """latexify's spelling in the usual one."""
    latex = latex.replace(r"\mathopen{}\left", r"\left").replace(r"\mathclose{}\right", r"\right")
    latex = re.sub(r"(\\max|\\min) \\left", r"\1\\left", latex)
    return re.sub(r"\\mathrm\{if\} \\ ", r"\\text{if }", latex).replace(r"\mathrm{otherwise}", r"\text{otherwise}")


def _finished(latex: str, shown: Mapping[str, str]) -> str:
    """Long numbers grouped, and what is shown in place of its placeholders."""
    latex = re.sub(r"(?<![\w.])\d{5,}(?![\w.])", lambda match: grouped(match[0]), latex)
    return re.sub(_PLACEHOLDER, lambda match: shown[match[0]], latex)
