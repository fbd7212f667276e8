import { Readable } from 'node:stream'
import { CallParams } from '@switchroom/contract/calls'
import { RecordedSound, RecordingLink, StoredRecording, Waveform } from '@switchroom/contract/recordings'
import { Refusal } from '../../foundation/refusals.ts'
import { scope, worker } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import { byteRangeOf } from '../../foundation/blobs/byte-range.ts'
import { formatOf, peaksIn } from './recording-formats.ts'
import type { Recordings } from './recordings.ts'

const path = '/v1/calls/:call/recording'
const sound = { content: { 'audio/wav': { schema: RecordedSound }, 'audio/ogg': { schema: RecordedSound } } }

/** In a scope of its own, in which a body of any content type is a stream. */
export async function recordingRoutes(server: Server, recordings: Recordings) {
  await server.register(async (inner) => {
    const own = inner as Server
    own.removeAllContentTypeParsers()
    own.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

    own.put(
      path,
      {
        access: worker,
        schema: {
          summary: 'Store the recording of a call that you run, as a WAV or Ogg Opus file of up to 200 MB',
          params: CallParams,
          describedBody: sound,
          response: { 200: StoredRecording, ...refusals(400, 404, 409, 413, 429, 503) },
        },
      },
      ({ caller, params, body, headers }) =>
        recordings.store(caller, params.call, body instanceof Readable ? body : Readable.from([]), {
          format: formatOf(headers['content-type']),
          peaks: peaksIn(headers['svc-peaks']),
        }),
    )
  })

  server.get(
    path,
    {
      access: scope('calls'),
      schema: {
        summary: "A call's recording, as a WAV or Ogg Opus file or the part of it that `Range` names",
        params: CallParams,
        response: { 200: sound, 206: sound, ...refusals(404, 416, 503) },
      },
    },
    async ({ caller, params, headers, method }, reply) => {
      const { bytes, mediaType, read } = await recordings.find(caller, params.call)
      const range = byteRangeOf(headers.range, bytes)
      if (range === 'outside') throw outside(bytes)
      const part = range ?? { start: 0, end: bytes - 1 }
      const content = method === 'HEAD' ? Readable.from([]) : await read(part)
      reply.type(mediaType).header('accept-ranges', 'bytes')
      if (range) reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${bytes}`)
      reply.header('content-length', part.end - part.start + 1)
      return reply.send(content)
    },
  )

  server.get(
    `${path}/link`,
    {
      access: scope('calls'),
      schema: {
        summary:
          'An address that the recording can be played and downloaded from for five minutes, without a key',
        params: CallParams,
        response: { 200: RecordingLink, ...refusals(404, 503) },
      },
    },
    ({ caller, params }) => recordings.link(caller, params.call),
  )

  server.get(
    `${path}/waveform`,
    {
      access: scope('calls'),
      schema: {
        summary: 'How loud each side of a recording is over its length, for a player',
        params: CallParams,
        response: { 200: Waveform, ...refusals(404) },
      },
    },
    ({ caller, params }) => recordings.waveform(caller, params.call),
  )
}

const outside = (bytes: number) =>
  new Refusal(416, `the recording has ${bytes} bytes, and the range begins behind them`, {
    'content-range': `bytes */${bytes}`,
  })
