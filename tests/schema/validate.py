#!/usr/bin/python3
"""Holds documents against a JSON Schema.

usage: validate.py SCHEMA DOCUMENT...

Documents are JSON, or YAML where the name ends in .yaml or .yml (every document of the stream).
Without a document, only the schema itself is checked. Prints each fault with its place; exit
status 1 when there is one.
"""

import json
import sys

import jsonschema
import yaml


class StrictLoader(yaml.SafeLoader):
    """YAML whose mappings may not hold a key twice."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=deep) for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise yaml.YAMLError(f"line {node.start_mark.line + 1}: duplicate keys {twice}")
        return super().construct_mapping(node, deep)


def unique(pairs):
    names = [name for name, _ in pairs]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"duplicate keys {twice}")
    return dict(pairs)


def refuse(constant):
    raise ValueError(f"{constant} is no JSON number")


def documents(path):
    with open(path, encoding="utf-8") as file:
        if path.endswith((".yaml", ".yml")):
            return list(yaml.load_all(file, Loader=StrictLoader))
        return [json.load(file, object_pairs_hook=unique, parse_constant=refuse)]


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    schema = documents(arguments[0])[0]
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = 0
    for path in arguments[1:]:
        for document in documents(path):
            for fault in sorted(validator.iter_errors(document), key=lambda fault: fault.json_path):
                print(f"{path}: {fault.json_path}: {fault.message[:300]}")
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
