import { lineOf, type Message, MessageReader } from '../src/messages.ts'

// A program that says which process it is, and keeps a request open until it is ended or cancelled.

const reader = new MessageReader()
const open = new Set<number>()
process.stdin.on('data', (chunk: Buffer) => {
  for (const { message } of reader.read(chunk)) answer(message)
})
process.stdin.on('close', () => process.exit())

function answer({ type, id = 0 }: Message) {
  if (type === 'open') open.add(id)
  if (type === 'cancel') open.delete(id)
  if (type === 'ping') say({ type: 'pong' })
  else if (type === 'open') say({ type: 'here', id, pid: process.pid, open: open.size })
  else if (type === 'end') say({ type: 'done', id })
}

function say(message: Message) {
  process.stdout.write(lineOf(message))
}
