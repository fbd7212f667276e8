import { asAnswer, type Operations } from './operation.ts'
import { done } from '../../agents/test-agents.ts'

const said = { type: 'user.message', data: { text: 'Hello', messageId: 'm1' } }
const ended = { type: 'call.ended', data: { reason: 'hangup' } }

export const callOperations: Operations = {
  'POST /v1/calls': async () => {
    return ({ admin }) => admin.post('/v1/calls', { agent: 'desk' })
  },
  'POST /v1/calls of a new agent': async (round) => {
    return ({ live }) => live.post('/v1/calls', { agent: round.name('new') })
  },
  'POST /v1/calls/:call/verbs that takes over': async (round) => {
    const call = await round.spoken()
    return ({ admin }) => admin.post(`/v1/calls/${call}/verbs`, { verb: 'takeover' })
  },
  'POST /v1/calls/:call/verbs that ends': async (round) => {
    const call = await round.spoken()
    return ({ admin }) => admin.post(`/v1/calls/${call}/verbs`, { verb: 'end' })
  },
  'POST /v1/worker/calls': async (round) => {
    const body = { number: round.org.lines.sandbox, from: round.contact, worker: 'races' }
    return ({ fleet }) => fleet.post('/v1/worker/calls', body)
  },
  'POST /v1/calls/:call/events': async (round) => {
    const call = await round.spoken()
    return ({ fleet }) => fleet.post(`/v1/calls/${call}/events`, { entries: [said] })
  },
  'POST /v1/calls/:call/events that end it': async (round) => {
    const call = await round.spoken()
    return ({ fleet }) => fleet.post(`/v1/calls/${call}/events`, { entries: [ended] })
  },
  'POST /v1/calls/:call/tools': async (round) => {
    const call = await round.spoken()
    const body = { msgId: 'm1', calls: [{ id: 't1', name: 'time', arguments: '{}' }] }
    return ({ fleet }) => fleet.post(`/v1/calls/${call}/tools`, body)
  },
  'POST /v1/calls/:call/preparing': async (round) => {
    const call = await round.spoken()
    return ({ fleet }) => fleet.post(`/v1/calls/${call}/preparing`, { turn: 1 })
  },
  'POST /v1/calls/:call/search': async (round) => {
    const call = await round.spoken()
    const base = await round.base()
    return ({ admin }) => admin.post(`/v1/calls/${call}/search`, { base, query: 'bread' })
  },
  'POST /v1/calls/:call/extension': async (round) => {
    const call = await round.waiting()
    return ({ fleet }) => fleet.post(`/v1/calls/${call}/extension`, { digits: '7' })
  },
  'PUT /v1/calls/:call/recording': async (round) => {
    const call = await round.spoken()
    const headers = { 'content-type': 'audio/wav' }
    const init = { method: 'PUT', headers, body: new Uint8Array(silence()) }
    return ({ fleet }) => fleet.raw(`/v1/calls/${call}/recording`, init)
  },
  'POST /v1/msgapp/webhook': async (round) => {
    return async ({ url }) => asAnswer(await round.deliver(url, 'Hello again'))
  },
  'POST /v1/agents/:agent/threads/:contact/messages': async (round) => {
    const contact = await round.thread()
    return ({ admin }) => admin.post(`/v1/agents/desk/threads/${contact}/messages`, { text: 'A person here' })
  },
  'POST /v1/agents/:agent/threads/:contact/templates': async (round) => {
    const contact = await round.thread()
    return ({ admin }) =>
      admin.post(`/v1/agents/desk/threads/${contact}/templates`, { name: 'reminder', variables: {} })
  },
  'PUT /v1/agents/:agent/threads/:contact/read': async (round) => {
    const contact = await round.thread()
    return ({ admin }) => admin.put(`/v1/agents/desk/threads/${contact}/read`, {})
  },
  'DELETE /v1/contacts/:contact of a thread': async (round) => {
    const contact = await round.thread()
    return ({ admin }) => admin.delete(`/v1/contacts/${encodeURIComponent(contact)}`)
  },
  'POST /v1/voice/entries': async (round) => {
    const { key } = await round.key()
    return ({ fleet }) => fleet.post('/v1/voice/entries', { doing: 'speech', key })
  },
  'POST /v1/voice/grants': async (round) => {
    const { key_id } = await round.key()
    return ({ fleet }) => fleet.post('/v1/voice/grants', round.speechOf(key_id))
  },
  'POST /v1/voice/grants/:grant/settlement': async (round) => {
    const grant = await round.grant()
    return ({ fleet }) => fleet.post(`/v1/voice/grants/${grant}/settlement`, { spoken: false })
  },
  'POST /v1/voice/streams': async (round) => {
    const { key_id } = await round.key()
    const asked = { doing: 'streams', key_id, model: 'managed', language: null }
    const { grant } = await round.once('stream', async () =>
      done(await round.site.fleet.post('/v1/voice/grants', asked)),
    )
    return ({ fleet }) => fleet.post('/v1/voice/streams', { streams: [{ grant: grant.id, seconds: 3 }] })
  },
}

/** A tenth of a second, stereo, 8000 samples a second, 16 bit. */
function silence(): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF\xff\xff\xff\xffWAVEfmt ', 0, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(2, 22)
  header.writeUInt32LE(8000, 24)
  header.writeUInt32LE(32_000, 28)
  header.writeUInt16LE(4, 32)
  header.writeUInt16LE(16, 34)
  header.write('data\xff\xff\xff\xff', 36, 'latin1')
  return Buffer.concat([header, Buffer.alloc(3200, 1)])
}
