# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads exported files with parsers that are not Shardwise's and prints what they say.

flatten.py toml|python|shell FILE...   One line per value: file number, path, type, value. Fails
where a parser refuses the file.
"""
import ast
import re
import shlex
import subprocess
import sys
import tomllib


def walk(value, path):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from walk(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        yield path, "list", " ".join(str(item) for item in value)
    else:
        yield path, type(value).__name__, str(value)


def toml(text):
    yield from walk(tomllib.loads(text), "")


def constant(node):
    """The value of an expression of constants and products, else its source."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        left, right = constant(node.left), constant(node.right)
        return "int", str(int(left[1]) * int(right[1]))
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return "code", ast.unparse(node)
    if isinstance(value, (list, tuple)):
        return "list", " ".join(str(item) for item in value)
    return type(value).__name__, str(value)


def python(text):
    """Imports, attributes that are set, entries of dictionaries and keywords of calls; the second
    call with a keyword has #2 behind it."""
    calls = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            for name in node.names:
                yield f"import {node.module}.{name.name}", "import", "1"
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
            yield ast.unparse(node.targets[0]), *constant(node.value)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            for key, value in zip(node.value.keys, node.value.values):
                yield f"{ast.unparse(node.targets[0])}[{ast.unparse(key)}]", *constant(value)
        elif isinstance(node, ast.Call):
            for word in node.keywords:
                path = f"{ast.unparse(node.func)}({word.arg})"
                calls[path] = calls.get(path, 0) + 1
                yield path + (f"#{calls[path]}" if calls[path] > 1 else ""), *constant(word.value)


def options(words, prefix):
    name, values = None, []
    for word in words + ["--"]:
        if word.startswith("--"):
            if name is not None:
                yield f"{prefix}{name}", "option", " ".join(values)
            name, _, value = word.partition("=")
            values = [value] if value else []
        elif name is not None:
            values.append(word)


def shell(text):
    subprocess.run(["bash", "-n"], input=text.encode(), check=True)
    lines = text.split("\n")
    if lines[0] != "#!/bin/bash":
        raise SyntaxError("no interpreter")
    commands = [i for i, line in enumerate(lines) if line and not line.startswith("#")]
    for i, line in enumerate(lines):
        if line.startswith("#SBATCH "):
            if i > commands[0] or "$" in line:
                raise SyntaxError("a directive that does not count: " + line)
            yield from options(shlex.split(line[8:]), "sbatch ")
    body = re.sub(r"\\\n", " ", "\n".join(line for line in lines if not line.startswith("#")))
    for match in re.finditer(r"^export ([A-Z_]+)=(.*)$", body, re.M):
        yield f"env {match[1]}", "option", match[2]
    for match in re.finditer(r"^[A-Z]+_ARGS=\(\n(.*?)^\)", body, re.M | re.S):
        yield from options(shlex.split(match[1]), "")
    for line in body.split("\n"):
        words = shlex.split(line.replace("bash -c '", "").replace("'", ""))
        for program in ("torchrun", "accelerate"):
            if program in words:
                rest = words[words.index(program) + 1:]
                cut = next(i for i, word in enumerate(rest) if word.endswith((".py", ".train")))
                yield from options(rest[:cut] if rest[cut - 1] != "-m" else rest[:cut - 1],
                                   program + " ")
                yield "script", "option", rest[cut]
                yield from options([word for word in rest[cut + 1:] if "_ARGS[@]" not in word],
                                   "inline ")


for number, path in enumerate(sys.argv[2:]):
    with open(path, encoding="utf-8") as file:
        for key, kind, value in {"toml": toml, "python": python, "shell": shell}[sys.argv[1]](
                file.read()):
            print(number, key, kind, value.replace("\n", " "), sep="\t")
