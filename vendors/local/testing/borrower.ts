import { Socket } from 'node:net'
import type { VendorFailure } from '@switchroom/kit/failures'
import adapter from '../src/adapter.ts'
import { patient, programsUnder, transcriber, voice } from './speech.ts'

// A process that borrows the programs of the one that started it. It does what it is sent, and answers with what came of it.

adapter.borrow?.(new Socket({ fd: 4 }))

process.on('message', ({ say }: { say?: string }) => {
  void (say === undefined ? listen() : speak(say))
})
process.on('disconnect', () => process.exit(0))

async function speak(text: string) {
  let bytes = 0
  try {
    for await (const piece of voice().speak(text, patient()))
      if (piece.type === 'audio') bytes += piece.pcm.length
    answer({ said: bytes })
  } catch (error) {
    answer(wordsOf(error))
  }
}

/** Until it fails: no sound comes. */
async function listen() {
  try {
    for await (const heard of transcriber().listen(silence(), 16_000, patient()))
      if (heard.type === 'ready')
        answer({ listens: true, programs: (await programsUnder(process.pid, 'program.ts')).length })
  } catch (error) {
    answer(wordsOf(error))
  }
}

async function* silence() {
  yield Buffer.alloc(3_200)
  await new Promise(() => {})
}

const wordsOf = (error: unknown) => ({
  kind: (error as VendorFailure).kind,
  failed: (error as Error).message,
})
const answer = (message: object) => process.send?.(message)
