// Written by `pimem hooks install`, which also replaces it; `pimem hooks uninstall opencode` deletes it.
// Tells pimem what happens in a session, and the model what pimem answers. Whatever goes wrong here,
// OpenCode goes on as if this file were not there.
import { spawn } from "node:child_process"

const MILLISECONDS = 5000

function ask(word, input) {
  return new Promise((resolve) => {
    try {
      const child = spawn("pimem", ["hook", "opencode", word], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
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

const textOf = (parts) => (parts ?? []).filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")

export const Pimem = async ({ client, directory }) => {
  const sessions = new Map()
  const about = (id) => ({ session_id: id, cwd: directory })

  function start(id, source) {
    const session = { start: ask("session-start", { ...about(id), source }), now: [] }
    sessions.set(id, session)
    return session
  }

  async function lastAnswer(id) {
    const { data } = await client.session.messages({ path: { id } })
    return textOf(data?.findLast((message) => message.info?.role === "assistant")?.parts)
  }

  const hooks = {
    event: async ({ event }) => {
      const { info, sessionID = info?.id } = event.properties ?? {}
      if (!sessionID) return
      if (event.type === "session.created" && !sessions.has(sessionID)) start(sessionID, "startup")
      if (event.type === "session.compacted") start(sessionID, "compact")
      if (event.type === "session.idle") await ask("stop", { ...about(sessionID), response: await lastAnswer(sessionID) })
      if (event.type === "session.deleted") sessions.delete(sessionID)
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      const session = sessions.get(sessionID) ?? start(sessionID, "resume")
      await session.start
      session.now = [await ask("prompt", { ...about(sessionID), prompt: textOf(parts) })]
    },
    "tool.execute.after": async ({ tool, sessionID, args }) => {
      if (typeof args?.filePath !== "string" || !/edit|write|patch/.test(tool)) return
      const input = { tool_name: tool, tool_input: { file_path: args.filePath } }
      const context = await ask("post-tool", { ...about(sessionID), ...input })
      sessions.get(sessionID)?.now.push(context)
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const session = sessions.get(sessionID)
      if (session) system.push(...[await session.start, ...session.now].filter(Boolean))
    },
    "experimental.session.compacting": async ({ sessionID }, { context }) => {
      context.push(...[await ask("pre-compact", about(sessionID))].filter(Boolean))
    },
  }
  const safe = ([name, hook]) => [name, async (...args) => hook(...args).catch(() => {})]
  return Object.fromEntries(Object.entries(hooks).map(safe))
}
