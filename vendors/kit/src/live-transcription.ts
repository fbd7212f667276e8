import { setTimeout as sleep } from 'node:timers/promises'
import { bytesPerSample, sizedPieces, type PieceMs } from './audio-pieces.ts'
import { silent, type VendorFailure } from './failures.ts'
import type { Frame, VendorSocket } from './sockets.ts'
import { abandon, untilAborted } from './until-aborted.ts'
import type { Heard, LiveAudio } from './vendor.ts'

/** One vendor's live protocol. Created for every `listen`, so it may keep state. */
export interface LiveWire {
  open(signal: AbortSignal): Promise<VendorSocket>
  /** Whether an open socket alone means accepted; else `hear` must say `ready`. No audio goes out before. */
  isReadyOnceOpen?: boolean
  /** The shortest and longest piece of audio. Default: any length. */
  pieceMs?: PieceMs
  /** How far audio may run ahead of real time, for a vendor that refuses faster audio. */
  aheadMs?: number
  audio(pcm: Uint8Array): string | Uint8Array
  /** What commits the words so far, if anything is to be sent now; absent if the vendor commits only by itself. */
  finalize?(): string | Uint8Array | undefined
  /** Notifies the vendor that no more audio comes. */
  end(): string | Uint8Array
  /** Sent whenever nothing else was for so long; `frame` is asked each time. */
  keepAlive?: { everyMs: number; frame(): string | Uint8Array }
  /** What a frame says; throws a `VendorFailure` for one that says no. After `finished` nothing more is heard. */
  hear(frame: Frame): Iterable<Heard | 'finished'>
  /** What a close without `finished` means; null if the vendor finishes by closing. */
  closed?(closing: { code: number; reason: string }): VendorFailure | null
}

/** Sends and hears at once: what ends either of the two ends both, and the socket with them. */
export async function* listenLive(
  wire: LiveWire,
  audio: AsyncIterable<LiveAudio>,
  sampleRate: number,
  signal: AbortSignal,
): AsyncIterable<Heard> {
  const socket = await wire.open(signal)
  const over = new AbortController()
  const until = AbortSignal.any([signal, over.signal])
  let isReady = false
  let fault: { error: unknown } | undefined
  const begin = () => {
    isReady = true
    sendAll(wire, socket, audio, sampleRate, until).catch((error: unknown) => {
      if (!until.aborted) fault = { error }
      socket.end()
    })
  }
  try {
    if (wire.isReadyOnceOpen) {
      begin()
      yield { type: 'ready' }
    }
    for await (const frame of socket.frames())
      for (const heard of wire.hear(frame)) {
        if (heard === 'finished') return
        if (heard.type === 'ready' && isReady) continue
        if (heard.type === 'ready') begin()
        yield heard
      }
    signal.throwIfAborted()
    if (fault) throw fault.error
    const closing = socket.closing ?? { code: 1006, reason: '' }
    const failure = wire.closed ? wire.closed(closing) : silent(brokenOff(closing))
    if (failure) throw failure
  } finally {
    over.abort()
    socket.end()
  }
}

/** What to say of a socket that a vendor closed too early. */
export function brokenOff({ code, reason }: { code: number; reason: string }): string {
  return `it broke off: ${reason || `close code ${code}`}`
}

async function sendAll(
  wire: LiveWire,
  socket: VendorSocket,
  audio: AsyncIterable<LiveAudio>,
  sampleRate: number,
  until: AbortSignal,
) {
  const alive = keptAlive(wire, socket)
  let heardUntil = 0
  try {
    for await (const piece of sizedPieces(takenUntil(audio, until), sampleRate, wire.pieceMs)) {
      const frame = piece === 'finalize' ? wire.finalize?.() : wire.audio(piece)
      if (frame === undefined) continue
      alive.put()
      await socket.send(frame)
      if (piece === 'finalize' || wire.aheadMs === undefined) continue
      const now = performance.now()
      heardUntil = Math.max(heardUntil, now) + lengthMs(piece, sampleRate)
      const early = heardUntil - now - wire.aheadMs
      if (early > 0) await sleep(early, undefined, { signal: until })
    }
    await socket.send(wire.end())
  } finally {
    alive.stop()
  }
}

const lengthMs = (pcm: Uint8Array, sampleRate: number) => (pcm.length / bytesPerSample / sampleRate) * 1_000

/** Says something whenever nothing was said for a while. */
function keptAlive({ keepAlive }: LiveWire, socket: VendorSocket) {
  if (!keepAlive) return { put: () => {}, stop: () => {} }
  const timer = setInterval(() => void socket.send(keepAlive.frame()), keepAlive.everyMs)
  return { put: () => void timer.refresh(), stop: () => clearInterval(timer) }
}

/** What comes before the signal aborts; the source ends then, even while it waits. */
async function* takenUntil<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await untilAborted(iterator.next(), signal)
      if (next.done) return
      yield next.value
    }
  } finally {
    abandon(iterator)
  }
}
