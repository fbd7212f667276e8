import type { HttpAnswer, Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'

type Json = Record<string, unknown>

/** Azure Speech on loopback, and what it was asked for. */
export interface AzureWire extends Wire {
  readonly configs: Json[]
  /** One for each turn. */
  readonly contexts: Json[]
  /** The rate that the header of each turn's sound names, and the bytes that came after it. */
  readonly sounds: { rate: number; bytes: number }[]
  readonly definitions: Json[]
  readonly spoken: { ssml: string; format: string }[]
}

const unitsPerSecond = 10_000_000

/** A word at each half of a second. */
export function phrase(text: string, from: number, more: object = {}) {
  const words = text.split(' ').map((word, at) => ({
    Word: word.toLowerCase().replaceAll(/\p{P}/gu, ''),
    Offset: (from + at / 2) * unitsPerSecond,
    Duration: 0.4 * unitsPerSecond,
  }))
  const lexical = words.map(({ Word }) => Word).join(' ')
  const best = {
    Confidence: 0.9,
    Lexical: lexical,
    ITN: lexical,
    MaskedITN: lexical,
    Display: text,
    Words: words,
  }
  return {
    Id: 'a-phrase',
    RecognitionStatus: 'Success',
    Offset: from * unitsPerSecond,
    Duration: (words.length / 2) * unitsPerSecond,
    DisplayText: text,
    NBest: [best],
    ...more,
  }
}

/** A frame of the client, read as the service reads it. */
export function readFrame(frame: string | Buffer): { path: string; request: string; body: Buffer } {
  const isText = typeof frame === 'string'
  const end = isText ? frame.indexOf('\r\n\r\n') : frame.readUInt16BE(0) + 2
  const heading = isText ? frame.slice(0, end) : frame.subarray(2, end).toString('latin1')
  const header = (name: string) => new RegExp(`^${name}:\\s*(.*?)\\s*$`, 'im').exec(heading)?.[1] ?? ''
  const body = isText ? Buffer.from(frame.slice(end + 4)) : frame.subarray(end)
  return { path: header('Path'), request: header('X-RequestId'), body }
}

/** Says something in one turn, under the client's name for it. */
export const sayer = (socket: SocketAnswer, request: string) => (path: string, body: object) =>
  socket.send(
    `X-RequestId:${request}\r\nContent-Type:application/json; charset=utf-8\r\nPath:${path}\r\n\r\n${JSON.stringify(body)}`,
  )

/** Who speaks, if the turn asked for it. */
function speakerIn(context: Json | undefined): { SpeakerId?: string } {
  const { speakerDiarization: asked } = (context?.['phraseDetection'] ?? {}) as Json
  return asked === undefined ? {} : { SpeakerId: 'Guest-1' }
}

/** One phrase for each turn, guessed at its first sound and known at its end. */
function converse(socket: SocketAnswer, wire: AzureWire) {
  let sound: { rate: number; bytes: number } | undefined
  socket.onFrame((frame) => {
    const { path, request, body } = readFrame(frame)
    const say = sayer(socket, request)
    if (path === 'speech.config') wire.configs.push(JSON.parse(body.toString()) as Json)
    else if (path === 'speech.context') {
      sound = undefined
      wire.contexts.push(JSON.parse(body.toString()) as Json)
    } else if (path === 'audio' && !sound) {
      sound = { rate: body.readUInt32LE(24), bytes: 0 }
      wire.sounds.push(sound)
      if (body.toString('latin1', 0, 4) !== 'RIFF') return socket.close(1007, 'the sound has no header')
      if (![8_000, 16_000].includes(sound.rate)) return socket.close(1007, `no sound of ${sound.rate} Hz`)
      say('turn.start', { context: { serviceTag: 'a-turn' } })
    } else if (path === 'audio' && sound && body.length > 0) {
      if (sound.bytes === 0) {
        say('speech.startDetected', { Offset: 100_000 })
        say('speech.hypothesis', {
          Id: 'a-guess',
          Text: 'hello there',
          Offset: 1_000_000,
          Duration: 4_000_000,
        })
      }
      sound.bytes += body.length
    } else if (path === 'audio') {
      say('speech.phrase', phrase('Hello there.', 0.1, speakerIn(wire.contexts.at(-1))))
      say('speech.phrase', { RecognitionStatus: 'EndOfDictation', Offset: 20_000_000, Duration: 0 })
      say('speech.endDetected', { Offset: 20_000_000 })
      say('turn.end', {})
    }
  })
}

async function transcribe({ headers, body }: Seen, answer: HttpAnswer, wire: AzureWire) {
  const form = await new Response(Buffer.from(body), {
    headers: { 'content-type': String(headers['content-type']) },
  }).formData()
  wire.definitions.push(JSON.parse(form.get('definition') as string) as Json)
  const said = (text: string, from: number, speaker: number) => ({
    speaker,
    offsetMilliseconds: from,
    durationMilliseconds: 1_000,
    text,
    words: text.split(' ').map((word, at) => ({
      text: word,
      offsetMilliseconds: from + at * 500,
      durationMilliseconds: 400,
    })),
    locale: 'en-US',
    confidence: 0.9,
  })
  return answer.json({
    durationMilliseconds: 2_500,
    combinedPhrases: [{ text: 'Hello there. Good bye.' }],
    phrases: [said('Hello there.', 0, 1), said('Good bye.', 1_500, 2)],
  })
}

async function speak({ headers, body }: Seen, answer: HttpAnswer, wire: AzureWire) {
  wire.spoken.push({ ssml: body.toString(), format: String(headers['x-microsoft-outputformat']) })
  answer.start({ 'content-type': 'audio/pcm' })
  for (const bytes of [4_801, 4_799, 9_600]) await answer.piece(Buffer.alloc(bytes, 7))
  answer.end()
}

const voiceList = [
  {
    Name: 'Microsoft Server Speech Text to Speech Voice (en-US, AvaMultilingualNeural)',
    DisplayName: 'Ava Multilingual',
    LocalName: 'Ava Multilingual',
    ShortName: 'en-US-AvaMultilingualNeural',
    Gender: 'Female',
    Locale: 'en-US',
    LocaleName: 'English (United States)',
    SecondaryLocaleList: ['de-DE', 'pt-BR'],
    SampleRateHertz: '48000',
    VoiceType: 'Neural',
    Status: 'GA',
    WordsPerMinute: '160',
  },
  {
    Name: 'Microsoft Server Speech Text to Speech Voice (pt-BR, AntonioNeural)',
    DisplayName: 'Antonio',
    LocalName: 'Antônio',
    ShortName: 'pt-BR-AntonioNeural',
    Gender: 'Male',
    Locale: 'pt-BR',
    LocaleName: 'Portuguese (Brazil)',
    StyleList: ['cheerful', 'calm'],
    SampleRateHertz: '48000',
    VoiceType: 'Neural',
    Status: 'GA',
  },
  {
    Name: 'Microsoft Server Speech Text to Speech Voice (en-US, Gone)',
    DisplayName: 'Gone',
    ShortName: 'en-US-Gone',
    Gender: 'Male',
    Locale: 'en-US',
    VoiceType: 'Neural',
    Status: 'Deprecated',
  },
]

/** Servers send the key in a header, browsers in the address. */
const isKnown = ({ headers, url }: Seen) =>
  headers['ocp-apim-subscription-key'] !== undefined || url.searchParams.has('Ocp-Apim-Subscription-Key')

export function azureWire(): AzureWire {
  const wire: AzureWire = {
    configs: [],
    contexts: [],
    sounds: [],
    definitions: [],
    spoken: [],
    refusal: (message) => ({ error: { code: 'InvalidRequest', message } }),
    socket(socket, seen) {
      const isPath = seen.url.pathname === '/speech/recognition/conversation/cognitiveservices/v1'
      if (!isPath || !isKnown(seen)) return socket.close(1008, 'no such recognition')
      const language = seen.url.searchParams.get('language') ?? ''
      if (!/^[a-z]{2,3}-[A-Z]{2}$/.test(language)) return socket.close(1007, `no language ${language}`)
      converse(socket, wire)
    },
    async http(seen, answer) {
      const at = `${seen.method} ${seen.url.pathname}`
      if (!isKnown(seen)) return answer.json({ error: { code: '401', message: 'no key' } })
      if (at === 'GET /cognitiveservices/voices/list') return answer.json(voiceList)
      if (at === 'POST /cognitiveservices/v1') return speak(seen, answer, wire)
      return transcribe(seen, answer, wire)
    },
  }
  return wire
}
