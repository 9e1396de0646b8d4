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
from collections.abc import Mapping

from symroof.declared import Step
from symroof.derivation import DerivationGraph
from symroof.errors import AuthoringError
from symroof.latex import escape, grouped
from symroof.prose import untraced
from symroof.symbols import default_latex

_FUNCTIONS = {
    "largest": r"\max",
    "smallest": r"\min",
    "max": r"\max",
    "min": r"\min",
    "next_divisor": r"\mathrm{nextdivisor}",
}
_FIRST_PLACEHOLDER = 0xE000  # the characters for private use, which are in no one's formula
_PLACEHOLDER = "[\ue000-\uf8ff]"
_SIMPLE = re.compile(r"[0-9.,\\]+|(?![0-9]|\\frac)[^\^/+]+")  # what can bear an exponent as it is
_NEXT_DIVISOR = re.compile(r"\\mathrm\{nextdivisor\}\\left\( ([^(),]+), ([^(),]+) \\right\)")  # without brackets in it
_ONE_NUMBER = re.compile(r"[0-9.]+(?:e-?[0-9]+)?(?: \S+)?")  # with or without a unit, in plain text


def formula(derivation: DerivationGraph, step: Step) -> str:
    """The right-hand side with its symbols: `c m k n`, `\\max\\left( t_1, t_2 \\right)`.

    Raises AuthoringError for a formula that cannot be typeset as it stands.
    """
    symbols = {own: derivation.latex_of(name) for own, name in _names(step).items()}
    latex, known = _typeset(step, symbols)
    return _finished(_without_dots(latex, known), known)


def substituted(step: Step, numbers: Mapping[str, str]) -> str:
    """The right-hand side with `numbers`, ready LaTeX, in place of its parameters, and every product visible."""
    shown = {own: numbers[name] for own, name in _names(step).items()}
    for name, number in shown.items():
        if re.search(r"^-| [+-] ", number):  # a sign must not stand behind an operator
            shown[name] = rf"\left( {number} \right)"
    latex, known = _typeset(step, shown)
    return _finished(_with_visible_products(latex), known)


def source_line(step: Step, numbers: Mapping[str, str] | None = None) -> str:
    """The formula in plain text, as the author wrote it and as the parser reads it: `c*m*k*n`.

    With `numbers` in place of its parameters the operators stand apart: `2 FLOP * 8192 * 512`.
    """
    names = _names(step)
    shown = names if numbers is None else {own: numbers[name] for own, name in names.items()}
    tree = _PlainNames(shown).visit(_tree(step))
    text = "; ".join(_cases(_without_guards(tree.body)))
    joined = {" ** ": "^", "**": "^"} | ({} if numbers else {" * ": "*", " / ": "/"})
    in_quotes = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
    return re.sub(rf"{in_quotes}| ?\*\* ?| [*/] ", lambda match: joined.get(match[0], match[0]), text)


def _names(step: Step) -> dict[str, str]:
    """The quantity behind each of the function's own parameters."""
    return dict(zip(step.own, step.parameters, strict=True))


