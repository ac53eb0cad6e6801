"""Reads TAP from standard input with the parser tap.py. Prints the version and the plan, and the result, the
description and the YAML block of each test point."""

import sys

from tap.parser import Parser

for line in Parser().parse(sys.stdin):
    if line.category == "version":
        print("version", line.version)
    elif line.category == "plan":
        print("plan", line.expected_tests)
    elif line.category == "test":
        block = line.yaml_block or {}
        words = [f"{key}={block[key]}" for key in sorted(block)]
        print("ok" if line.ok else "not ok", line.number, line.description, *words)
    elif line.category != "diagnostic":
        print(line.category, line)
