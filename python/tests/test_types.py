"""The types for editors say what the module does."""

import ast
import importlib
import pathlib
import re
import subprocess
import sys

import pytest

import orbis

HERE = pathlib.Path(orbis.__file__).parent


def members(tree):
    """The names of a class in a stub, and whether each is a property."""
    return {node.name: any(getattr(mark, "id", "") == "property" for mark in node.decorator_list)
            for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", ["_worlds", "_packets"])
def test_the_types_name_what_the_module_has(name):
    module = importlib.import_module(f"orbis.{name}")
    stub = ast.parse((HERE / f"{name}.pyi").read_text())
    described = {node.name: members(node) for node in stub.body
                 if isinstance(node, ast.ClassDef) and not node.bases}
    compiled = {key: value for key, value in vars(module).items() if isinstance(value, type)}
    assert described.keys() == compiled.keys()
    for key, type_ in compiled.items():
        found = {member: isinstance(value, property) for member, value in vars(type_).items()
                 if not member.startswith("_") or member in described[key]}
        assert found == described[key], key
    functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    assert functions == {key for key, value in vars(module).items()
                         if callable(value) and not isinstance(value, type) and not key.startswith("_")}


@pytest.mark.parametrize("type_", [orbis.Block, orbis.Chunk, orbis.Edit, orbis.Section, orbis.World])
def test_the_types_name_arguments_as_the_module_does(type_):
    stub = ast.parse((HERE / "_worlds.pyi").read_text())
    tree = next(node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == type_.__name__)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and not node.decorator_list:
            wanted = [argument.arg for argument in node.args.args[1:] + node.args.kwonlyargs]
            said = re.findall(r"(?:\(|, )(\w+):", vars(type_)[node.name].__doc__.splitlines()[0])
            assert [argument for argument in said if argument != "self" and argument != "arg0"] == wanted, node.name


def test_the_tutorial_has_right_types(tmp_path):
    settings = tmp_path / "mypy.ini"  # the types of numpy are many, and take half a minute to read
    settings.write_text("[mypy]\nallow_untyped_globals = True\n[mypy-numpy.*]\nfollow_imports = skip\n")
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
    blocks = page.read_text().split("```python\n")[1:]
    program = tmp_path / "tutorial.py"
    program.write_text("stream = b''\n" + "\n".join(block.split("```")[0] for block in blocks).replace("…", ""))
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", settings, "--cache-dir", "/dev/null", program,
                           HERE], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
