import { socketAddressOf } from '@switchroom/kit/addresses'
import { textOf } from '@switchroom/kit/keywords'
import { primaryTag } from '@switchroom/kit/languages'
import { brokenOff } from '@switchroom/kit/live-transcription'
import { silent } from '@switchroom/kit/failures'
import { openSocket, type VendorSocket } from '@switchroom/kit/sockets'
import { abandon, untilAborted } from '@switchroom/kit/until-aborted'
import type { RealtimeAsked, RealtimeModel, RealtimeTold, Setting } from '@switchroom/kit/vendor'
import { openAiAddress } from './address.ts'
import { RealtimeWire } from './realtime-wire.ts'
import { hintsOf } from './transcription-hints.ts'
import { wireVoice } from './voice.ts'

/** The only rate at which it takes and gives samples. */
const sampleRate = 24_000
const format = { type: 'audio/pcm', rate: sampleRate }
/** Says what the party said: the model itself hears the sound. */
const transcriber = 'gpt-live-transcribe'

export function realtime(setting: Setting): RealtimeModel {
  const { base_url: base = openAiAddress, model } = setting.keywords
  const headers = { authorization: `Bearer ${setting.credentials['api_key']}` }
  return {
    sampleRate,
    async *converse(asked, signal) {
      const socket = await openSocket(socketAddressOf(base, '/realtime', { model }), headers, signal)
      yield* conversed(socket, sessionOf(setting), asked, signal)
    },
  }
}

function sessionOf({ keywords }: Setting): object {
  const { voice = 'alloy', speed, language, prompt, transcription_model, silence_duration_ms } = keywords
  const model = textOf(transcription_model) ?? transcriber
  return {
    type: 'realtime',
    output_modalities: ['audio'],
    audio: {
      input: {
        format,
        transcription: {
          model,
          ...(typeof language === 'string' && { language: primaryTag(language) }),
          ...hintsOf(model, prompt),
        },
        // it reports speech, and the session decides what follows
        turn_detection: {
          type: 'server_vad',
          create_response: false,
          interrupt_response: false,
          ...(silence_duration_ms !== undefined && { silence_duration_ms }),
        },
      },
      output: { format, voice: wireVoice(String(voice)), ...(speed !== undefined && { speed }) },
    },
  }
}

async function* conversed(
  socket: VendorSocket,
  session: object,
  asked: AsyncIterable<RealtimeAsked>,
  signal: AbortSignal,
): AsyncIterable<RealtimeTold> {
  const over = new AbortController()
  const until = AbortSignal.any([signal, over.signal])
  const wire = new RealtimeWire((frame) => void socket.sendJson(frame))
  let isAsked = true
  let fault: { error: unknown } | undefined
  const ask = async () => {
    const iterator = asked[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await untilAborted(iterator.next(), until)
        if (next.done) break
        for (const frame of wire.ask(next.value)) await socket.sendJson(frame)
      }
      isAsked = false
    } catch (error) {
      if (!until.aborted) fault = { error }
    } finally {
      abandon(iterator)
      socket.end()
    }
  }
  try {
    await socket.sendJson(wire.opening(session))
    for await (const frame of socket.frames())
      for (const told of wire.hear(frame)) {
        if (told.type === 'ready') void ask()
        yield told
      }
    signal.throwIfAborted()
    if (fault) throw fault.error
    if (isAsked) throw silent(wire.lastWords ?? brokenOff(socket.closing ?? { code: 1006, reason: '' }))
  } finally {
    over.abort()
    socket.end()
  }
}
