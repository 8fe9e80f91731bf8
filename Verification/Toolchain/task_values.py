#!/usr/bin/env python3
"""Finds tuples as the values of tasks, which the compiler gets wrong (script/toolchain, CONTRIBUTING.md).

  task_values.py FILE...    prints a line for each, and fails if there is one

Found are tuples that are written as the type of a group's or a task's value or of what a task's closure returns; tuples that
a task's closure returns; and tuples that any closure returns from a `do` or a `catch` around an `await`: the closure may
become a task's in the function that it is given to.
"""
import pathlib
import re
import sys

# A type that is a tuple: it begins with a parenthesis, and is neither `()` nor one type in parentheses, as `(any Error)`.
TUPLE = r"(?:Optional\s*<\s*)?\((?!\s*\))(?!\s*(?:any|some)\s+[\w.&\s]+\))"
TYPES = [
    (re.compile(r"TaskGroup\s*\(\s*of:\s*" + TUPLE), "a group of tuples"),
    (re.compile(r"\bTask\s*<\s*" + TUPLE), "a task of a tuple"),
    (re.compile(r"TaskGroup\s*<\s*" + TUPLE), "a group of tuples"),
    (re.compile(r"\basync\s+let\s+\("), "a task of a tuple"),
    (re.compile(r"\basync\s+let\s+\w+\s*:\s*" + TUPLE), "a task of a tuple"),
]
TASK = r"(?:\bTask(?:\s*\.\s*\w+)?|\b\w*[aA]ddTask\w*|\basync\s+let\s+\w+[^={]*=)\s*(?:\([^(){}]*\))?\s*"
TASK_CLOSURE = re.compile(TASK + r"$")
SIGNATURE = re.compile(
    r"\s*(?:\[[^\]]*\]\s*)?\(\s*\)\s*(?:async\s*)?(?:throws\s*(?:\([^)]*\)\s*)?)?->\s*" + TUPLE)
HEAD = re.compile(r"\s*(?:\[[^\]]*\]\s*)?(?:(?:\([^(){}]*\)\s*)?[^\n{}()]*\bin\b)?")
CONSTANT = re.compile(r"\basync\s+let\s+\w+\s*=\s*")
STATEMENT = re.compile(r"(?:^|[\n;{}\s])(?:if|guard|else|for|while|repeat|switch|defer)\b[^{}]*$")
ATTEMPT = re.compile(r"\b(?:do|catch)\b[^{}\n]*$")
DECLARED = re.compile(r"\b(?:func|init|var|get|set|subscript|struct|class|enum|actor|extension|protocol)\b[^{}]*$")


def without_texts(source):
    """The source with every comment and string literal blank, so that places stay as they are."""
    pattern = r'//[^\n]*|/\*.*?\*/|""".*?"""|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), source, flags=re.S)


def is_tuple(text):
    """Whether an expression is a tuple: one pair of parentheses around the whole, with a comma between its members."""
    text = text.strip()
    if not text.startswith("("):
        return False
    depth, commas = 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        commas += letter == "," and depth == 1
        if depth == 0:
            return commas > 0 and (place + 1 == len(text) or re.match(r"\s*(?:\n|\}|;|$)", text[place + 1:]) is not None)
    return False


def found(source):
    """The place of each tuple, and what it is."""
    source = without_texts(source)
    for pattern, what in TYPES:
        for match in pattern.finditer(source):
            yield match.start(), what
    for match in CONSTANT.finditer(source):
        if is_tuple(source[match.end():]):
            yield match.start(), "a task of a tuple"
    # What each pair of braces around the present place is: a task's closure, another's, a `do`, a statement, a declaration.
    blocks = []
    for match in re.finditer(r"[{}]|\breturn\b", source):
        before, after = source[max(0, match.start() - 300):match.start()], source[match.end():]
        if match[0] == "}":
            if blocks:
                blocks.pop()
        elif match[0] == "{":
            line = before.rsplit("\n", 1)[-1]
            kind = ("task" if TASK_CLOSURE.search(before) else "attempt" if ATTEMPT.search(line)
                    else "statement" if STATEMENT.search(line) else "declared" if DECLARED.search(line.lstrip())
                    or re.match(r"\s*\)?\s*(?:async)?\s*(?:re)?(?:throws\S*)?\s*(?:->.*)?$", line) else "closure")
            blocks.append((kind, match.end()))
            if kind == "task":
                if SIGNATURE.match(after):
                    yield match.start(), "a task's closure that returns a tuple"
                elif is_tuple(after[HEAD.match(after).end():].split("}")[0]):
                    yield match.start(), "a task whose value is a tuple"
        elif is_tuple(after):
            inner = [kind for kind, _ in blocks]
            outer = next((place for place in reversed(range(len(inner))) if inner[place] in ("task", "closure", "declared")), None)
            if outer is None or inner[outer] == "declared":
                continue
            if inner[outer] == "task":
                yield match.start(), "a task whose value is a tuple"
            elif "attempt" in inner[outer:] and "await" in source[blocks[outer][1]:match.start() + 300]:
                yield match.start(), "a tuple from a do or a catch of an asynchronous closure"


def main():
    lines = set()
    for name in sys.argv[1:]:
        source = pathlib.Path(name).read_text()
        rows = source.splitlines()
        for place, what in found(source):
            line = source[:place].count("\n") + 1
            lines.add((name, line, what, rows[line - 1].strip()))
    for name, line, what, row in sorted(lines):
        print(f"{name}:{line}: {what}: {row}")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
