//! A client of `pimem mcp`, which speaks lines and waits for answers.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use super::sandbox::Sandbox;

pub(crate) struct Client {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    /// Starts a server in the project and introduces itself, in a legacy revision.
    pub(crate) fn new(sandbox: &Sandbox) -> Self {
        let mut client = Self::start(sandbox.command(&["mcp"]));
        client.introduce(&json!({}));
        client
    }

    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output, next: 0 }
    }

    pub(crate) fn introduce(&mut self, capabilities: &Value) {
        let about = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "Test Client", "version": "1" },
        });
        self.ask("initialize", &about);
        self.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    }

    pub(crate) fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// Returns the next line; `None` at the end of the output.
    pub(crate) fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        (!line.is_empty()).then(|| serde_json::from_str(&line).expect("a line is JSON"))
    }

    /// Returns the answer to a request.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        self.say(&request.to_string());
        let answer = self.hear().expect("there is an answer");
        assert_eq!(answer["id"], self.next, "{answer}");
        answer
    }

    /// Returns the result of a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        answer["result"].clone()
    }

    /// Returns the document of a tool that succeeds.
    pub(crate) fn document(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], Value::Null, "{result}");
        result["structuredContent"].clone()
    }

    /// Returns the text of a tool that fails.
    pub(crate) fn failure(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        text(&result)
    }

    /// Closes the input. Returns the exit code and what was still said.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

/// Returns the text of a result.
pub(crate) fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap().to_owned()
}
