import { WireFake, type HttpAnswer, type SocketAnswer } from '@switchroom/kit/testing/wire-fake'

/** What a vendor says that it heard in a recording, of two speakers whether that was asked for or not. */
export const heardText = 'hello there'
const words = [
  { word: 'hello', punctuated_word: 'hello', start: 0.1, end: 0.4, confidence: 1, speaker: 7 },
  { word: 'there', punctuated_word: 'there', start: 0.5, end: 0.9, confidence: 1, speaker: 3 },
]

export interface TranscriberWire {
  fake: WireFake
  /** The audio of every stream, in the order of their connections. */
  readonly streams: Buffer[][]
  /** What a stream says by itself once it has heard this many bytes. */
  partialEvery: number
  /** Whether the end of the audio is answered. */
  answersEnd: boolean
  /** Seconds of a recording, as the vendor reports them. */
  duration: number | null
}

/** The wire of one vendor's ears, for recordings and live. */
export async function startTranscriberWire(): Promise<TranscriberWire> {
  const wire: TranscriberWire = {
    fake: new WireFake({
      refusal: (message) => ({ err_code: 'BAD', err_msg: message, message }),
      http: (_request, answer) => recordingHeard(wire, answer),
      socket: (socket) => listen(wire, socket),
    }),
    streams: [],
    partialEvery: Infinity,
    answersEnd: true,
    duration: 2.5,
  }
  await wire.fake.start()
  return wire
}

async function recordingHeard(wire: TranscriberWire, answer: HttpAnswer) {
  const alternatives = [{ transcript: heardText, words }]
  await answer.json({
    metadata: wire.duration === null ? {} : { duration: wire.duration },
    results: { channels: [{ detected_language: 'en', alternatives }] },
  })
}

function listen(wire: TranscriberWire, socket: SocketAnswer) {
  const audio: Buffer[] = []
  wire.streams.push(audio)
  let bytes = 0
  let told = 0
  const results = (isFinal: boolean, transcript: string) => {
    const said = isFinal ? words.map((word) => ({ ...word, speaker: 7 })) : []
    const alternatives = [{ transcript, languages: ['en'], words: said }]
    socket.send({ type: 'Results', is_final: isFinal, start: 0, duration: 1, channel: { alternatives } })
  }
  const commit = () => {
    if (bytes > told) results(true, `${bytes - told} bytes`)
    told = bytes
  }
  socket.onFrame((frame) => {
    if (typeof frame !== 'string') {
      audio.push(frame)
      if (Math.floor((bytes + frame.length) / wire.partialEvery) > Math.floor(bytes / wire.partialEvery))
        results(false, 'so far')
      bytes += frame.length
      return
    }
    const { type } = JSON.parse(frame) as { type: string }
    if (type === 'Finalize') commit()
    if (type !== 'CloseStream' || !wire.answersEnd) return
    commit()
    socket.send({ type: 'Metadata' })
    socket.close()
  })
}
