// Written by `pimem hooks install`, which also replaces it; `pimem hooks uninstall pi` deletes it.
// Tells pimem what happens in a session, and the model what pimem answers. Whatever goes wrong here,
// pi goes on as if this file were not there.

const AGENT = "pi"

function textOf(content) {
  if (typeof content === "string") return content
  return (content ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n")
}

export default function (pi) {
  // Why the session started, until the model can be told what is remembered.
  let source
  // The input that becomes the next prompt, as it was before templates were put in its place.
  let input
  const speakerOf = (prompt) => {
    const given = input
    input = undefined
    if (given?.source === "extension") return "agent"
    return given?.source === "interactive" && given.text === prompt ? unlessStarted("person") : "unknown"
  }
  const about = (ctx) => ({
    session_id: ctx.sessionManager?.getSessionId?.() ?? ctx.sessionManager?.getSessionFile?.() ?? "",
    cwd: ctx.cwd,
    transcript_path: ctx.sessionManager?.getSessionFile?.(),
  })
  const on = (name, hook) =>
    pi.on(name, async (event, ctx) => {
      try {
        return await hook(event, about(ctx), ctx)
      } catch {}
    })

  async function opening(session) {
    const why = source
    source = undefined
    return why ? ask("session-start", { ...session, source: why }) : ""
  }

  on("session_start", (event, _, ctx) => {
    source = event.reason ?? "startup"
    // pi may have ended after a compaction, before the model could be told.
    const entries = ctx.sessionManager?.getBranch?.() ?? []
    const last = entries.findLastIndex((entry) => entry.type === "compaction")
    if (last >= 0 && !entries.slice(last).some((entry) => entry.customType === "pimem")) source = "compact"
  })
  on("input", ({ text, source }) => void (input = { text, source }))
  on("before_agent_start", async (event, session) => {
    const prompt = { ...session, speaker: speakerOf(event.prompt), prompt: event.prompt }
    const said = [await opening(session), await ask("prompt", prompt)].filter(Boolean)
    if (said.length) return { message: { customType: "pimem", content: said.join("\n\n"), display: false } }
  })
  on("tool_call", async (event, session) => {
    if (!["bash", "edit", "write"].includes(event.toolName)) return
    const reason = await refused({ ...session, tool_name: event.toolName, tool_input: event.input })
    if (reason) return { block: true, reason }
  })
  on("tool_result", async (event, session) => {
    // A compaction may have come in the middle of a turn.
    const said = [await opening(session)]
    const file = event.input?.path
    if (!event.isError && ["edit", "write"].includes(event.toolName) && typeof file === "string")
      said.push(await ask("post-tool", { ...session, tool_name: event.toolName, tool_input: { file_path: file } }))
    const added = said.filter(Boolean).map((text) => ({ type: "text", text }))
    if (added.length) return { content: [...event.content, ...added] }
  })
  on("turn_end", async (event, session) => {
    // A turn that used tools is followed by another.
    if (!event.toolResults?.length) await ask("stop", { ...session, response: textOf(event.message?.content) })
  })
  on("session_before_compact", async (event, session) => {
    // Nothing, unless observations are wanted in place of pi's own summary.
    const summary = await ask("pre-compact", session)
    const { firstKeptEntryId, tokensBefore } = event.preparation ?? {}
    if (summary && firstKeptEntryId) return { compaction: { summary, firstKeptEntryId, tokensBefore } }
  })
  on("session_compact", async (event, session) => {
    source = "compact"
    await ask("post-compact", { ...session, compact_summary: event.compactionEntry?.summary })
  })
  on("session_shutdown", async (event, session) => void (await ask("session-end", { ...session, reason: event.reason })))
}
