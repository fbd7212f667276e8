import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { Command, Option } from '../invocation/command.ts'
import { reasonOf, wrongUsage } from '../terminal/failures.ts'
import { readStandardInput } from '../terminal/prompts.ts'
import { plain } from '../terminal/text-width.ts'
import { speechClient, told, voiceServerOption } from './voice-server.ts'

const modelOption: Option = {
  name: 'model',
  value: 'vendor/model',
  summary: "the model (default: the platform's)",
}
const languageOption: Option = { name: 'language', value: 'tag', summary: 'such as en' }
const formats = ['wav', 'mp3', 'pcm'] as const

const speak: Command = {
  name: 'speak',
  summary: 'text-to-speech',
  arguments: [{ name: 'text', summary: 'the text; - or nothing reads standard input', isOptional: true }],
  options: [
    { name: 'voice', value: 'vendor/voice', summary: 'a voice from svc voices (default local/en-us)' },
    { name: 'out', value: 'path', summary: 'output file (default: standard output)' },
    {
      name: 'format',
      value: 'format',
      choices: formats,
      summary: "audio format (default: by --out's extension, else wav)",
    },
    { name: 'speed', value: 'factor', summary: '0.25 to 4' },
    modelOption,
    languageOption,
    voiceServerOption,
  ],
  examples: [
    'svc speak "Hello, it works." --out hello.wav',
    'svc speak "Hallo." --voice local/de --out hallo.wav',
    'cat page.txt | svc speak --voice local/en-us | aplay',
  ],
  async run(invocation) {
    const { out } = invocation
    const file = invocation.option('out')
    if (file === undefined && out.isTerminal)
      throw wrongUsage('--out is missing: name a file, or pipe the audio to a program')
    const text = invocation.optional('text') ?? '-'
    const input = text === '-' ? await readStandardInput() : text
    const language = invocation.option('language')
    const model = invocation.option('model')
    const speed = invocation.number('speed')
    const client = await speechClient(invocation)
    const audio = await told(
      invocation,
      client.speech({
        input,
        voice: invocation.option('voice') ?? 'local/en-us',
        response_format: formatOf(invocation.option('format'), file),
        ...(language !== undefined && { language }),
        ...(model !== undefined && { model }),
        ...(speed !== undefined && { speed }),
      }),
    )
    const bytes = await told(invocation, write(audio, file))
    const facts = { file: file ?? null, bytes, characters: audio.characters, audio_ms: audio.audioMs }
    if (file === undefined) return
    invocation.answer(facts, () => out.line(`${file}: ${(audio.audioMs / 1000).toFixed(1)} s`))
  },
}

function formatOf(wanted: string | undefined, file: string | undefined): (typeof formats)[number] {
  const ending = file?.split('.').at(-1)
  return formats.find((format) => format === (wanted ?? ending)) ?? 'wav'
}

/** Piece by piece as it is made: a player that is piped to begins at once. */
async function write(audio: AsyncIterable<Uint8Array>, file: string | undefined): Promise<number> {
  const sink = file === undefined ? process.stdout : createWriteStream(file)
  const written =
    file === undefined
      ? undefined
      : finished(sink).catch((error: unknown) => {
          throw wrongUsage(`${file} could not be written: ${reasonOf(error)}`)
        })
  written?.catch(() => {}) // reported below, when it is awaited
  let bytes = 0
  for await (const piece of audio) {
    bytes += piece.length
    if (!sink.write(piece) && !sink.destroyed) await once(sink, 'drain').catch(() => written)
  }
  if (file === undefined) return bytes
  sink.end()
  await written
  return bytes
}

const transcribe: Command = {
  name: 'transcribe',
  summary: 'speech-to-text of a recording',
  arguments: [{ name: 'file', summary: 'the recording' }],
  options: [
    modelOption,
    languageOption,
    { name: 'diarize', summary: 'label the speakers' },
    voiceServerOption,
  ],
  examples: ['svc transcribe hello.wav', 'svc transcribe meeting.mp3 --diarize --json'],
  async run(invocation) {
    const file = await invocation.bytesOf(invocation.argument('file'))
    const model = invocation.option('model')
    const language = invocation.option('language')
    const client = await speechClient(invocation)
    const answer = await told(
      invocation,
      client.transcribe({
        file,
        response_format: 'verbose_json',
        ...(model !== undefined && { model }),
        ...(language !== undefined && { language }),
        ...(invocation.flag('diarize') && { diarize: true }),
      }),
    )
    invocation.answer(answer, ({ text, segments }) => {
      if (!invocation.flag('diarize')) return invocation.out.line(plain(text))
      for (const { speaker, text: said } of segments) invocation.out.line(plain(`${speaker ?? '?'}: ${said}`))
    })
  },
}

const voices: Command = {
  name: 'voices',
  summary: 'voices for svc speak',
  options: [
    { name: 'provider', value: 'vendor', summary: 'only this vendor' },
    languageOption,
    voiceServerOption,
  ],
  examples: ['svc voices', 'svc voices --provider local --language en'],
  async run(invocation) {
    const provider = invocation.option('provider')
    const language = invocation.option('language')
    const client = await speechClient(invocation)
    const found = await told(
      invocation,
      client.voices({
        ...(provider !== undefined && { provider }),
        ...(language !== undefined && { language }),
      }),
    )
    invocation.answer({ voices: found }, ({ voices: all }) =>
      invocation.out.table(
        all,
        [
          { title: 'voice', isName: true, of: (voice) => `${voice.provider}/${voice.alias ?? voice.id}` },
          { title: 'name', of: ({ name }) => name },
          { title: 'languages', of: ({ languages }) => languages.map(({ code }) => code).join(' ') },
          { title: 'gender', of: ({ gender }) => gender },
          { title: 'description', of: ({ description }) => description },
        ],
        'No matching voices.',
      ),
    )
  },
}

export const speechCommands = [speak, transcribe, voices]
