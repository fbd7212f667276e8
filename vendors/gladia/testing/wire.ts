import assert from 'node:assert/strict'
import { SoundAtVendor } from '@switchroom/kit/testing/rates-conformance'
import type { HttpAnswer, Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'

/** What it takes of live audio; it refuses any other rate. */
const rates = [8_000, 16_000, 32_000, 44_100, 48_000]
const bytesPerSample = 2
const createdAt = '2026-01-01T00:00:00.000Z'

const said = (start: number, text: string, speaker?: number) => {
  const [first = '', second = ''] = text.split(' ')
  return {
    start,
    end: start + 0.8,
    confidence: 0.9,
    channel: 0,
    text,
    language: 'fr',
    words: [
      { word: ` ${first}`, start, end: start + 0.3, confidence: 0.9 },
      { word: ` ${second}`, start: start + 0.4, end: start + 0.8, confidence: 0.9 },
    ],
    ...(speaker !== undefined && { speaker }),
  }
}

interface Session {
  model?: string
  sample_rate: number
  encoding: string
  bit_depth: number
  messages_config?: Record<string, boolean>
}

const event = (type: string, more: object = {}) => ({
  type,
  session_id: 'a-session',
  created_at: createdAt,
  ...more,
})

const transcript = (is_final: boolean) =>
  event('transcript', { data: { id: '00_00000001', is_final, utterance: said(0, 'Bonjour monde') } })

/** Gladia, live and for recordings; what it hears live is kept in `sound`. */
export function gladiaWire(sound = new SoundAtVendor()): Wire {
  const sessions = new Map<string, Session>()
  let looks = 0

  function begin({ headers, body }: Seen, answer: HttpAnswer) {
    const asked = JSON.parse(body.toString()) as Session
    assert.ok(rates.includes(asked.sample_rate), `sample_rate must be one of ${rates.join(', ')}`)
    assert.deepEqual([asked.encoding, asked.bit_depth], ['wav/pcm', 16])
    assert.equal(asked.model ?? 'solaria-1', 'solaria-1', 'the only model that listens live')
    const token = `token-${sessions.size}`
    sessions.set(token, asked)
    sound.rate = asked.sample_rate
    const url = `ws://${headers.host}/v2/live?token=${token}`
    return answer.json({ id: 'a-session', created_at: createdAt, url })
  }

  /** Guesses at the first audio and is sure once the recording is over. */
  function converse(socket: SocketAnswer, { url, headers }: Seen) {
    assert.equal(url.pathname, '/v2/live')
    assert.equal(headers['x-gladia-key'], undefined, 'the address carries a key of its own')
    const session = sessions.get(url.searchParams.get('token') ?? '')
    assert.ok(session, 'the token is one that it gave')
    const wants = (messages: string) => session.messages_config?.[`receive_${messages}`] ?? true
    let heardBytes = 0
    socket.onFrame((frame) => {
      if (Buffer.isBuffer(frame)) {
        const range = [heardBytes, heardBytes + frame.length]
        if (heardBytes === 0 && wants('partial_transcripts')) socket.send(transcript(false))
        heardBytes += frame.length
        sound.add(frame)
        if (!wants('acknowledgments')) return
        const time_range = range.map((bytes) => bytes / bytesPerSample / session.sample_rate)
        const data = { byte_range: range, time_range }
        return socket.send(event('audio_chunk', { acknowledged: true, error: null, data }))
      }
      assert.deepEqual(JSON.parse(frame), { type: 'stop_recording' })
      if (wants('acknowledgments'))
        socket.send(event('stop_recording', { acknowledged: true, error: null, data: null }))
      socket.send(transcript(true))
      if (wants('lifecycle_events')) {
        socket.send(event('end_recording', { data: { recording_duration: 1 } }))
        socket.send(event('end_session'))
      }
      return socket.close(1000)
    })
  }

  function look(answer: HttpAnswer) {
    looks += 1
    const job = { id: 'a-job', request_id: 'G-1', version: 2, created_at: createdAt, kind: 'pre-recorded' }
    if (looks === 1) return answer.json({ ...job, status: 'processing', result: null })
    return answer.json({
      ...job,
      status: 'done',
      result: {
        metadata: { audio_duration: 2.5, billing_time: 2.5 },
        transcription: {
          full_transcript: 'Bonjour monde Salut toi',
          languages: ['fr'],
          utterances: [said(0, 'Bonjour monde', 1), said(1.5, 'Salut toi', 0)],
        },
      },
    })
  }

  return {
    refusal: (message) => ({ statusCode: 400, message, request_id: 'G-1', timestamp: '', path: '/v2/live' }),
    socket: converse,
    http(seen, answer) {
      assert.ok(seen.headers['x-gladia-key'])
      const at = `${seen.method} ${seen.url.pathname}`
      if (at === 'POST /v2/live') return begin(seen, answer)
      if (at === 'POST /v2/upload') {
        assert.match(seen.body.toString('latin1'), /name="audio"; filename="[^"]+"/)
        return answer.json({ audio_url: 'https://api.gladia.io/file/a-file', audio_metadata: {} })
      }
      if (at === 'POST /v2/pre-recorded') {
        looks = 0
        const { audio_url: url } = JSON.parse(seen.body.toString()) as { audio_url: string }
        assert.equal(url, 'https://api.gladia.io/file/a-file')
        return answer.json({ id: 'a-job', result_url: 'https://api.gladia.io/v2/pre-recorded/a-job' })
      }
      assert.equal(at, 'GET /v2/pre-recorded/a-job')
      return look(answer)
    },
  }
}
