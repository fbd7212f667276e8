import { availableParallelism } from 'node:os'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { BorrowedPrograms } from './borrowing.ts'
import type { Exchange } from './exchange.ts'
import { entryOf } from './installed-program.ts'
import { lend } from './lending.ts'
import type { Message } from './messages.ts'
import { ProgramPool, type Answering } from './program-pool.ts'
import { VoiceCache } from './voice-cache.ts'

/** More would only fall behind together: all share one thread, and half of a small machine is the host's. */
const fairShare = Math.min(8, 4 * availableParallelism())
/** A worker takes no more calls than it may run, so none of them is refused here: with many, partials are left out. */
const mostLent = 1_000

const usual = { idleMs: 5 * 60_000, loadsWithinMs: 120_000, pulseMs: 15_000, patienceMs: 3_000 }

/** The programs that speak and listen: those of this process, which may be lent to others, or another's. */
class SpeechPrograms {
  #isLent = false
  #borrowed: BorrowedPrograms | undefined
  readonly #most = () => (this.#isLent ? availableParallelism() : 1)
  readonly #voices = new ProgramPool({
    ...usual,
    name: 'the local voice',
    entry: () => entryOf('@switchroom/local-voice/program', 'the local voice'),
    most: this.#most,
    share: fairShare,
    refusesAt: () => Infinity,
  })
  readonly #mostStreams = () => (this.#isLent ? mostLent : fairShare)
  readonly #keptVoices = new VoiceCache(this.#voices)
  readonly #own: Readonly<Record<'voice' | 'hearing', Answering>> = {
    // only for calls: at the voice server the time of an answer would tell what others have said
    voice: { ask: (...asked) => (this.#isLent ? this.#keptVoices : this.#voices).ask(...asked) },
    hearing: new ProgramPool({
      ...usual,
      name: 'local speech-to-text',
      entry: () => fileURLToPath(new URL('hearing/program.ts', import.meta.url)),
      options: () => [String(this.#mostStreams())],
      most: this.#most,
      share: fairShare,
      refusesAt: this.#mostStreams,
    }),
  }

  ask(program: 'voice' | 'hearing', message: Message, signal: AbortSignal): Exchange {
    const answering = this.#borrowed?.named(program) ?? this.#own[program]
    return answering.ask(message, signal)
  }

  lend(channel: Duplex): void {
    this.#isLent = true
    lend(channel, this.#own)
  }

  borrow(channel: Duplex): void {
    this.#borrowed = new BorrowedPrograms(channel)
  }
}

export const speechPrograms = new SpeechPrograms()
