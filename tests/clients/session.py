"""A session with `pimem mcp` by the Python SDK, in both eras of the protocol."""

import asyncio
import json
import os
import pathlib

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

VARIABLES = dict(os.environ)
TOOLS = ["memory_search", "memory_add", "memory_update", "memory_why", "memory_context"]


def server(*args):
    return stdio_client(StdioServerParameters(command="pimem", args=["mcp", *args], env=VARIABLES))


async def fails(code, call):
    try:
        await call
    except MCPError as error:
        assert error.error.code == code, error.error
    else:
        raise AssertionError(f"no error {code}")


async def whole(mode, version):
    async with Client(server(), mode=mode) as client:
        assert client.protocol_version == version, client.protocol_version
        assert client.server_info.name == "pimem", client.server_info
        assert len(client.instructions) <= 500
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        assert all(tool.title and tool.annotations and tool.output_schema for tool in tools)

        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            assert result.content[0].text
            return result.structured_content

        text = f"Chips are cleared after each cut, says {mode}"
        added = await call("memory_add", text=text, category="lesson")
        assert added["results"][0]["action"] == "added", added
        entry = added["results"][0]["entry"]["id"]
        again = await call("memory_add", text=text)
        assert again["results"][0]["action"] == "reinforced", again
        found = await call("memory_search", query="chips cut", limit="3")
        assert entry in [hit.get("id") for hit in found["hits"]], found
        assert (await call("memory_update", entry=entry, action="pin"))["action"] == "pinWaits"
        why = await call("memory_why", entry=entry)
        assert why["entry"]["userState"] == "auto" and why["shown"], why
        context = await call("memory_context", prompt="clear the chips", budget=300)
        assert text in context["text"] + json.dumps(context["recalled"]), context
        todo = await call("memory_add", **{"text": "Sweep the floor", "as": "todo"})
        assert todo["items"][0]["text"] == "Sweep the floor", todo

        for tool, arguments in [
            ("memory_add", {"text": "x", "pin": True}),
            ("memory_search", {}),
            ("memory_search", {"query": "x", "limit": 51}),
            ("memory_update", {"entry": entry, "action": "purge"}),
            ("memory_why", {"entry": "no such entry"}),
            ("memory_add", {"text": "x", "project": "relative"}),
            ("memory_add", {"text": "x", "project": "/nowhere/at/all"}),
        ]:
            result = await client.call_tool(tool, arguments)
            assert result.is_error and result.content[0].text, (tool, arguments)
        await fails(-32602, client.call_tool("memory_purge", {}))

        listed = [str(one.uri) for one in (await client.list_resources()).resources]
        assert "pimem://report" in listed and "pimem://topics/lessons" in listed, listed
        assert len((await client.list_resource_templates()).resource_templates) == 4
        for uri in [*listed, f"pimem://entry/{entry}", "pimem://handoff"]:
            assert (await client.read_resource(uri)).contents[0].text, uri
        await fails(-32602 if version == "2026-07-28" else -32002, client.read_resource("pimem://nothing"))

        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        assert prompts == ["recall", "record", "review"], prompts
        for name, arguments in [("recall", {"task": "cut"}), ("record", {}), ("review", {})]:
            assert (await client.get_prompt(name, arguments)).messages[0].content.text, name


async def read_only():
    async with Client(server("--read-only")) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["memory_search", "memory_why", "memory_context"], names


async def main():
    await whole("legacy", "2025-11-25")
    await whole("auto", "2026-07-28")
    await read_only()
    log = pathlib.Path(".pi/memory/evidence.jsonl").read_text()
    assert '"by":"mcp"' in log, log
    assert '"op":"pin"' not in log
    print("python: both eras")


asyncio.run(main())
