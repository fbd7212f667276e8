import assert from 'node:assert/strict'
import { join } from 'node:path'
import { conformance, listening, transcribing } from '@switchroom/kit/testing/conformance'
import { ratesConformance } from '@switchroom/kit/testing/rates-conformance'
import type { SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'
import { sonioxWire } from '../testing/wire.ts'

const folder = join(import.meta.dirname, '..')

/** The same socket, whose first frame is looked at. */
function configuredBy(socket: SocketAnswer, look: (configuration: Record<string, unknown>) => void) {
  let isFirst = true
  return {
    ...socket,
    onFrame: (take: (frame: string | Buffer) => void) =>
      socket.onFrame((frame) => {
        if (isFirst) look(JSON.parse(String(frame)) as Record<string, unknown>)
        isFirst = false
        take(frame)
      }),
  }
}

const vendor = sonioxWire()
const wire: Wire = {
  ...vendor,
  socket(socket, seen) {
    assert.match(seen.headers.authorization ?? '', /^Bearer mark-of-api_key/)
    const looked = configuredBy(socket, ({ api_key: key, ...asked }) => {
      assert.match(String(key), /^mark-of-api_key/)
      assert.deepEqual(asked, {
        model: 'stt-rt-v5',
        audio_format: 'pcm_s16le',
        sample_rate: 16_000,
        num_channels: 1,
        language_hints: ['pt'],
        context: { terms: ['Switchroom'] },
        enable_speaker_diarization: true,
        enable_language_identification: true,
        enable_endpoint_detection: true,
      })
    })
    vendor.socket?.(looked, seen)
  },
  http(seen, answer) {
    assert.match(seen.headers.authorization ?? '', /^Bearer mark-of-api_key/)
    if (seen.url.pathname === '/v1/files')
      assert.match(seen.body.toString('latin1'), /name="file"; filename="audio.wav"/)
    if (seen.method === 'POST' && seen.url.pathname === '/v1/transcriptions')
      assert.deepEqual(JSON.parse(seen.body.toString()), {
        model: 'stt-async-v5',
        file_id: 'a-file',
        enable_speaker_diarization: true,
        enable_language_identification: true,
      })
    return vendor.http?.(seen, answer)
  },
}

const words = [
  { word: 'Bom', start: 0, end: 0.2, speaker: 0 },
  { word: 'dia.', start: 0.24, end: 0.48, speaker: 0 },
  { word: 'Olá', start: 0.9, end: 1.08, speaker: 1 },
]

conformance(folder, wire, [
  listening('hears live', [new Uint8Array(640), new Uint8Array(640), 'finalize', 'finalize'], {
    choice: { knobs: { language: 'pt-BR', heard: ['Switchroom'], diarize: true } },
    expect(heard) {
      const final = { type: 'final', language: 'pt' }
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'partial', text: 'Bom' },
        { ...final, text: 'Bom dia.', start: 0, end: 0.48, speaker: 0, words: words.slice(0, 2) },
        { ...final, text: 'Olá', start: 0.9, end: 1.08, speaker: 1, words: words.slice(2) },
      ])
    },
  }),
  transcribing(
    'hears a recording',
    { bytes: wavOf(new Uint8Array(3_200), 16_000), mediaType: 'audio/wav' },
    {
      choice: { knobs: { diarize: true } },
      expect(transcript) {
        assert.deepEqual(transcript, {
          text: 'Bom dia. Olá',
          language: 'pt',
          duration: 1.2,
          words,
          segments: [
            { start: 0, end: 0.48, text: 'Bom dia.', speaker: 0 },
            { start: 0.9, end: 1.08, text: 'Olá', speaker: 1 },
          ],
        })
      },
    },
  ),
])

ratesConformance(folder, { wire: sonioxWire })
