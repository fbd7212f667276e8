import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { resampled } from '@switchroom/audio/resampler'
import { findVendors } from '@switchroom/kit/installed'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { Agent, connect } from '@switchroom/sdk'
import { everydaySounds } from '@switchroom/session/testing/everyday-sounds'
import { startBenchDeployment } from './deployment.ts'
import { startFakedSpeech } from './faked-speech.ts'
import { startProcess } from './processes.ts'
import { judge, percentile, say } from './report.ts'
import { prepareOrg } from './spoken-calls.ts'
import { TalkingPhone } from './talking-phone.ts'

const interruptions = 24
const phoneRate = 8_000
const voiceRate = 24_000
const soundRate = 16_000
const loud = 500
/** Of each kind of sound that must not interrupt. */
const falseSeconds = 20
const betweenMs = 2_500
const withinMs = 20_000
const synthesisMs = 120_000
/** The agent is silent for so long once it has been interrupted. */
const silentMs = 600
/** −20 dB, 150 ms later. */
const echo = { gain: 0.1, frames: 7 }
const hum = 1_500

const question = 'What time is it?'
const callersWords = ['Wait, I have another question.', 'No, stop, please.', 'Sorry, can I say something?']
const backchannels = ['Uh-huh.', 'Okay.', 'Mm-hm.']
const agentsWords =
  'Our house opens at nine in the morning and closes at eleven at night. On Sundays we open a little later, ' +
  'because the market is on the square and nobody can park before noon. We have forty tables inside and twelve ' +
  'in the garden.'

/**
 * How long an agent is still heard after a caller began to speak over it, from the first sound that the phone sends
 * to the last that it hears, and how often sounds that are no interruption interrupt it. Real calls through a real
 * worker; the vendors are faked.
 */
