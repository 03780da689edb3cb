// A session with `pimem mcp` by the TypeScript SDK, with roots.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const connect = async (cwd, roots) => {
  const capabilities = roots ? { roots: {} } : {}
  const client = new Client({ name: 'session.mjs', version: '1.0.0' }, { capabilities })
  if (roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map(dir => ({ uri: pathToFileURL(dir).href }))
    }))
  }
  await client.connect(new StdioClientTransport({ command: 'pimem', args: ['mcp'], env: process.env, cwd }))
  return client
}
const call = async (client, name, args) => {
  const result = await client.callTool({ name, arguments: args })
  assert.ok(!result.isError, JSON.stringify(result))
  return result.structuredContent
}

const project = process.cwd()
const client = await connect(project)
assert.equal(client.getServerVersion().name, 'pimem')
const { tools } = await client.listTools()
assert.deepEqual(tools.map(tool => tool.name),
  ['memory_search', 'memory_add', 'memory_update', 'memory_why', 'memory_context'])
const added = await call(client, 'memory_add', {
  entries: [{ text: 'Clamps are torqued to 12 Nm', category: 'decision' }, { text: ' ' }]
})
assert.deepEqual(added.results.map(one => one.action), ['added', 'refused'])
const { id } = added.results[0].entry
const found = await call(client, 'memory_search', { query: 'clamps', limit: 1 })
assert.equal(found.hits[0].id, id)
const edited = await call(client, 'memory_update', { entry: id, action: 'edit', text: 'Clamps are torqued to 14 Nm' })
assert.equal(edited.from, id)
assert.equal((await call(client, 'memory_why', { entry: edited.entry.id })).shown, true)
assert.match((await call(client, 'memory_context', { prompt: 'torque the clamps' })).text, /14 Nm/)
const wrong = await client.callTool({ name: 'memory_update', arguments: { entry: id, action: 'nothing' } })
assert.equal(wrong.isError, true)
await assert.rejects(client.callTool({ name: 'memory_purge', arguments: {} }), { code: -32602 })
await assert.rejects(client.readResource({ uri: 'pimem://nothing' }), { code: -32002 })
const { resources } = await client.listResources()
for (const { uri } of resources) {
  assert.ok((await client.readResource({ uri })).contents[0].text, uri)
}
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 4)
const { prompts } = await client.listPrompts()
assert.equal(prompts.length, 3)
const recall = await client.getPrompt({ name: 'recall', arguments: { task: 'clamp' } })
assert.match(recall.messages[0].content.text, /14 Nm/)
await client.ping()
await client.close()
assert.match(readFileSync('.pi/memory/evidence.jsonl', 'utf8'), /"by":"session.mjs"/)

// Started where a plugin lies, it goes by the client's roots, and without them it writes nothing.
const cache = `${process.env.HOME}/.claude/plugins/cache/pimem`
mkdirSync(cache, { recursive: true })
const rooted = await connect(cache, [project])
await call(rooted, 'memory_add', { text: 'Said by a client with roots' })
await rooted.close()
assert.match(readFileSync('.pi/memory/topics/lessons.md', 'utf8'), /by a client with roots/)
const lost = await connect(cache)
const refused = await lost.callTool({ name: 'memory_add', arguments: { text: 'Lost' } })
assert.equal(refused.isError, true)
assert.match(refused.content[0].text, /project/)
await lost.close()
console.log('typescript: whole session, roots, and no project')
