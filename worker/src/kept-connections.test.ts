import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { KeptConnections } from './kept-connections.ts'

test('lines that stop coming without an end are given up, for whoever sent them may be gone', async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(200).write(':ping\ndata: one\nda')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const connections = new KeptConnections(`http://127.0.0.1:${port}`, 'Bearer x')
  const heard: string[] = []
  const follow = async () => {
    for await (const line of connections.lines('/', {}, 200, new AbortController().signal)) heard.push(line)
  }
  await assert.rejects(follow())
  assert.deepEqual(heard, [':ping', 'data: one'])
})
