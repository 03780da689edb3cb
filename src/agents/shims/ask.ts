// How every shim calls pimem. Whatever goes wrong, the answer is empty.
import { spawn } from "node:child_process"

const MILLISECONDS = 5000

// What this process starts finds its number here. An agent that finds another's was started by an
// agent, so that a model may have written its prompts.
const WITHIN = "PIMEM_WITHIN"
const started = (process.env[WITHIN] ??= String(process.pid)) !== String(process.pid)

/** Who wrote a prompt, if this process was started by a person. */
const unlessStarted = (speaker) => (started && speaker === "person" ? "unknown" : speaker)

function ask(word, input, read = contextOf) {
  return new Promise((resolve) => {
    try {
      const child = spawn("pimem", ["hook", AGENT, word], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      const done = (context) => (clearTimeout(timer), resolve(context))
      const timer = setTimeout(() => {
        child.kill()
        child.stdout.destroy()
        child.unref()
        done("")
      }, MILLISECONDS)
      let answer = ""
      child.on("error", () => done(""))
      child.on("close", () => done(read(answer)))
      child.stdout.setEncoding("utf8").on("data", (text) => (answer += text))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ hook_event_name: word, ...input }))
    } catch {
      resolve("")
    }
  })
}

const textIn = (name) => (answer) => {
  try {
    const { [name]: text } = JSON.parse(answer)
    return typeof text === "string" ? text : ""
  } catch {
    return ""
  }
}
const contextOf = textIn("context")

/** Why a tool may not run; empty if it may. */
const refused = (input) => ask("pre-tool", input, textIn("reason"))
