"""How each agent is set up and started without a screen."""
import json


class Agent:
    name = ""
    # Path of the settings file that the hooks are put into, in the home directory; "" for one of ours.
    settings = ""
    before = ""
    env: dict = {}
    # How a compaction is brought about: a prompt, or an answer, by default one that writes a file,
    # that claims many tokens.
    compact = {"tokens": 900_000, "edit": "src/gates/second.rs"}
    # Whether hooks of the user run only after a review.
    wants_trust = False
    asks_for_title = False
    # Whether a hook before a compaction means that one follows.
    tells_compaction = True
    # Whether a session's file is another one if it is resumed in another minute.
    by_minute = False
    # Whether a resumed session gets a new report, beside what was recalled before.
    report_anew = False

    def __init__(self, lab, program, url):
        self.lab, self.program, self.url = lab, str(program), url
        if self.settings and self.before:
            self.write(self.settings, self.before)
        self.configure()

    def write(self, path, text):
        path = self.lab.home / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def configure(self):
        pass

    def words(self, prompt, resumed):
        raise NotImplementedError

    def without_own_repeats(self, body):
        """A request without what the agent itself says twice."""
        return body


class Claude(Agent):
    name = "claude"
    settings = ".claude/settings.json"
    before = '{\n  "model": "sonnet"\n}\n'
    compact = {"prompt": "/compact"}

    def configure(self):
        self.env = {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": "none", "DISABLE_TELEMETRY": "1",
                    "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "1"}

    def words(self, prompt, resumed):
        return [self.program, *(["-c"] if resumed else []), "-p", "--permission-mode", "acceptEdits", prompt]


class Codex(Agent):
    name = "codex"
    settings = ".codex/hooks.json"
    wants_trust = True

    def configure(self):
        self.env = {"STUB_KEY": "none"}
        self.write(".codex/config.toml", f"""model = "gpt-5.5"
model_provider = "stub"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_auto_compact_token_limit = 500000
[model_providers.stub]
name = "stub"
base_url = "{self.url}/v1"
env_key = "STUB_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
[projects."{self.lab.project}"]
trust_level = "trusted"
""")

    def words(self, prompt, resumed):
        # It runs hooks only after their review on its screen.
        trust = "--dangerously-bypass-hook-trust"
        return [self.program, "exec", trust, *(["resume", "--last"] if resumed else []), prompt]


class Gemini(Agent):
    name = "gemini"
    settings = ".gemini/settings.json"
    tells_compaction = False
    by_minute = True
    before = """{
  // Kept as it is.
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
  "privacy": {"usageStatisticsEnabled": false}
}
"""

    def configure(self):
        self.env = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": self.url, "GEMINI_TELEMETRY_ENABLED": "false"}

    def words(self, prompt, resumed):
        again = ["--resume", "latest"] if resumed else []
        return [self.program, "--skip-trust", "--approval-mode", "auto_edit", *again, "-p", prompt]

    def without_own_repeats(self, body):
        # A resumed session has the result of each tool twice, under one id.
        contents = []
        for content in body.get("contents", []):
            parts = content.get("parts", [])
            parts = [part for number, part in enumerate(parts) if part not in parts[:number]]
            contents.append(content | {"parts": parts})
        return body | {"contents": contents}


class Opencode(Agent):
    name = "opencode"
    settings = ".config/opencode/plugins/pimem.ts"
    asks_for_title = True
    report_anew = True
    compact = {"tokens": 199_000, "edit": ""}

    def configure(self):
        self.env = {name: "1" for name in ("OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH",
                                           "OPENCODE_DISABLE_LSP_DOWNLOAD")}
        model = {"name": "stub", "tool_call": True, "limit": {"context": 200_000, "output": 8000}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "stub", "models": {"stub": model},
                    "options": {"baseURL": f"{self.url}/v1", "apiKey": "none"}}
        self.write(".config/opencode/opencode.json", json.dumps({
            "autoupdate": False, "share": "disabled", "model": "stub/stub", "small_model": "stub/stub",
            "permission": "allow", "provider": {"stub": provider}}))

    def words(self, prompt, resumed):
        return [self.program, "run", *(["-c"] if resumed else []), prompt]


class Pi(Agent):
    name = "pi"
    settings = ".pi/agent/extensions/pimem.ts"
    compact = {"tokens": 199_000, "edit": ""}

    def configure(self):
        self.env = {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}
        model = {"id": "stub", "name": "stub", "contextWindow": 200_000, "maxTokens": 8000, "input": ["text"],
                 "reasoning": False, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}
        provider = {"baseUrl": f"{self.url}/v1", "api": "openai-completions", "apiKey": "none", "models": [model]}
        self.write(".pi/agent/settings.json", json.dumps({"compaction": {"keepRecentTokens": 50}}))
        self.write(".pi/agent/models.json", json.dumps({"providers": {"stub": provider}}))

    def words(self, prompt, resumed):
        return [self.program, "--provider", "stub", "--model", "stub", *(["-c"] if resumed else []), "-p", prompt]


AGENTS = {agent.name: agent for agent in (Claude, Codex, Gemini, Opencode, Pi)}
