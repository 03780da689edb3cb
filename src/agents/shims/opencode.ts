// Written by `pimem hooks install`, which also replaces it; `pimem hooks uninstall opencode` deletes it.
// Tells pimem what happens in a session, and the model what pimem answers. Whatever goes wrong here,
// OpenCode goes on as if this file were not there.

const AGENT = "opencode"
const LONGEST = 100_000

/**
 * Sessions, as both versions of OpenCode have them. `parentOf` finds the session for which one works:
 * null is none, and undefined not known.
 */
function sessionsIn(directory, parentOf) {
  const sessions = new Map()
  const speakers = new Map()
  const expanded = new Set()
  const noted = (id, parent) => {
    const speaker = parent ? "sub-agent" : parent === null ? unlessStarted("person") : "unknown"
    if (parent !== undefined) speakers.set(id, speaker)
    return speaker
  }
  /** Who writes the prompts of a session: where it has a parent, a model does. */
  const speakerOf = async (id) => speakers.get(id) ?? noted(id, await parentOf(id).catch(() => undefined))
  const about = async (id) => ({ session_id: id, cwd: directory, speaker: await speakerOf(id) })
  const start = (id, source, before) => {
    const opening = async () => ask("session-start", { ...(await about(id)), source })
    const session = { start: before ? before.then(opening) : opening(), added: [] }
    sessions.set(id, session)
    return session
  }
  return {
    created(id, parent) {
      noted(id, parent)
      return sessions.has(id) || start(id, "startup")
    },
    compacted(id, summary) {
      const tell = async (text) => text && ask("post-compact", { ...(await about(id)), compact_summary: text })
      return start(id, "compact", Promise.resolve(summary).then(tell).catch(() => {}))
    },
    deleted: (id) => sessions.delete(id) && speakers.delete(id),
    compacting: async (id) => [await ask("pre-compact", await about(id))].filter(Boolean),
    stopped: async (id, response) => ask("stop", { ...(await about(id)), response }),
    /** The next prompt is a command's text from a file, with what was typed behind its name. */
    commanded: (id) => expanded.add(id),
    /** What the model is to know beside a prompt. */
    async prompted(id, prompt) {
      await (sessions.get(id) ?? start(id, "resume")).start
      const told = await about(id)
      if (expanded.delete(id) && told.speaker === "person") told.speaker = "unknown"
      return ask("prompt", { ...told, prompt })
    },
    /** Why a tool may not run. */
    async mayNot(id, tool, input) {
      if (!/bash|shell|edit|write|patch/.test(tool)) return ""
      return refused({ ...(await about(id)), tool_name: tool, tool_input: input })
    },
    /** What the model is to know beside the output of a tool. */
    async ran(id, tool, input) {
      const file = input?.filePath ?? input?.path
      const call = typeof file === "string" ? { file_path: file } : { command: input?.patchText }
      if (!/edit|write|patch/.test(tool) || !Object.values(call)[0]) return ""
      return ask("post-tool", { ...(await about(id)), tool_name: tool, tool_input: call })
    },
    /** Keeps what can only be said in the system prompt. */
    add: (id, context) => sessions.get(id)?.added.push(context),
    /** What the system prompt is to hold. */
    async known(id) {
      const session = sessions.get(id)
      return session ? [await session.start, ...session.added].filter(Boolean) : []
    },
  }
}

/** Keeps a tool from running, for the reason that is found; where none can be found, it runs. */
async function unless(refusal) {
  const why = await refusal().catch(() => "")
  if (why) throw new Error(why)
}
const safe = (hook) => async (...args) => hook(...args).catch(() => {})
const textOf = (parts) => (parts ?? []).filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")

