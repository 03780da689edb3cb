"""A scripted model on loopback, in the wire formats of Anthropic, OpenAI (two) and Gemini.

The script of a turn says what comes back: text, one call of the tool that writes files, a count of
tokens that makes an agent compact its context, an error, or nothing at all.
"""
import json
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FEW = 1000
WRITERS = ("Write", "write_file", "write", "create", "apply_patch")
SHELLS = ("Bash", "run_shell_command", "bash", "exec_command", "shell_command", "shell")
# Tools by which a model has another agent work for it, with the kind of agent that they ask for.
DELEGATES = {"Agent": "general-purpose", "Task": "general-purpose", "task": "general", "spawn_agent": "worker",
             "invoke_agent": "generalist"}


@dataclass
class Script:
    """What the model does in one turn of the user."""

    name: str
    text: str = "Done."
    # Path of a file that the first answer writes.
    edit: str = ""
    # A command that the first answer runs.
    command: str = ""
    # The task that the first answer gives to a sub-agent.
    delegate: str = ""
    # True if the next answer waits for the sub-agent.
    waits: bool = False
    # The prompt of a turn that the first answer puts on a schedule.
    wake: str = ""
    # Tokens that the first answer claims the context has.
    tokens: int = FEW
    # "error" answers 500, "hang" never answers.
    fault: str = ""


@dataclass
class Request:
    turn: str
    path: str
    body: dict

    @property
    def tools(self):
        declared = [tool for tool in self.body.get("tools") or [] if isinstance(tool, dict)]
        # Codex has groups of tools.
        grouped = lambda tool: [part | {"namespace": tool["name"]} for part in tool["tools"]]
        declared = [part for tool in declared for part in (grouped(tool) if tool.get("type") == "namespace" else [tool])]
        return [part for tool in declared for part in tool.get("functionDeclarations", [tool])]

    @property
    def text(self):
        return json.dumps(self.body, ensure_ascii=False)


class Model:
    """The server, with every request that it got."""

    def __init__(self):
        self.requests = []
        self.script = Script("start")
        self.lock = threading.Lock()
        self.over = threading.Event()
        model = self

        class Handler(Wire):
            pass

        Handler.model = model
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()

    def of(self, turn):
        return [request for request in self.requests if request.turn == turn]

    def next(self, request):
        """Returns text, call of a tool, and tokens of the next answer."""
        with self.lock:
            self.requests.append(request)
            script = self.script
            if not request.tools:
                return script.text, None, FEW
            if script.waits and "spawn_agent" in json.dumps(request.body.get("input", "")):
                # Codex goes on beside its sub-agent, and would end before it.
                script.waits = False
                return script.text, ("wait_agent", {"timeout_ms": 20000}), FEW
            call, tokens = called(request.tools, script), script.tokens
            script.waits = call is not None and call[0] == "spawn_agent"
            script.edit, script.command, script.delegate, script.wake, script.tokens = "", "", "", "", FEW
            return script.text, call, tokens


def mark():
    return format(time.time_ns(), "x")


def schemas(tools):
    """Returns the schema of each tool by its name."""
    known = {}
    for tool in tools:
        tool = tool.get("function", tool)
        schema = next((tool[key] for key in ("input_schema", "parametersJsonSchema", "parameters") if key in tool), {})
        known[tool.get("name")] = schema
    return known


def called(tools, script):
    """Returns name and arguments of the tool that a script has the model call, if there is one."""
    known = schemas(tools)
    if script.wake and "ScheduleWakeup" in known:
        return "ScheduleWakeup", {"delaySeconds": 60, "prompt": script.wake, "reason": "to look again"}
    wanted = DELEGATES if script.delegate else SHELLS if script.command else WRITERS if script.edit else ()
    name = next((name for name in wanted if name in known), None)
    if name is None:
        return None
    if script.delegate:
        return name, task(name, known[name], script.delegate)
    return name, shell(known[name], script.command) if script.command else filled(known[name], script.edit)


def task(name, schema, text):
    """Returns the arguments that give a task to a sub-agent."""
    properties = schema.get("properties", {})
    given = {key: text for key in properties if key in ("prompt", "message")}
    given |= {key: DELEGATES[name] for key in properties if key in ("subagent_type", "agent_name")}
    given |= {key: "general-purpose" for key in properties if key == "agent_type"}
    given |= {"run_in_background": False} if "run_in_background" in properties else {}
    given |= {"fork_turns": "none"} if "fork_turns" in properties else {}
    return given | {key: "the_first_part" for key in schema.get("required", []) if key not in given}


def shell(schema, command):
    """Returns the arguments that run a command."""
    properties = schema.get("properties", {})
    listed = lambda key: properties[key].get("type") == "array"
    given = {key: ["sh", "-c", command] if listed(key) else command for key in properties if key in ("command", "cmd")}
    return given | {key: "to have it" for key in schema.get("required", []) if key not in given}


def filled(schema, path):
    """Returns arguments that a schema asks for."""
    properties = schema.get("properties", {"input": {}})
    given = {"input": patch(path)} if "input" in properties else {}
    given |= {key: path for key in properties if key.lower().replace("_", "") in ("filepath", "path")}
    given.update({key: "// A gate.\n" for key in properties if key in ("content", "file_text")})
    return given | {key: "a gate" for key in schema.get("required", []) if key not in given}