def _typeset(step: Step, shown: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """latexify's LaTeX with placeholders for names and labels, and what each of them stands for."""
    from latexify.codegen import FunctionCodegen
    from latexify.exceptions import LatexifyError

    simplified = _Simplified(shown)
    tree = simplified.visit(_tree(step))
    try:
        latex = FunctionCodegen(use_signature=False).visit(ast.Module(body=[tree], type_ignores=[]))
    except LatexifyError as error:
        raise AuthoringError(
            f"step {step.name} cannot be typeset as written: {error}",
            "use one return, or if/elif/else with a return in each branch, and plain assignments before it",
        ) from None
    return _tidied(latex, simplified.called), simplified.known


def _tree(step: Step) -> ast.FunctionDef:
    """The function's syntax tree without its docstring. Raises AuthoringError where there is no source."""
    try:
        if getattr(step.written, "__code__", None) and step.written.__code__.co_filename == "<string>":
            raise OSError  # made by exec; Python 3.13 would look in the text of `python -c`
        source = inspect.getsource(step.written)
        module = ast.parse(f"if True:\n{source}" if source[:1].isspace() else source)
    except (OSError, TypeError, SyntaxError):
        raise AuthoringError(
            f"the source of step {step.name} is not to be had", "write the derivation in a file and load that"
        ) from None
    tree = module.body[0].body[0] if isinstance(module.body[0], ast.If) else module.body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise AuthoringError(f"step {step.name} is no plain function", "write it with def")
    if ast.get_docstring(tree) is not None:
        tree.body = tree.body[1:]
    around = inspect.getclosurevars(step.written)
    constants = {name: number for name, number in {**around.globals, **around.nonlocals}.items() if type(number) is int}
    return _Plainer(tree.args.vararg.arg if tree.args.vararg else "", step.own, constants).visit(tree)  # type: ignore[no-any-return]


class _Plainer(ast.NodeTransformer):
    """What is only Python, taken out of a formula.

    total(a, b) becomes a + b, `*terms` its terms, a whole number of the file its digits; functions lose their module,
    assignments their annotation.
    """

    def __init__(self, terms: str, names: tuple[str, ...], constants: Mapping[str, int]) -> None:
        self.terms = terms
        self.names = names
        self.constants = constants

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(self.constants[node.id]) if node.id in self.constants else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        nothing = isinstance(node.right, ast.Constant) and node.right.value == 0
        return node.left if nothing and isinstance(node.op, (ast.Add, ast.Sub)) else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.decorator_list = []
        node.returns = None
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return node
        return ast.Assign(targets=[node.target], value=self.visit(node.value), lineno=node.lineno)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.args = [given for argument in node.args for given in self._given(argument)]
        if isinstance(node.func, ast.Attribute):
            node.func = ast.Name(id=node.func.attr, ctx=ast.Load())
        if isinstance(node.func, ast.Name) and node.func.id == "total" and node.args:
            return functools.reduce(lambda left, right: ast.BinOp(left=left, op=ast.Add(), right=right), node.args)
        return node

    def _given(self, argument: ast.expr) -> list[ast.expr]:
        inside = argument.value if isinstance(argument, ast.Starred) else None
        if isinstance(inside, ast.Name) and inside.id == self.terms:
            return [ast.Name(id=name, ctx=ast.Load()) for name in self.names]
        return [argument]


class _Simplified(ast.NodeTransformer):
    """The tree in the form latexify knows: placeholders for names and labels, guards as if/else, clear signs.

    `known` says what each placeholder stands for, `called` what those do that are functions.
    """

    def __init__(self, shown: Mapping[str, str]) -> None:
        self.known: dict[str, str] = {}
        self.called: dict[str, str] = {}
        self._of_name = {name: self._new(self.known, latex) for name, latex in shown.items()}

    def _new(self, meanings: dict[str, str], latex: str) -> str:
        placeholder = chr(_FIRST_PLACEHOLDER + len(self.known) + len(self.called))
        meanings[placeholder] = latex
        return placeholder

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = _without_guards([self.visit(statement) for statement in node.body])
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id not in self._of_name:
            self._of_name[node.id] = self._new(self.known, default_latex(node.id))
        return ast.Name(id=self._of_name[node.id], ctx=node.ctx)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, str):  # a label
            return ast.Name(id=self._new(self.known, rf"\text{{{escape(node.value)}}}"), ctx=ast.Load())
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _FUNCTIONS:
            name = self._new(self.called, _FUNCTIONS[name])
        return _call(name, *(self.visit(argument) for argument in node.args))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(operand, ast.UnaryOp) and isinstance(operand.op, ast.USub):
            return operand.operand  # --x
        return ast.UnaryOp(op=node.op, operand=self._in_brackets(operand, isinstance(operand, ast.IfExp)))

    def visit_BinOp(self, node: ast.BinOp) -> ast.BinOp:
        left, right = self.visit(node.left), self.visit(node.right)
        if not isinstance(node.op, (ast.Div, ast.FloorDiv)):
            signed = isinstance(node.op, ast.Mod) and _starts_with_sign(left)
            left = self._in_brackets(left, _is_loose(left) or signed)
            if not isinstance(node.op, ast.Pow):
                right = self._in_brackets(right, _is_loose(right) or _starts_with_sign(right))
        return ast.BinOp(left=left, op=node.op, right=right)

    def _in_brackets(self, node: ast.expr, needed: bool) -> ast.expr:
        """Brackets that latexify would leave out: a call of a function without a name."""
        return _call(self._new(self.called, ""), node) if needed else node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=list(arguments), keywords=[])


def _is_loose(node: ast.expr) -> bool:
    """Whether the writing runs into what stands beside it: cases have no right end, and mod looks like a product."""
    return isinstance(node, ast.IfExp) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod))


def _starts_with_sign(node: ast.expr) -> bool:
    while isinstance(node, ast.BinOp) and not isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Pow)):
        node = node.left
    return isinstance(node, ast.UnaryOp)


def _without_guards(body: list[ast.stmt]) -> list[ast.stmt]:
    """`if a: return x` followed by more becomes `if a: return x` / `else: more`, at every depth."""
    for at, statement in enumerate(body):
        if isinstance(statement, ast.Return):
            return body[: at + 1]
        if isinstance(statement, ast.If):
            after = body[at + 1 :]
            statement.body = _without_guards([*statement.body, *after])
            statement.orelse = _without_guards([*statement.orelse, *after])
            return [*body[:at], statement]
    return body


