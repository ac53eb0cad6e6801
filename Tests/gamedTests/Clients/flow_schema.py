"""Validates flow files against the JSON Schema that `gamectl flow schema` prints, as a YAML language server does:
flow_schema.py SCHEMA FILE… prints `ok FILE`, or `bad FILE PLACE` with the place of the first mistake."""

import json
import re
import sys

import jsonschema_rs
import yaml


class Loader(yaml.SafeLoader):
    """Loads YAML 1.2, in which `on` and `yes` are texts, and times are not numbers."""


Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("bool", r"true|false", "tf"),
    ("null", r"~|null|", "~n\0"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?[0-9]+\.[0-9]+", "-+0123456789"),
]:
    for letter in [*first, ""] if tag == "null" else first:
        resolver = (f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"))
        Loader.yaml_implicit_resolvers.setdefault(letter, []).append(resolver)

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema_rs.meta.validate(schema)
validator = jsonschema_rs.Draft202012Validator(schema)
for path in sys.argv[2:]:
    with open(path) as file:
        document = yaml.load(file, Loader)
    errors = sorted(validator.iter_errors(document), key=lambda e: [str(p) for p in e.instance_path])
    name = path.rsplit("/", 1)[-1]
    if errors:
        print("bad", name, "/".join(str(part) for part in errors[0].instance_path))
    else:
        print("ok", name)