/** A prompt as it was typed: `opencode run` puts quotes around one that has spaces. */
function typed(prompt) {
  const [, inner] = /^"((?:\\"|[^"])*)"$/.exec(prompt) ?? []
  return inner?.includes(" ") ? inner.replaceAll('\\"', '"') : prompt
}

/** OpenCode 1. */
async function server({ client, directory }) {
  const sessions = sessionsIn(directory, async (id) => {
    const { data } = await client.session.get({ path: { id } })
    return data ? (data.parentID ?? null) : undefined
  })
  /** The last answer, or the last summary of a compaction, which is a message of the assistant as well. */
  async function lastAnswer(id, isSummary) {
    const { data } = await client.session.messages({ path: { id } })
    const wanted = ({ info }) => info?.role === "assistant" && Boolean(info.summary) === isSummary
    return textOf(data?.findLast(wanted)?.parts)
  }
  // The agents that write titles and summaries need no memories. Their system prompt is all they have.
  let helpers
  async function isForHelper(system) {
    helpers ??= client.app.agents().then(({ data }) => data.filter((agent) => agent.hidden && agent.prompt), () => [])
    return (await helpers).some((agent) => system[0]?.startsWith(agent.prompt))
  }
  return {
    event: safe(async ({ event }) => {
      const { info, sessionID = info?.id } = event.properties ?? {}
      if (event.type === "session.created") sessions.created(sessionID, info ? (info.parentID ?? null) : undefined)
      if (event.type === "session.compacted") sessions.compacted(sessionID, lastAnswer(sessionID, true))
      if (event.type === "session.deleted") sessions.deleted(sessionID)
      if (event.type === "session.idle") await sessions.stopped(sessionID, await lastAnswer(sessionID, false))
    }),
    // The part is kept with the session. It is ignored until it goes to the model, since the request
    // for a title has the whole first prompt.
    "chat.message": safe(async ({ sessionID }, { parts }) => {
      const text = await sessions.prompted(sessionID, typed(textOf(parts)))
      const { id, messageID } = parts.at(-1)
      const hidden = { synthetic: true, ignored: true, metadata: { pimem: true } }
      if (text) parts.push({ id: `${id}pimem`, messageID, sessionID, type: "text", text, ...hidden })
    }),
    "command.execute.before": safe(async ({ sessionID }) => sessions.commanded(sessionID)),
    "experimental.chat.messages.transform": safe(async (_, { messages }) => {
      const parts = messages.flatMap((message) => message.parts)
      for (const part of parts) if (part.metadata?.pimem) part.ignored = false
    }),
    "tool.execute.before": (call, output) =>
      unless(async () => sessions.mayNot(call.sessionID, call.tool, output.args)),
    "tool.execute.after": safe(async ({ tool, sessionID, args }, result) => {
      const text = await sessions.ran(sessionID, tool, args)
      if (text) result.output += `\n\n${text}`
    }),
    "experimental.chat.system.transform": safe(async ({ sessionID }, { system }) => {
      if (!(await isForHelper(system))) system.push(...(await sessions.known(sessionID)))
    }),
    "experimental.session.compacting": safe(async ({ sessionID }, { context }) => {
      context.push(...(await sessions.compacting(sessionID)))
    }),
  }
}

/** OpenCode 2. */
async function setup(ctx) {
  const parentIn = (info) => (info ? (info.parentID ?? null) : undefined)
  const sessions = sessionsIn(ctx.location?.directory ?? process.cwd(), async (sessionID) => {
    const found = await ctx.session.get?.({ sessionID })
    return parentIn(found?.data ?? found)
  })
  const said = new Map()
  const parts = (texts) => texts.map((text) => ({ type: "text", text }))
  await ctx.session.hook("prompt", safe(async ({ sessionID, prompt }) => {
    said.delete(sessionID)
    sessions.add(sessionID, await sessions.prompted(sessionID, prompt.text))
  }))
  await ctx.session.hook("context", safe(async ({ sessionID, system }) => {
    system.push(...parts(await sessions.known(sessionID)))
  }))
  await ctx.session.hook("compaction", safe(async ({ sessionID, system }) => {
    system.push(...parts(await sessions.compacting(sessionID)))
  }))
  await ctx.tool.hook("execute.before", (call) =>
    unless(async () => sessions.mayNot(call.sessionID, call.tool, call.input)))
  await ctx.tool.hook("execute.after", safe(async ({ sessionID, tool, input }) => {
    sessions.add(sessionID, await sessions.ran(sessionID, tool, input))
  }))
  const over = new AbortController()
  const listen = async () => {
    for await (const { type, data } of ctx.event.subscribe({ signal: over.signal })) {
      const id = data?.sessionID
      if (type === "session.created") sessions.created(id, parentIn(data.info))
      if (type === "session.compaction.ended") sessions.compacted(id, data.text)
      if (type === "session.deleted") sessions.deleted(id)
      if (type === "session.text.delta") said.set(id, ((said.get(id) ?? "") + data.delta).slice(-LONGEST))
      if (type === "session.execution.succeeded") await sessions.stopped(id, said.get(id) ?? "")
    }
  }
  safe(listen)()
  return () => over.abort()
}

export default { id: "pimem", server, setup }
