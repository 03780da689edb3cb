"""Validates the plugin's manifests by the published schemas of Agent Plugins 1.0.0 (under Apache-2.0)."""

import json
import pathlib

import jsonschema

HERE = pathlib.Path(__file__).parent


def read(path):
    return json.loads(path.read_text())


for name in ("plugin", "mcp"):
    schema = read(HERE / f"{name}.schema.json")
    manifest = read(HERE.parents[1] / "plugin/agent-plugins" / f"{name}.json")
    validator = jsonschema.validators.validator_for(schema)(schema)
    validator.validate(manifest)
    assert not validator.is_valid({**manifest, "unknown": True}), "the schema is closed"
    print(f"plugin/agent-plugins/{name}.json is valid")
