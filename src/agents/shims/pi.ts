// Written by `pimem hooks install`, which also replaces it; `pimem hooks uninstall pi` deletes it.
// Tells pimem what happens in a session, and the model what pimem answers. Whatever goes wrong here,
// pi goes on as if this file were not there.

const AGENT = "pi"

function textOf(content) {
  if (typeof content === "string") return content
  return (content ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\n")
}

export default function (pi) {
  // What came while nothing could be said to the model.
  let waiting = []
  const about = (ctx) => ({
    session_id: ctx.sessionManager?.getSessionId?.() ?? ctx.sessionManager?.getSessionFile?.() ?? "",
    cwd: ctx.cwd,
    transcript_path: ctx.sessionManager?.getSessionFile?.(),
  })
  const on = (name, hook) =>
    pi.on(name, async (event, ctx) => {
      try {
        return await hook(event, about(ctx))
      } catch {}
    })

  on("session_start", async (event, session) => {
    waiting = [await ask("session-start", { ...session, source: event.reason })]
  })
  on("before_agent_start", async (event, session) => {
    const said = [...waiting, await ask("prompt", { ...session, prompt: event.prompt })].filter(Boolean)
    waiting = []
    if (said.length) return { message: { customType: "pimem", content: said.join("\n\n"), display: false } }
  })
  on("tool_result", async (event, session) => {
    if (event.isError || !["edit", "write"].includes(event.toolName) || typeof event.input?.path !== "string") return
    const input = { tool_name: event.toolName, tool_input: { file_path: event.input.path } }
    waiting.push(await ask("post-tool", { ...session, ...input }))
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
  on("session_compact", async (_, session) => {
    waiting = [await ask("session-start", { ...session, source: "compact" })]
  })
  on("session_shutdown", async (event, session) => void (await ask("session-end", { ...session, reason: event.reason })))
}
