import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { wavOf } from '@switchroom/audio/wav'
import { findVendors } from '@switchroom/kit/installed'
import { wordErrors, wordsOf } from '@switchroom/kit/testing/word-errors'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { Agent, connect } from '@switchroom/sdk'
import { startBenchDeployment } from './deployment.ts'
import { startFakedSpeech } from './faked-speech.ts'
import { startProcess } from './processes.ts'
import { phoneRate, type Recording, recordingsIn } from './recordings.ts'
import { judge, percentile, say } from './report.ts'
import { callFrom, startPhones } from './spoken-calls.ts'

const recordingsVariable = 'BENCH_RECORDINGS'
const mostRecordings = 32
const perCall = 8
/** In samples. */
const pause = phoneRate / 2
/** A line and live listening cost some words beyond those that the same ears mishear in the recordings themselves. */
const mostTimesWrong = 1.5
const mostSplit = 0.1

interface Heard {
  recording: Recording
  /** What the log has of it, turn by turn. */
  turns: string[]
  /** To the first sound of the answer; undefined if none came. */
  tookMs: number | undefined
}

/**
 * People's recorded speech on a phone line, heard by the ears that ship: word errors, recordings that were taken for
 * two turns, and the time to the answer. The model and the voice are faked.
 * `BENCH_RECORDINGS=folder npm run bench -- human-speech`, the folder in the form of LJ Speech; it takes seven minutes.
 */
export async function humanSpeech(): Promise<boolean> {
  const folder = process.env[recordingsVariable]
  if (folder === undefined || !existsSync(join(folder, 'metadata.csv'))) {
    say(
      `left out human-speech: set ${recordingsVariable} to a folder in the form of LJ Speech (metadata.csv with name|words, wavs/name.wav), ` +
        'such as LJSpeech-1.1 itself, which is in the public domain',
    )
    return true
  }
  const recordings = recordingsIn(folder, mostRecordings)
  const wrongWhole = await wrongIfHeardWhole(recordings)
  const heard = await heardOnThePhone(recordings)

  let [wrong, said] = [0, 0]
  for (const { recording, turns } of heard) {
    const { words, errors } = judged(recording, turns.join(' '))
    wrong += errors
    said += words
    if (errors > 0 || turns.length !== 1)
      say(`  ${recording.name}: ${errors} wrong; ${turns.map((turn) => `"${turn}"`).join(' | ')}`)
  }
  const split = heard.filter(({ turns }) => turns.length > 1).length
  const unheard = heard.filter(({ turns }) => turns.length === 0).length
  say(
    `  ${recordings.length} recordings, ${said} words: ${share(wrong / said)} wrong on the line, ${share(wrongWhole / said)} if each is heard as a whole; ` +
      `${split} taken for more than one turn`,
  )
  sayLatency('after a whole sentence', heard.filter(isWhole))
  sayLatency(
    'after a clause that may go on',
    heard.filter((one) => !isWhole(one)),
  )
  const [load = 0] = loadavg()
  say(`  the machine ran ${load.toFixed(1)} programs at a time on ${availableParallelism()} cores`)
  const isHeard = judge('recordings without an answer', unheard, { atMost: 0 })
  const times = wrong / Math.max(1, wrongWhole)
  const what = 'words wrong on the line, in times of those in the recordings as a whole'
  const isRight = judge(what, times, { atMost: mostTimesWrong })
  const isUndivided = judge('recordings taken for more than one turn, of all', split / recordings.length, {
    atMost: mostSplit,
  })
  return isHeard && isRight && isUndivided
}

const share = (of: number) => `${(100 * of).toFixed(1)} percent`

/** As it is written best: a number may be heard in figures or in words. */
function judged({ texts }: Recording, heard: string): { words: number; errors: number } {
  const [best] = texts
    .map((text) => ({ words: wordsOf(text).length, errors: wordErrors(wordsOf(text), wordsOf(heard)) }))
    .toSorted((one, other) => one.errors - other.errors)
  return best ?? { words: 0, errors: 0 }
}

