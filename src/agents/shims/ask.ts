// How every shim calls pimem. Whatever goes wrong, the answer is empty.
import { spawn } from "node:child_process"

const MILLISECONDS = 5000

// What this process starts finds its number here. An agent that finds another's was started by an
// agent, so that a model may have written its prompts.
const WITHIN = "PIMEM_WITHIN"
const started = (process.env[WITHIN] ??= String(process.pid)) !== String(process.pid)

/** Who wrote a prompt, if this process was started by a person. */
const unlessStarted = (speaker) => (started && speaker === "person" ? "unknown" : speaker)

function ask(word, input) {
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
      child.on("close", () => done(contextOf(answer)))
      child.stdout.setEncoding("utf8").on("data", (text) => (answer += text))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ hook_event_name: word, ...input }))
    } catch {
      resolve("")
    }
  })
}

function contextOf(answer) {
  try {
    const { context } = JSON.parse(answer)
    return typeof context === "string" ? context : ""
  } catch {
    return ""
  }
}