def patch(path):
    return f"*** Begin Patch\n*** Add File: {path}\n+// A gate.\n*** End Patch"


def example(schema):
    """Returns a value that a schema admits."""
    kind = str(schema.get("type", "string")).lower()
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "object":
        return {key: example(value) for key, value in schema.get("properties", {}).items()}
    return {"array": [], "number": 1, "integer": 1, "boolean": False}.get(kind, "a gate")


class Wire(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Model

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.plain({})

    def do_GET(self):
        self.plain({"object": "list", "data": [], "models": []})

    def do_POST(self):
        try:
            self.answer(json.loads(self.received() or b"{}"))
        except (BrokenPipeError, ConnectionResetError):
            pass

    def received(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().strip() or b"0", 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def answer(self, body):
        path = self.path.split("?")[0]
        if path.lower().endswith(("count_tokens", "counttokens")):
            return self.plain({"input_tokens": FEW, "totalTokens": FEW})
        speak = next((speak for end, speak in FORMATS if end in path), None)
        if speak is None:
            return self.plain({})
        script = self.model.script
        request = Request(script.name, path, body)
        if script.fault:
            self.model.next(request)
            if script.fault == "hang":
                self.model.over.wait(120)
                self.close_connection = True
                return None
            return self.plain({"error": {"type": "api_error", "message": "the stub fails"}}, 500)
        return speak(self, request, *self.model.next(request))

    def plain(self, value, status=200):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, events, named):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in events:
            data = event if isinstance(event, str) else json.dumps(event)
            line = f"event: {event['type']}\n" if named else ""
            self.wfile.write(f"{line}data: {data}\n\n".encode())

    def speak_anthropic(self, request, text, tool, tokens):
        usage = {"input_tokens": tokens, "output_tokens": 5}
        if tool:
            block = {"type": "tool_use", "id": f"toolu_{mark()}", "name": tool[0], "input": tool[1]}
            empty, change = block | {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            block = {"type": "text", "text": text}
            empty, change = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
        why = "tool_use" if tool else "end_turn"
        message = {"id": f"msg_{mark()}", "type": "message", "role": "assistant", "model": request.body.get("model"),
                   "content": [block], "stop_reason": why, "stop_sequence": None, "usage": usage}
        if not request.body.get("stream"):
            return self.plain(message)
        return self.stream([
            {"type": "message_start", "message": message | {"content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": change},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": why, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ], named=True)

    def speak_responses(self, request, text, tool, tokens):
        tools = {tool.get("name"): tool for tool in request.tools}
        item = {"type": "message", "id": f"msg_{mark()}", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}]}
        name, given = tool or ("", {})
        call = {"id": f"ctc_{mark()}", "call_id": f"call_{mark()}", "name": name}
        if name == "apply_patch" and tools[name].get("type") == "custom":
            item = {"type": "custom_tool_call", "input": given["input"]} | call
        elif name:
            group = {key: tools[name][key] for key in ("namespace",) if key in tools[name]}
            item = {"type": "function_call", "arguments": json.dumps(given)} | call | group
        whole = {"id": f"resp_{mark()}", "object": "response", "created_at": int(time.time()), "status": "completed",
                 "model": request.body.get("model"), "output": [item],
                 "usage": {"input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
                           "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens + 5}}
        if not request.body.get("stream"):
            return self.plain(whole)
        return self.stream([
            {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": whole},
        ], named=True)

    def speak_completions(self, request, text, tool, tokens):
        message = {"role": "assistant", "content": text}
        if tool:
            function = {"name": tool[0], "arguments": json.dumps(tool[1])}
            message = {"role": "assistant", "content": None, "tool_calls": [
                {"index": 0, "id": f"call_{mark()}", "type": "function", "function": function}]}
        why = "tool_calls" if tool else "stop"
        usage = {"prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5}
        base = {"id": f"cmpl_{mark()}", "created": int(time.time()), "model": request.body.get("model")}
        if not request.body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": why}
            return self.plain(base | {"object": "chat.completion", "choices": [choice], "usage": usage})
        base["object"] = "chat.completion.chunk"
        return self.stream([
            base | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            base | {"choices": [{"index": 0, "delta": {}, "finish_reason": why}], "usage": usage},
            "[DONE]",
        ], named=False)

    def speak_gemini(self, request, text, tool, tokens):
        wanted = request.body.get("generationConfig") or {}
        if tool:
            part = {"functionCall": {"name": tool[0], "args": tool[1]}}
        elif wanted.get("responseMimeType") == "application/json":
            schema = wanted.get("responseJsonSchema") or wanted.get("responseSchema") or {"type": "object"}
            part = {"text": json.dumps(example(schema))}
        else:
            part = {"text": text}
        whole = {"candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}],
                 "usageMetadata": {"promptTokenCount": tokens, "candidatesTokenCount": 5, "totalTokenCount": tokens + 5},
                 "modelVersion": "stub"}
        return self.stream([whole], named=False) if ":stream" in request.path else self.plain(whole)


FORMATS = (("/messages", Wire.speak_anthropic), ("/responses", Wire.speak_responses),
           ("/chat/completions", Wire.speak_completions), ("enerateContent", Wire.speak_gemini))