/** By the same ears, without a line and without haste. */
async function wrongIfHeardWhole(recordings: readonly Recording[]): Promise<number> {
  const ears = await findVendors()
    .get('local')
    ?.transcriber({ knobs: { language: 'en' }, credentials: {} })
  let wrong = 0
  for (const recording of recordings) {
    const samples = new Int16Array(recording.samples.length + 2 * pause)
    samples.set(recording.samples, pause) // as on a line, there is a silence before and behind it
    const bytes = wavOf(new Uint8Array(samples.buffer), phoneRate)
    const heard = await ears?.transcribe?.({ bytes, mediaType: 'audio/wav' }, AbortSignal.timeout(60_000))
    wrong += judged(recording, heard?.text ?? '').errors
  }
  return wrong
}

const isWhole = ({ recording }: Heard) => recording.texts.some((text) => /[.!?]$/.test(text))

function sayLatency(when: string, heard: readonly Heard[]): void {
  // who was answered in the middle of a sentence has no time to the answer behind it
  const tookMs = heard.flatMap(({ turns, tookMs: took }) => (turns.length === 1 && took ? [took] : []))
  const seconds = (percent: number) => (percentile(tookMs, percent) / 1000).toFixed(2)
  say(`  first sound ${when} (${tookMs.length}): p50 ${seconds(50)} s, p95 ${seconds(95)} s`)
}

async function heardOnThePhone(recordings: readonly Recording[]): Promise<Heard[]> {
  await using parts = new AsyncDisposableStack()
  const fake = await startFakedSpeech()
  parts.defer(() => fake.stop())
  const fleetKey = `svc_fleet_${randomBytes(32).toString('base64url')}`
  const gateway = parts.use(
    await startBenchDeployment({
      SVC_FLEET_KEY: fleetKey,
      SVC_PROVIDER_KEY_OPENAI: 'bench',
      SVC_NEW_ORG_CREDITS: '1000000',
    }),
  )
  const row = await gateway.ask('GET', '/v1/ops/providers')
  for (const stage of ['llm/openai', 'tts/openai'])
    row.options[stage] = { ...row.options[stage], base_url: fake.url }
  row.defaults = { ...row.defaults, llm: 'openai/gpt-4.1-mini', stt: 'local/auto', tts: 'openai' }
  row.models['tts/openai'] = ['gpt-4o-mini-tts']
  await gateway.ask('PUT', '/v1/ops/providers', row)
  await gateway.ask('POST', '/v1/ops/orgs', { slug: 'bench' })
  const token = { label: 'bench', env: 'sandbox', scopes: ['app', 'talk', 'calls'] }
  const key = String((await gateway.ask('POST', '/v1/ops/orgs/bench/keys', token)).key)

  const switchroom = connect({ app: 'bench', url: gateway.url, key })
  parts.defer(() => switchroom.close())
  const settings = { greeting: { say: 'Hello.' }, language: 'en' }
  const agent = new Agent({ name: 'bench', prompt: 'You tell the time.', settings })
  let call = ''
  agent.on('call.started', ({ id }) => void (call = id))
  await switchroom.hold(agent)
  const sipPort = await freePort()
  parts.use(
    await startProcess('worker/src/main.ts', {
      SVC_GATEWAY_URL: gateway.url,
      SVC_FLEET_KEY: fleetKey,
      SVC_SIP_PORT: String(sipPort),
      SVC_SIP_LOCAL_ORG: 'bench',
      SVC_LOG_LEVEL: 'warn',
    }),
  )
  const phones = await startPhones()
  parts.defer(() => phones.stop())
  const turnsOf = async (): Promise<string[]> => {
    const answer = await fetch(`${gateway.url}/v1/calls/${call}/events?limit=1000`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const page = (await answer.json()) as { entries: { type: string; data: { text?: string } }[] }
    return page.entries.filter(({ type }) => type === 'user.message').map(({ data }) => data.text ?? '')
  }

  const [warming] = recordings
  if (warming) {
    const phone = await callFrom(phones, sipPort)
    await phone.untilGreeted()
    await phone.ask(warming.samples) // the ears are loaded by then
    await phone.hangUp()
  }
  const heard: Heard[] = []
  for (let first = 0; first < recordings.length; first += perCall) {
    call = ''
    const phone = await callFrom(phones, sipPort)
    await phone.untilGreeted()
    let before = 0
    for (const recording of recordings.slice(first, first + perCall)) {
      const tookMs = await phone.ask(recording.samples)
      await phone.untilQuiet()
      await sleep(1_000) // what was taken for a second turn is answered, too
      await phone.untilQuiet()
      const turns = await turnsOf()
      heard.push({ recording, turns: turns.slice(before), tookMs })
      before = turns.length
    }
    await phone.hangUp()
  }
  return heard
}
