import type { HttpAnswer, Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'

type Json = Record<string, unknown>

/** Speechmatics on loopback, and what it was asked for. */
export interface SpeechmaticsWire extends Wire {
  readonly started: Json[]
  readonly jobs: { config: Json; body: string }[]
}

const secondsPerWord = 0.5

/** One word at each half of a second, or punctuation if it is written apart. */
export function results(from: number, words: readonly string[], speaker = 'UU') {
  return words.map((content, at) => {
    const isMark = /^\p{P}$/u.test(content)
    const start = from + at * secondsPerWord
    return {
      type: isMark ? 'punctuation' : 'word',
      start_time: start,
      end_time: isMark ? start : start + 0.4,
      ...(isMark && { attaches_to: 'previous', is_eos: content === '.' }),
      alternatives: [{ content, confidence: 0.98, language: 'en', speaker }],
    }
  })
}

export const transcript = (message: string, from: number, words: readonly string[], more: object = {}) => ({
  message,
  format: '2.9',
  metadata: { start_time: from, end_time: from + words.length * secondsPerWord, transcript: words.join(' ') },
  results: results(from, words),
  ...more,
})

export const started = (delimiter = ' ') => ({
  message: 'RecognitionStarted',
  id: 'a-session',
  orchestrator_version: '2026.11.1',
  language_pack_info: { word_delimiter: delimiter, writing_direction: 'left-to-right' },
})

const endOfUtterance = (at: number, more: object = {}) => ({
  message: 'EndOfUtterance',
  metadata: { start_time: at, end_time: at },
  ...more,
})

/** One utterance, that ends by silence or by request, and the end of a second one when no more audio comes. */
function converse(socket: SocketAnswer, asked: Json[]) {
  const refuse = (type: string, reason: string) => {
    socket.send({ message: 'Error', type, reason })
    socket.close(type === 'protocol_error' ? 1003 : 4004, type)
  }
  let audio = 0
  socket.onFrame((frame) => {
    if (Buffer.isBuffer(frame)) {
      audio += 1
      socket.send({ message: 'AudioAdded', seq_no: audio })
      if (audio > 1) return
      socket.send(transcript('AddPartialTranscript', 0, ['Hello', 'their']))
      socket.send(transcript('AddTranscript', 0, ['Hello']))
      return
    }
    const said = JSON.parse(frame) as Json
    if (said['message'] === 'StartRecognition') {
      const config = (said['transcription_config'] ?? {}) as Json
      asked.push(said)
      if (config['language'] === undefined) return refuse('invalid_config', 'language is missing')
      if (config['language'] === 'auto') return refuse('invalid_language', 'auto is for recordings')
      socket.send({
        message: 'Info',
        type: 'recognition_quality',
        reason: 'a broadcast model',
        quality: 'broadcast',
      })
      socket.send(started())
    } else if (said['message'] === 'ForceEndOfUtterance') {
      socket.send(transcript('AddTranscript', 0.5, ['there', '.'], { forced: true }))
      socket.send(endOfUtterance(1.5, { forced: true }))
    } else if (said['message'] === 'EndOfStream') {
      if (said['last_seq_no'] !== audio) return refuse('protocol_error', `${audio} pieces of audio came`)
      socket.send(transcript('AddTranscript', 2, ['Bye', '.']))
      socket.send({ message: 'EndOfTranscript' })
    } else refuse('invalid_message', `there is no ${String(said['message'])}`)
  })
}

async function doJob(
  { method, url, headers, body }: Seen,
  answer: HttpAnswer,
  wire: SpeechmaticsWire,
  jobs: Jobs,
) {
  const job = { id: 'a-job', created_at: '2026-11-17T00:00:00Z', data_name: 'audio.wav', duration: 3 }
  if (method === 'POST') {
    const form = await new Response(Buffer.from(body), {
      headers: { 'content-type': String(headers['content-type']) },
    }).formData()
    wire.jobs.push({
      config: JSON.parse(form.get('config') as string) as Json,
      body: body.toString('latin1'),
    })
    jobs.looks = 0
    return answer.json({ id: job.id })
  }
  if (method === 'DELETE') return answer.json({ job: { ...job, status: 'deleted' } })
  if (url.pathname === '/v2/jobs/a-job') {
    jobs.looks += 1
    return answer.json({ job: { ...job, status: jobs.looks === 1 ? 'running' : 'done' } })
  }
  return answer.json({
    format: '2.9',
    job,
    metadata: {
      created_at: job.created_at,
      type: 'transcription',
      transcription_config: wire.jobs.at(-1)?.config['transcription_config'],
      language_pack_info: { word_delimiter: ' ' },
    },
    results: [
      ...results(0, ['Hello', 'there', '.'], 'S1'),
      ...results(1.5, ['How', 'are', 'you', '?'], 'S2'),
    ],
  })
}

interface Jobs {
  looks: number
}

export function speechmaticsWire(): SpeechmaticsWire {
  const jobs: Jobs = { looks: 0 }
  const isKnown = ({ headers, url }: Seen) =>
    headers.authorization?.startsWith('Bearer ') ?? url.searchParams.has('jwt')
  const wire: SpeechmaticsWire = {
    started: [],
    jobs: [],
    refusal: (words) => ({ code: 400, error: 'Bad Request', detail: words }),
    socketRefusal(socket, words) {
      // never before the start: its clients listen for an answer only then
      socket.onFrame(() => {
        socket.send({ message: 'Error', type: 'not_authorised', reason: words })
        socket.close(4001, 'not_authorised')
      })
    },
    socket(socket, seen) {
      if (seen.url.pathname !== '/v2' || !isKnown(seen)) return socket.close(4001, 'not_authorised')
      converse(socket, wire.started)
    },
    async http(seen, answer) {
      if (isKnown(seen) && seen.url.pathname.startsWith('/v2/jobs')) await doJob(seen, answer, wire, jobs)
      else await answer.json({ code: 401, error: 'Permission Denied' })
    },
  }
  return wire
}
