import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import { dispose } from '@switchroom/media/testing/livekit-person'
import { pino } from 'pino'
import type { GatewayClient } from '../gateway-client.ts'
import { RoomCalls } from './livekit-call.ts'
import type { RoomTask } from '../process-messages.ts'

after(() => dispose())

test('a room that cannot be joined is closed, and a call that was opened for it ends', async (t) => {
  const server = await LiveKitFake.start()
  t.after(() => server.stop())
  const told: unknown[] = []
  const gateway = {
    openCall: async ({ call }: { call: string }) => ({ call, org: 'org_a', agent: 'desk', line: null }),
    append: async (call: string, { entries }: { entries: unknown[] }) => void told.push(call, ...entries),
  }
  const rooms = new RoomCalls({
    gateway: gateway as unknown as GatewayClient,
    logger: pino({ level: 'silent' }),
    sentence: async () => undefined,
    run: () => assert.fail('no call may run'),
  })
  for (const way of ['arrived', 'overflow', 'known', 'placed', 'lost'] as const) {
    const room = `room-${way}`
    server.dials.dispatch({ room, agentName: 'sandbox' })
    const task: RoomTask = {
      kind: 'room',
      call: `call_${way}`,
      env: 'sandbox',
      way,
      terms: { url: server.address.url, room, token: 'a token of another server' },
      server: server.address,
      endsAt: null,
      language: undefined,
    }
    await rooms.run(task)
    assert.deepEqual([...server.dials.rooms.keys()], [])
  }
  const ended = { type: 'call.ended', data: { reason: 'failed' } }
  assert.deepEqual(told, ['call_known', ended, 'call_placed', ended])
})
