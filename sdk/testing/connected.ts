import type { TestContext } from 'node:test'
import { Agent, type AgentOptions } from '../src/agent.ts'
import { connect, type Switchroom } from '../src/switchroom.ts'
import { fakeGateway, type FakeGateway } from './fake-gateway.ts'

export const key = 'svc_live_of-the-tests'

/** The Call of a chat, as frames carry it. */
export const chatCall = {
  id: 'call_1',
  agent: 'desk',
  from: '+34911234567',
  to: null,
  direction: 'inbound',
  transport: 'chat',
  metadata: { plan: 'gold' },
  language: 'es',
  extension: null,
  routedFrom: null,
  lineTranscript: [],
  startedAt: 1_790_000_000_000,
} as const

/** A process that holds nothing yet. */
export function connectedTo(t: TestContext, { url }: FakeGateway): Switchroom {
  const switchroom = connect({ url, key })
  switchroom.on('disconnected', () => {})
  t.after(() => switchroom.close())
  return switchroom
}

/** An agent `desk` that a fake gateway has registered. */
export async function registeredAgent(t: TestContext, options: Partial<AgentOptions> = {}) {
  const gateway = await fakeGateway(t)
  const switchroom = connectedTo(t, gateway)
  const agent = new Agent({ name: 'desk', ...options })
  await switchroom.hold(agent)
  return { gateway, switchroom, agent }
}
