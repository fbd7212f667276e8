// Writes to an agent from a terminal: `chat.ts`, or `chat.ts another-agent`.
import { createInterface } from 'node:readline'
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

const chat = openChat({ agent })
let isLost = false
chat.on('message', ({ text }) => show(`${agent}: ${text}`))
chat.on('ended', (reason) => {
  show(`(the conversation ended: ${reason})`)
  process.exit()
})
chat.on('disconnected', (reason) => {
  if (!isLost) show(`(no connection: ${reason}; trying again)`)
  isLost = true
})
chat.on('connected', () => {
  if (isLost) show('(connected again)')
  isLost = false
})

try {
  await chat.started
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}
if (isTerminal) show(`You are writing to ${agent}. Ctrl-D ends it.`)

for await (const line of lines) {
  if (line.trim() !== '') await chat.send(line).catch((error: Error) => show(`(${error.message})`))
  if (isTerminal) terminal.prompt()
}
await chat.end()
process.exit()
