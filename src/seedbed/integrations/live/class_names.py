"""Classes by name, for what a job names: its file may be a stranger's, so a name is looked up and never imported.

A class is found only in a module that the crawl has imported by itself, by plain look-ups in dictionaries: no module is
loaded, no attribute of a module or class is computed.
"""

from __future__ import annotations

import sys


def full_name(kind: type) -> str:
    """module:Class."""
    return f"{kind.__module__}:{kind.__qualname__}"


def name_to_find(kind: type) -> str:
    """The full name of a class that `class_named` finds again; ValueError for any other."""
    name = full_name(kind)
    try:
        same = class_named(name) is kind
    except ValueError:
        same = False
    if not same:
        raise ValueError(f"the class {kind.__qualname__} is not at the top of its module, {kind.__module__}")
    return name


def class_named(name: object) -> type:
    """The class of a name; ValueError where no imported module has it."""
    module_name, _, path = str(name).partition(":")
    module = sys.modules.get(module_name)
    if module is None:
        raise ValueError(f"there is no class {name}: the crawl has not imported {module_name}; import it in the spider")
    found: object = module
    for part in path.split("."):
        found = vars(found).get(part) if found is module or isinstance(found, type) else None
    if not isinstance(found, type):
        raise ValueError(f"there is no class {path} in {module_name} any more")
    return found