export async function bargeIn(): Promise<boolean> {
  await using parts = new AsyncDisposableStack()
  const agents = await agentsSound()
  const spoken = await callersSpeech()
  const others = await otherSounds()
  let heard = question
  const fake = await startFakedSpeech({
    hears: () => heard,
    answers: Array.from({ length: 10 }, (_, n) => `This is sentence number ${n + 1} of it. `),
    sound: agents,
  })
  parts.defer(() => fake.stop())
  const fleetKey = `svc_fleet_${randomBytes(32).toString('base64url')}`
  const gateway = parts.use(
    await startBenchDeployment({
      SVC_FLEET_KEY: fleetKey,
      SVC_PROVIDER_KEY_OPENAI: 'bench',
      SVC_PROVIDER_KEY_DEEPGRAM: 'bench',
      SVC_NEW_ORG_CREDITS: '1000000',
    }),
  )
  const key = await prepareOrg(gateway.ask, fake.url, ['app', 'talk', 'calls'])
  const switchroom = connect({ app: 'bench', url: gateway.url, key })
  parts.defer(() => switchroom.close())
  const agent = new Agent({ name: 'bench', prompt: 'You tell the time.', settings: { language: 'en' } })
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
  const interruptedIn = async (): Promise<number> => {
    const answer = await fetch(`${gateway.url}/v1/calls/${call}/events?limit=1000`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const { entries } = (await answer.json()) as { entries: { type: string }[] }
    return entries.filter(({ type }) => type === 'bot.interrupted').length
  }

  const phone = await TalkingPhone.call(sipPort, 'bench', 'barge-in')
  await phone.say(question8k)
  const tookMs: number[] = []
  let missed = 0
  for (let nth = 0; tookMs.length + missed < interruptions && nth < 2 * interruptions; nth += 1) {
    await untilSpeaking(phone)
    await sleep(700 + 37 * nth) // at another place of its sentence each time
    const words = spoken[nth % spoken.length] ?? question8k
    const onsetMs = await phone.say(words)
    await untilSilent(phone)
    const afterMs = phone.lastLoudMs - onsetMs
    if (afterMs > withinMs / 2) missed += 1
    else if (afterMs > 0) tookMs.push(afterMs) // else a busy machine had let it fall silent before
  }
  await phone.hangUp()

  const falsely: string[] = []
  for (const { kind, words, sounds } of others) {
    heard = question
    const listener = await TalkingPhone.call(sipPort, 'bench', kind.replaceAll(' ', '-'))
    listener.echo = kind === 'echo' ? echo : null // from the first sound on, as a line has it
    await listener.say(question8k)
    await untilSpeaking(listener)
    heard = words
    listener.gapsMs = []
    const untilMs = performance.now() + falseSeconds * 1_000
    for (let nth = 0; performance.now() < untilMs; nth += 1) {
      const [name = kind, sound] = sounds[nth % sounds.length] ?? []
      const before = await interruptedIn()
      if (sound) await listener.say(sound)
      await sleep(betweenMs)
      if ((await interruptedIn()) > before) falsely.push(name)
    }
    const gaps = listener.gapsMs.map((ms) => `${Math.round(ms)} ms`)
    say(`  ${falseSeconds} s of ${kind}: the agent paused ${gaps.length} times${listed(gaps)}`)
    await listener.hangUp()
  }
  say(`  interrupted by ${falsely.length} of these sounds${listed(falsely)}`)

  const [p50, p95] = [percentile(tookMs, 50) / 1_000, percentile(tookMs, 95) / 1_000]
  const [load = 0] = loadavg()
  say(
    `  ${tookMs.length} interruptions, from the caller's first sound to the agent's last: p50 ${p50.toFixed(2)} s, p95 ${p95.toFixed(2)} s`,
  )
  say(`  each: ${tookMs.map((ms) => (ms / 1_000).toFixed(2)).join(' ')}`)
  say(`  the machine ran ${load.toFixed(1)} programs at a time on ${availableParallelism()} cores`)
  return [
    judge('callers who spoke over the agent in vain', interruptions - tookMs.length, {
      atMost: 0,
    }),
    judge('seconds from the caller to silence, p50', p50, { atMost: 0.35 }),
    judge(`interruptions by ${3 * falseSeconds} s of backchannels, noises and echo`, falsely.length, {
      atMost: 0,
    }),
  ].every(Boolean)
}

async function untilSpeaking(phone: TalkingPhone) {
  const sinceMs = performance.now()
  while (phone.lastLoudMs < sinceMs || !phone.isSilent) {
    if (performance.now() - sinceMs > withinMs) throw new Error('the agent did not answer')
    await sleep(20)
  }
}

async function untilSilent(phone: TalkingPhone) {
  const sinceMs = performance.now()
  while (performance.now() - phone.lastLoudMs < silentMs && performance.now() - sinceMs < withinMs)
    await sleep(20)
}

/** A person's, and that of the voice that ships: each begins with its first sound. */
async function callersSpeech(): Promise<Int16Array[]> {
  return [question8k, ...(await said(callersWords))]
}

const recorded = readFileSync(new URL('../../vendors/kit/testing/recordings/fox.wav', import.meta.url))
const question8k = fromFirstSound(
  resampled(new Int16Array(recorded.buffer.slice(recorded.byteOffset + 44)), soundRate, phoneRate),
).slice(0, 1.5 * phoneRate)

function fromFirstSound(samples: Int16Array): Int16Array {
  return samples.slice(
    Math.max(
      0,
      samples.findIndex((sample) => Math.abs(sample) > loud),
    ),
  )
}

const said = (texts: readonly string[]): Promise<Int16Array[]> =>
  Promise.all(texts.map(async (text) => fromFirstSound(await synthesised(text, phoneRate))))

/** What must not interrupt, and what the ears make of it: each sound with its name. */
async function otherSounds(): Promise<{ kind: string; words: string; sounds: [string, Int16Array][] }[]> {
  const noises = Object.entries(everydaySounds())
  const uttered = await said(backchannels)
  return [
    {
      kind: 'backchannels',
      words: 'Uh-huh.',
      sounds: uttered.map((sound, at) => [`"${backchannels[at]}"`, sound]),
    },
    {
      kind: 'noises around the caller',
      words: '',
      sounds: noises.map(([name, sound]) => [name, resampled(sound, soundRate, phoneRate)]),
    },
    { kind: 'echo', words: question, sounds: [] },
  ]
}

const listed = (names: readonly string[]) => (names.length > 0 ? `: ${names.join(', ')}` : '')

/** Speech over a hum, so that it has no pauses of its own. */
async function agentsSound(): Promise<Buffer> {
  const samples = await synthesised(agentsWords, voiceRate)
  return Buffer.from(
    samples.map((sample, at) => 0.7 * sample + hum * Math.sin((2 * Math.PI * 300 * at) / voiceRate)).buffer,
  )
}

async function synthesised(text: string, rate: number): Promise<Int16Array> {
  const voice = await findVendors()
    .get('local')
    ?.voice({ knobs: { language: 'en' }, credentials: {} })
  if (!voice) throw new Error('the vendor local is not installed')
  const pieces: Uint8Array[] = []
  for await (const spoken of voice.speak(text, AbortSignal.timeout(synthesisMs)))
    if (spoken.type === 'audio') pieces.push(spoken.pcm)
  const pcm = Buffer.concat(pieces)
  return resampled(
    new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length)),
    voice.sampleRate,
    rate,
  )
}
