// Written by `pimem hooks install`, which also replaces it; `pimem hooks uninstall opencode` deletes it.
// Tells pimem what happens in a session, and the model what pimem answers. Whatever goes wrong here,
// OpenCode goes on as if this file were not there.

const AGENT = "opencode"
const LONGEST = 100_000

/** Sessions, as both versions of OpenCode have them. */
function sessionsIn(directory) {
  const sessions = new Map()
  const about = (id) => ({ session_id: id, cwd: directory })
  const start = (id, source) => {
    const session = { start: ask("session-start", { ...about(id), source }), now: [] }
    sessions.set(id, session)
    return session
  }
  return {
    created: (id) => sessions.has(id) || start(id, "startup"),
    compacted: (id) => start(id, "compact"),
    deleted: (id) => sessions.delete(id),
    compacting: async (id) => [await ask("pre-compact", about(id))].filter(Boolean),
    stopped: (id, response) => ask("stop", { ...about(id), response }),
    async prompted(id, prompt) {
      const session = sessions.get(id) ?? start(id, "resume")
      await session.start
      session.now = [await ask("prompt", { ...about(id), prompt })]
    },
    async ran(id, tool, input) {
      const file = input?.filePath ?? input?.path
      if (typeof file !== "string" || !/edit|write|patch/.test(tool)) return
      const context = await ask("post-tool", { ...about(id), tool_name: tool, tool_input: { file_path: file } })
      sessions.get(id)?.now.push(context)
    },
    /** What the model is to know. */
    async known(id) {
      const session = sessions.get(id)
      return session ? [await session.start, ...session.now].filter(Boolean) : []
    },
  }
}

const safe = (hook) => async (...args) => hook(...args).catch(() => {})
const textOf = (parts) => (parts ?? []).filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")

/** OpenCode 1. */
async function server({ client, directory }) {
  const sessions = sessionsIn(directory)
  async function lastAnswer(id) {
    const { data } = await client.session.messages({ path: { id } })
    return textOf(data?.findLast((message) => message.info?.role === "assistant")?.parts)
  }
  return {
    event: safe(async ({ event }) => {
      const { info, sessionID = info?.id } = event.properties ?? {}
      if (event.type === "session.created") sessions.created(sessionID)
      if (event.type === "session.compacted") sessions.compacted(sessionID)
      if (event.type === "session.deleted") sessions.deleted(sessionID)
      if (event.type === "session.idle") await sessions.stopped(sessionID, await lastAnswer(sessionID))
    }),
    "chat.message": safe(async ({ sessionID }, { parts }) => sessions.prompted(sessionID, textOf(parts))),
    "tool.execute.after": safe(async ({ tool, sessionID, args }) => sessions.ran(sessionID, tool, args)),
    "experimental.chat.system.transform": safe(async ({ sessionID }, { system }) => {
      system.push(...(await sessions.known(sessionID)))
    }),
    "experimental.session.compacting": safe(async ({ sessionID }, { context }) => {
      context.push(...(await sessions.compacting(sessionID)))
    }),
  }
}

/** OpenCode 2. */
async function setup(ctx) {
  const sessions = sessionsIn(ctx.location?.directory ?? process.cwd())
  const said = new Map()
  const parts = (texts) => texts.map((text) => ({ type: "text", text }))
  await ctx.session.hook("prompt", safe(async ({ sessionID, prompt }) => {
    said.delete(sessionID)
    await sessions.prompted(sessionID, prompt.text)
  }))
  await ctx.session.hook("context", safe(async ({ sessionID, system }) => {
    system.push(...parts(await sessions.known(sessionID)))
  }))
  await ctx.session.hook("compaction", safe(async ({ sessionID, system }) => {
    system.push(...parts(await sessions.compacting(sessionID)))
  }))
  await ctx.tool.hook("execute.after", safe(async ({ sessionID, tool, input }) => sessions.ran(sessionID, tool, input)))
  const over = new AbortController()
  const listen = async () => {
    for await (const { type, data } of ctx.event.subscribe({ signal: over.signal })) {
      const id = data?.sessionID
      if (type === "session.created") sessions.created(id)
      if (type === "session.compaction.ended") sessions.compacted(id)
      if (type === "session.deleted") sessions.deleted(id)
      if (type === "session.text.delta") said.set(id, ((said.get(id) ?? "") + data.delta).slice(-LONGEST))
      if (type === "session.execution.succeeded") await sessions.stopped(id, said.get(id) ?? "")
    }
  }
  safe(listen)()
  return () => over.abort()
}

export default { id: "pimem", server, setup }