class _PlainNames(ast.NodeTransformer):
    """The functions under the names that the parser reads, and numbers in place of parameters."""

    def __init__(self, numbers: Mapping[str, str]) -> None:
        self.numbers = numbers

    def visit_Name(self, node: ast.Name) -> ast.Name:
        shown = {"largest": "max", "smallest": "min"}.get(node.id, node.id)
        if node.id in self.numbers:
            number = self.numbers[node.id]
            shown = number if number.isidentifier() or _ONE_NUMBER.fullmatch(number) else f"({number})"
        return ast.Name(id=shown, ctx=node.ctx)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.FloorDiv):
            return _call("floor", ast.BinOp(left=node.left, op=ast.Div(), right=node.right))
        if isinstance(node.op, ast.Pow) and isinstance(node.left, ast.Name) and re.search("[0-9] ", node.left.id):
            node.left.id = f"({node.left.id})"  # else the unit alone would be raised
        return node


def _cases(body: list[ast.stmt], conditions: tuple[ast.expr, ...] = (), otherwise: str = "") -> list[str]:
    """One piece of text for each assignment and each case; of the cases the first that applies counts."""
    lines: list[str] = []
    for statement in body:
        if isinstance(statement, ast.If):
            lines += _cases(statement.body, (*conditions, statement.test), otherwise)
            lines += _cases(statement.orelse, conditions, " otherwise")
            continue
        returned = statement.value if isinstance(statement, ast.Return) and statement.value else statement
        test = (
            ast.BoolOp(op=ast.And(), values=list(conditions)) if len(conditions) > 1 else next(iter(conditions), None)
        )
        lines.append(ast.unparse(returned) + (f" if {ast.unparse(test)}" if test else otherwise))
    return lines


def _without_dots(latex: str, known: Mapping[str, str]) -> str:
    r"""Factors side by side, except before a number or a fraction behind one; a thin space beside upright words."""
    latex = re.sub(r"(?<![0-9]) \\cdot (?![0-9-])|(?<=[0-9]) \\cdot (?![0-9-]|\\frac)", " ", latex)
    latex = re.sub(r"(?<=[0-9]) (?=\\frac\{[0-9])", r" \\cdot ", latex)

    def spaced(match: re.Match[str]) -> str:
        words = any(known[symbol].startswith(r"\mathrm{") for symbol in match.group(1, 2))
        return rf"{match[1]} \, " if words else match[0]

    return re.sub(rf"({_PLACEHOLDER}) (?=({_PLACEHOLDER}))", spaced, latex)


def _with_visible_products(latex: str) -> str:
    r"""A `\times` wherever two factors would stand side by side with nothing but a blank between them."""
    latex = latex.replace(r" \cdot ", r" \times ")
    ends = rf"(?:{_PLACEHOLDER}|\\right\)|\\right\\rceil|\\right\\rfloor|\\right\||[0-9]|(?<!\{{l)(?<!\{{ll)\}})"
    starts = rf"(?:{_PLACEHOLDER}|\\left|\\frac|\\sqrt|\\max|\\min|\\mathrm)"
    return re.sub(rf"({ends}) (?={starts})", r"\1 \\times ", latex)


def _tidied(latex: str, called: Mapping[str, str]) -> str:
    """latexify's spelling in the usual one."""
    latex = latex.replace(r"\mathopen{}\left", r"\left").replace(r"\mathclose{}\right", r"\right")
    for placeholder, name in called.items():
        latex = latex.replace(f"{placeholder} ", name)
    latex = latex.replace(r"\mathbin{\%}", r"\bmod")
    latex = _NEXT_DIVISOR.sub(r"\\min\\left\\{ d \\ge \2 : d \\mid \1 \\right\\}", latex)
    return re.sub(r"\\mathrm\{if\} \\ ", r"\\text{if }", latex).replace(r"\mathrm{otherwise}", r"\text{otherwise}")


def _finished(latex: str, known: Mapping[str, str]) -> str:
    """Long numbers grouped, and what is shown in place of its placeholders, in brackets where it is raised."""
    latex = re.sub(r"(?<![\w.])\d{5,}(?![\w.])", lambda match: grouped(match[0]), latex)

    def put_in(match: re.Match[str]) -> str:
        shown = known[match[1]]
        brackets = match[2] and not _SIMPLE.fullmatch(untraced(shown))
        return rf"\left( {shown} \right)^" if brackets else f"{shown}{match[2]}"

    return re.sub(rf"({_PLACEHOLDER})(\^?)", put_in, latex)
