// Writes to an agent from a terminal: `chat.ts`, or `chat.ts another-agent`.
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { openChat } from '@switchroom/sdk'

const agent = process.argv[2] ?? 'hello'
const isTerminal = process.stdin.isTTY && process.stdout.isTTY
const terminal = createInterface({ input: process.stdin, output: isTerminal ? process.stdout : undefined })
const lines = terminal[Symbol.asyncIterator]() // from the start, or what is typed meanwhile is lost
terminal.setPrompt('you: ')

/** Above the line that is being typed. */
function show(text: string): void {
  process.stdout.write(isTerminal ? `\r\u001b[K${text}\n` : `${text}\n`)
  if (isTerminal) terminal.prompt(true)
}

/** Lines that come from a file wait for their answers, as a person would. */
let latest = 0
let awaited: { seq: number; came: () => void } | undefined
async function answerTo(seq: number): Promise<void> {
  if (latest > seq) return
  const answer = new Promise<void>((came) => (awaited = { seq, came }))
  await Promise.race([answer, sleep(60_000)])
}

const chat = openChat({ agent })
let isLost = false
chat.on('message', ({ text, seq }) => {
  show(`${agent}: ${text}`)
  latest = seq
  if (awaited && seq > awaited.seq) awaited.came()
})
chat.on('ended', (reason) => {
  show(`(the conversation ended: ${reason})`)
  process.exit()
})
chat.on('disconnected', (reason) => {
  if (!isLost) show(`(no connection: ${reason}; reconnecting)`)
  isLost = true
})
chat.on('connected', () => {
  if (isLost) show('(reconnected)')
  isLost = false
})

try {
  await chat.started
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}
if (isTerminal) show(`Chatting with ${agent}. Press Ctrl-D to end.`)

for await (const line of lines) {
  const isSaid = line.trim() !== ''
  const sent = isSaid && (await chat.send(line).catch((error: Error) => show(`(${error.message})`)))
  if (isTerminal) terminal.prompt()
  else if (sent) await answerTo(sent.seq)
}
await chat.end()
process.exit()
