import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import adapter from '../src/adapter.ts'

const program = fileURLToPath(new URL('borrower.ts', import.meta.url))

export interface Answered {
  said?: number
  listens?: boolean
  programs?: number
  kind?: string
  failed?: string
}

/** A process that uses the programs of this one. */
export function startBorrower(lend = (channel: Duplex) => adapter.lend?.(channel)): ChildProcess {
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'] })
  lend(child.stdio[4] as Duplex)
  return child
}

export async function ask(
  borrower: ChildProcess,
  what: { say: string } | { listen: true },
): Promise<Answered> {
  const answered = answerOf(borrower)
  borrower.send(what)
  return answered
}

export async function answerOf(borrower: ChildProcess): Promise<Answered> {
  const [answer] = (await once(borrower, 'message')) as [Answered]
  return answer
}
