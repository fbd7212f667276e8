import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Client } from '@switchroom/gateway/testing/client'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { entriesOf, SpokenAgent, typesOf } from '@switchroom/gateway/testing/calls/spoken-calls'
import { fleetKey, startOn, type Deployment } from '@switchroom/gateway/testing/deployment'
import { mediaSettings, PlacingOrg } from '@switchroom/gateway/testing/telephony/placing-fixture'
import { until } from '@switchroom/gateway/testing/until'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import { missing } from '@switchroom/tools/debian-packages'
import { DebianPostgres } from './debian-postgres.ts'
import { root } from './launch.ts'

const skip = missing('pg_dump')
const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')

/** The commands of the page, as an operator copies them. */
function commandsOf(title: 'back up' | 'restore'): string {
  const [, block] = new RegExp(`^\`\`\`sh\\n(# ${title}\\b[^]*?)^\`\`\`$`, 'm').exec(page) ?? []
  assert.ok(block, `docs/operations.md has commands to ${title}`)
  return block
}

async function runCommands(title: 'back up' | 'restore', programs: string, settings: Record<string, string>) {
  const shell = spawn('/bin/sh', ['-eu', '-c', commandsOf(title)], {
    env: { PATH: `${programs}:${process.env['PATH']}`, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (piece) => (said += String(piece)))
  const [status] = await once(shell, 'close')
  assert.equal(status, 0, said)
}

const databaseAt = (url: string) => ({
  url,
  drop: async () => {},
  takeAway: async () => {},
  giveBack: async () => {},
})

/** Stereo, 8000 samples a second, 16 bit, with a tenth of a second of sound. */
function recording(): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF\xff\xff\xff\xffWAVEfmt ', 0, 'latin1')
  for (const [value, at] of [
    [16, 16],
    [8000, 24],
    [32_000, 28],
  ] as const)
    header.writeUInt32LE(value, at)
  for (const [value, at] of [
    [1, 20],
    [2, 22],
    [4, 32],
    [16, 34],
  ] as const)
    header.writeUInt16LE(value, at)
  header.write('data\xff\xff\xff\xff', 36, 'latin1')
  return Buffer.concat([header, Buffer.alloc(3200, 1)])
}

/** Calls that are opened, talk and end, one after the other, for as long as the backup takes. */
class Load {
  readonly calls: string[] = []
  readonly #agent: SpokenAgent
  readonly #stop = new AbortController()
  readonly #ended: Promise<unknown>

  constructor(agent: SpokenAgent, atOnce: number) {
    this.#agent = agent
    this.#ended = Promise.all(Array.from({ length: atOnce }, () => this.#run()))
  }

  async #run() {
    while (!this.#stop.signal.aborted) {
      const call = await this.#agent.open()
      this.calls.push(call)
      for (const text of ['one', 'two', 'three'])
        done(
          await this.#agent.append(call, [{ type: 'user.message', data: { text, messageId: `m-${text}` } }]),
        )
      done(await this.#agent.append(call, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
    }
  }

  stop() {
    this.#stop.abort()
    return this.#ended
  }
}

const isEnded = (entries: Parameters<typeof typesOf>[0]) => typesOf(entries).includes('call.ended')

test(
  'a deployment that is backed up under load and restored on another server by the commands of docs/operations.md has its calls, recordings, secrets and numbers; what was live is ended, and nothing is dialled again',
  { skip },
  async (t) => {
    const [server, elsewhere] = [await DebianPostgres.start({ after }), await DebianPostgres.start({ after })]
    const [media, mediaElsewhere] = [await LiveKitFake.start(), await LiveKitFake.start()]
    after(() => Promise.all([media.stop(), mediaElsewhere.stop()]))
    const [backup, recordings, recordingsElsewhere] = [1, 2, 3].map(() => temporaryFolder(t)) as [
      string,
      string,
      string,
    ]
    const url = server.url('postgres')
    const deployment = await startOn(databaseAt(url), {
      SVC_DOMAIN: 'voice.example',
      ...mediaSettings(media),
      SVC_RECORDINGS: recordings,
    })
    after(() => deployment[Symbol.asyncDispose]())

    // before: a call with a recording, a number with a carrier's password, a dial that was refused by the far end
    const dialling = await PlacingOrg.open(deployment, 'sandbox')
    for (const { id } of done(await deployment.operator.get('/v1/ops/networks')).networks)
      done(await deployment.operator.post(`/v1/ops/networks/${id}/approve`))
    const number = '+34911230001'
    done(await dialling.client.post('/v1/numbers', { number, agent: 'desk', account: 'peer' }))
    const isAdmittedAt = ({ requests }: LiveKitFake) => JSON.stringify(requests).includes(number)
    await until('the number is admitted', () => isAdmittedAt(media))
    const desk = await new SpokenAgent(deployment, dialling.org, 'desk').route()
    const { key } = await dialling.org.serverToken('sandbox', { scopes: ['calls', 'numbers', 'talk'] })
    const whole = await desk.open()
    done(await desk.append(whole, [{ type: 'user.message', data: { text: 'hello', messageId: 'm-1' } }]))
    const stored = await deployment.anonymous.as(fleetKey).raw(`/v1/calls/${whole}/recording`, {
      method: 'PUT',
      headers: { 'content-type': 'audio/wav' },
      body: new Uint8Array(recording()),
    })
    assert.equal(stored.status, 200)
    done(await desk.append(whole, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
    media.dials.go(486)
    const busy = await dialling.dial(await dialling.known())
    assert.equal(await dialling.reason(busy), 'busy')

    // live while it is backed up: a spoken call, and a dial that rings
    const live = await desk.open()
    media.dials.go('hold')
    const ringing = await dialling.dial(await dialling.known())
    await until('it rings', () => media.dials.held.length > 0)

    const load = new Load(desk, 4)
    await until('calls come and go', () => load.calls.length > 8)
    await runCommands('back up', server.programs, {
      SVC_DATABASE_URL: url,
      SVC_RECORDINGS: recordings,
      BACKUP: backup,
    })
    await load.stop()
    const later = await desk.open() // after the backup, and lost with the old server
    const logs = new Map<string, string[]>()
    for (const call of [whole, busy, ...load.calls])
      logs.set(
        call,
        (await entriesOf(deployment, call)).map((entry) => JSON.stringify(entry)),
      )

    // the disaster: the server and its media server are gone
    await deployment[Symbol.asyncDispose]()
    await server.stop()
    const restoredUrl = elsewhere.url('switchroom')
    await runCommands('restore', elsewhere.programs, {
      NEW_SERVER_URL: elsewhere.url('postgres'),
      NEW_DATABASE_URL: restoredUrl,
      NEW_RECORDINGS: recordingsElsewhere,
      BACKUP: backup,
    })
    const settings = {
      SVC_DOMAIN: 'voice.example',
      ...mediaSettings(mediaElsewhere),
      SVC_RECORDINGS: recordingsElsewhere,
    }
    const otherKey = { ...settings, SVC_VAULT_KEY: Buffer.alloc(32, 8).toString('base64') }
    await assert.rejects(startOn(databaseAt(restoredUrl), otherKey), {
      message: "SVC_VAULT_KEY does not open this deployment's secrets",
    })
    const restored = await startOn(databaseAt(restoredUrl), settings)
    after(() => restored[Symbol.asyncDispose]())
    const reader = restored.anonymous.as(key)
    await assertRestored({ restored, reader, logs, whole, live, ringing, later, loaded: load.calls })

    await until('the number is admitted at the new media server', () => isAdmittedAt(mediaElsewhere))
    assert.match(
      JSON.stringify(mediaElsewhere.requests),
      /secret of peer/,
      'with the password that was sealed',
    )
    assert.deepEqual(mediaElsewhere.asked('CreateSIPParticipant'), [], 'nothing is dialled')
    const sound = await reader.raw(`/v1/calls/${whole}/recording`)
    assert.deepEqual([sound.status, sound.bytes], [200, recording()])
  },
)

interface Restored {
  restored: Deployment
  reader: Client
  /** What the logs of calls held before the disaster. */
  logs: Map<string, string[]>
  whole: string
  live: string
  ringing: string
  later: string
  loaded: readonly string[]
}

async function assertRestored({ restored, reader, logs, whole, live, ringing, later, loaded }: Restored) {
  const entries = (call: string) => entriesOf(restored, call)
  assert.equal((await reader.get(`/v1/calls/${whole}/events`)).status, 200, 'the key of before is valid')
  assert.equal(
    (await reader.get(`/v1/calls/${later}/events`)).status,
    404,
    'what came after the backup is lost',
  )

  // the dump is one moment: every log is what it was at that moment, without a gap
  const { rows } = await restored.sql('select id from calls where id = any($1)', [[...logs.keys()]])
  const kept = rows.map(({ id }) => String(id))
  assert.ok(kept.includes(whole) && kept.length > 3)
  for (const call of kept) {
    const before = logs.get(call) ?? []
    const now = (await entries(call)).map((entry) => JSON.stringify(entry))
    assert.deepEqual(now.slice(0, before.length), before.slice(0, now.length), call)
  }
  assert.deepEqual(
    (await entries(whole)).map((entry) => JSON.stringify(entry)),
    logs.get(whole),
  )

  // the dial that rang is ended; the spoken calls end as their worker is silent for 30 seconds
  const ended = await until('the dial is ended', async () => {
    const found = await entries(ringing)
    return isEnded(found) && found
  })
  assert.equal(ended.at(-1)?.data['reason'], 'dial_failed')
  restored.clock.forward(31_000)
  for (const call of [live, ...loaded.filter((each) => kept.includes(each))])
    await until(`${call} has ended`, async () => isEnded(await entries(call)))
  const lost = await entries(live)
  assert.equal(lost.find(({ type }) => type === 'error')?.data['code'], 'worker_lost')
}
