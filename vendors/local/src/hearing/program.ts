import { lineOf, type Message, MessageReader } from '../messages.ts'
import { Hearing } from './hearing.ts'
import { Moonshine } from './moonshine.ts'
import { loadSilero } from './silero.ts'
import type { Opened } from './stream.ts'

// Both go to the whole group of a terminal or a supervisor; this one ends when its host closes its input.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.stdin.on('close', () => process.exit())
process.stdout.on('error', () => process.exit())
process.stderr.on('error', () => {})

// Every failure in here is reported to the host, which knows who waits for an answer.
process.on('uncaughtException', giveUp)

const silero = await loadSilero()
const moonshine = await Moonshine.load()
await moonshine.hear(new Float32Array(0), () => true) // the first time takes several times as long
const hearing = new Hearing({ moonshine, silero, mostLive: Number(process.argv[2]) }, (id, answer) =>
  say({ ...answer, id }),
)
process.stderr.write(`local speech-to-text: loaded in ${Math.round(performance.now())} ms\n`)

const reader = new MessageReader()
process.stdin.on('data', (chunk: Buffer) => {
  for (const { message, bytes } of reader.read(chunk)) obey(message, bytes)
})

function obey({ type, id = 0, ...message }: Message, bytes: Uint8Array) {
  if (type === 'open') hearing.open(id, message as unknown as Opened)
  else if (type === 'audio') hearing.take(id, bytes)
  else if (type === 'finalize' || type === 'end') hearing.take(id, type)
  else if (type === 'cancel') hearing.cancel(id)
  else if (type === 'ping') say({ type: 'pong' })
}

function say(message: Message) {
  process.stdout.write(lineOf(message))
}

function giveUp(error: Error) {
  process.stdout.write(
    lineOf({ type: 'failed', words: `local speech-to-text failed: ${error.message}` }),
    () => process.exit(1),
  )
}
