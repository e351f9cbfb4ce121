"""Everything public is typed in the book's package and in ``reproductions`` too, where ruff lets private functions go without."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = (
    ROOT / "book" / "set_up.py",
    *sorted((ROOT / "book" / "fairfl_book").rglob("*.py")),
    *sorted((ROOT / "reproductions").rglob("*.py")),
)


def _public(body: list[ast.stmt], method: bool = False) -> Iterator[tuple[ast.FunctionDef, bool]]:
    """The functions and methods of a module, each with whether its first parameter is its object; none inside another function."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _public(node.body, method=True)
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from _public(node.body, method)
        elif isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name.endswith("__")):
            static = any(isinstance(by, ast.Name) and by.id == "staticmethod" for by in node.decorator_list)
            yield node, method and not static


def untyped(source: str) -> list[str]:
    """What the public functions of a module leave without a type: "f: x" for a parameter, "f: return" for the answer."""
    found = []
    for function, bound in _public(ast.parse(source).body):
        given = function.args
        taken = [*given.posonlyargs, *given.args][bound:] + given.kwonlyargs
        taken += [rest for rest in (given.vararg, given.kwarg) if rest]
        found += [f"{function.name}: {one.arg}" for one in taken if one.annotation is None]
        found += [f"{function.name}: return"] if function.returns is None else []
    return found


def test_everything_public_is_typed():
    assert len(FILES) > 100
    lacking = {str(path.relative_to(ROOT)): untyped(path.read_text(encoding="utf-8")) for path in FILES}
    assert {path: found for path, found in lacking.items() if found} == {}


def test_what_lacks_a_type_is_found():
    source = """
def f(a, *b, c: int, **d) -> None: ...
def _g(a): ...
class C:
    def __init__(self): ...
    @staticmethod
    def s(x) -> None:
        def inside(y): ...
    def m(self, x: int) -> int: ...
"""
    assert untyped(source) == ["f: a", "f: b", "f: d", "__init__: return", "s: x"]
