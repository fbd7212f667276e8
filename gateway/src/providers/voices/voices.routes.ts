import { SampleVoice, VoiceList, VoiceSample, VoicesAsked } from '@switchroom/contract/voices'
import { settingsScope } from '../../http/access.ts'
import { callerGone } from '../../http/caller-gone.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Sample, Samples } from './samples.ts'
import type { Voices } from './voices.ts'

export function voiceRoutes(server: Server, voices: Voices, samples: Samples) {
  server.get(
    '/v1/voices',
    {
      access: settingsScope('pipeline'),
      schema: {
        summary: "The voices of a vendor: the platform's choice first, then the vendor's own",
        querystring: VoicesAsked,
        response: { 200: VoiceList, ...refusals(404, 502) },
      },
    },
    (request, reply) => voices.list(request.caller, request.query, callerGone(reply)),
  )

  server.post(
    '/v1/voices/sample',
    {
      access: settingsScope('pipeline'),
      schema: {
        summary: 'A sample of a voice, as a WAV file',
        body: SampleVoice,
        response: { 200: { content: { 'audio/wav': { schema: VoiceSample } } }, ...refusals(402, 429, 502) },
      },
    },
    async (request, reply) => {
      const sample = await samples.make(request.caller, request.body, callerGone(reply))
      return reply.type('audio/wav').header('server-timing', timingOf(sample)).send(sample.wav)
    },
  )
}

const timingOf = ({ firstAudioMs, totalMs }: Sample) =>
  `first-audio;dur=${firstAudioMs.toFixed(1)}, total;dur=${totalMs.toFixed(1)}`
