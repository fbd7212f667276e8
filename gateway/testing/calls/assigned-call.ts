import assert from 'node:assert/strict'
import type { NewEntry } from '@switchroom/contract/log'
import type { Environment } from '@switchroom/contract/scopes'
import type { AssignedCall } from '../../src/calls/app-requests/app-requests.ts'
import { callLog } from '../../src/calls/log/entries.ts'
import type { Client } from '../client.ts'
import type { Deployment } from '../deployment.ts'

/** Opens a call with the client's key; sets the columns that a worker would know. */
export async function openCall(
  { sql }: Deployment,
  client: Client,
  agent: string,
  record: { channel?: string; caller?: string; called?: string; contact?: string; direction?: string } = {},
): Promise<AssignedCall> {
  const opened = await client.post('/v1/calls', { agent, channel: 'chat' })
  assert.equal(opened.status, 201, opened.text)
  for (const [column, value] of Object.entries(record))
    await sql(`update calls set ${column} = $2 where id = $1`, [opened.body.call, value])
  const { rows } = await sql('select id, org, env, agent, holder from calls where id = $1', [
    opened.body.call,
  ])
  const [{ id, org, env, holder }] = rows
  return { id, org, env: env as Environment, agent, holder }
}

/** Appends to the log of a call on one of the gateways, as its runner would. */
export const append = ({ gateway }: Deployment, call: AssignedCall, ...entries: NewEntry[]) =>
  gateway.services.log.append(callLog(call), entries)

export const toolCall = (id: string, app?: string, name = 'book'): NewEntry => ({
  type: 'llm.toolCall',
  data: { msgId: `msg-${id}`, toolCalls: [{ id, name, arguments: '{}' }], ...(app && { app }) },
})

/** The stored log of a call or an agent. */
export async function entriesOf(
  { sql }: Deployment,
  log: string,
): Promise<{ type: string; data: Data; call: string }[]> {
  const { rows } = await sql('select entry from entries where log = $1 order by seq', [log])
  return rows.map(({ entry }: { entry: string }) => JSON.parse(entry))
}

/** Tests read fields of what they are there to prove. */
// oxlint-disable-next-line typescript/no-explicit-any
type Data = any
