import { Espeak } from './espeak.ts'
import { Speakers } from './voices.ts'
import { Turns } from './turns.ts'

// Both ways a message is a line of JSON; if it has `bytes`, that many raw bytes follow the line.

type Asked =
  | { id: number; type: 'speak'; text: string; voice?: string; language?: string; words_per_minute: number }
  | { id: number; type: 'taken'; count: number }
  | { id: number; type: 'cancel' }
  | { id: number; type: 'voices' }
  | { id: number; type: 'ping' }

// Both go to the whole group of a terminal or a supervisor; this one ends when its host closes its input.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.stdout.on('error', () => process.exit())
process.stderr.on('error', () => {})

const espeak = await Espeak.load()
const speakers = new Speakers(espeak.voices)
process.stderr.write(`local voice: loaded in ${Math.round(performance.now())} ms\n`)

const turns = new Turns(espeak, {
  audio(id, samples) {
    say({ id, type: 'audio', bytes: samples.byteLength })
    process.stdout.write(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
  },
  word: (id, word) => say({ id, type: 'word', ...word }),
  done: (id) => say({ id, type: 'done' }),
})

let unread = ''
process.stdin.setEncoding('utf8').on('data', (text: string) => {
  const lines = (unread + text).split('\n')
  unread = lines.pop() ?? ''
  for (const line of lines) answer(JSON.parse(line) as Asked)
})
process.stdin.on('close', () => process.exit())

function answer(asked: Asked) {
  if (asked.type === 'taken') turns.taken(asked.id, asked.count)
  else if (asked.type === 'cancel') turns.cancel(asked.id)
  else if (asked.type === 'ping') say({ type: 'pong' })
  else if (asked.type === 'voices') {
    say({ id: asked.id, type: 'voices', voices: speakers.listed() })
    say({ id: asked.id, type: 'done' })
  } else speak(asked)
}

function speak({ id, text, voice, language, words_per_minute }: Extract<Asked, { type: 'speak' }>) {
  const speaker = voice === undefined ? speakers.speaking(language) : speakers.named(voice)
  if (typeof speaker === 'string') say({ id, type: 'refused', words: speaker })
  else turns.speak(id, text, { identifier: speaker.identifier, wordsPerMinute: words_per_minute })
}

function say(message: object) {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}
