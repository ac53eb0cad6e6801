"""Validates flow files against the JSON Schema that `gamectl flow schema` prints, as a YAML language server does:
flow_schema.py SCHEMA FILE…

For each file it prints `ok FILE`, or `bad FILE PATH`, where PATH leads to the first mistake in the document.
"""

import json
import re
import sys

import jsonschema_rs
import yaml


class YAML12Loader(yaml.SafeLoader):
    """Loads YAML 1.2, in which `on` and `yes` are texts and `1:30` is no number. PyYAML loads YAML 1.1, which differs."""


# PyYAML looks up the resolvers of a plain scalar by its first character; '' stands for an empty scalar.
YAML12Loader.yaml_implicit_resolvers = {}
for tag, pattern, first_characters in [
    ("bool", r"true|false", "tf"),
    ("null", r"~|null|", "~n\0"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?[0-9]+\.[0-9]+", "-+0123456789"),
]:
    for character in [*first_characters, ""] if tag == "null" else first_characters:
        resolver = (f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"))
        YAML12Loader.yaml_implicit_resolvers.setdefault(character, []).append(resolver)

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema_rs.meta.validate(schema)
validator = jsonschema_rs.Draft202012Validator(schema)
for document_path in sys.argv[2:]:
    with open(document_path) as file:
        document = yaml.load(file, YAML12Loader)
    errors = sorted(validator.iter_errors(document), key=lambda error: [str(part) for part in error.instance_path])
    file_name = document_path.rsplit("/", 1)[-1]
    if errors:
        print("bad", file_name, "/".join(str(part) for part in errors[0].instance_path))
    else:
        print("ok", file_name)
