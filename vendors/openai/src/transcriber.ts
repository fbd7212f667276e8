import { addressOf } from '@switchroom/kit/addresses'
import { silent } from '@switchroom/kit/failures'
import { codeOfLanguage, primaryTag } from '@switchroom/kit/languages'
import { formWith } from '@switchroom/kit/recordings'
import { ask, jsonOf } from '@switchroom/kit/requests'
import { eventOf, serverEvents } from '@switchroom/kit/server-events'
import type { Recording, Transcriber, Setting, Transcript } from '@switchroom/kit/vendor'
import { openAiAddress } from './address.ts'
import { hintsOf } from './transcription-hints.ts'

/** The only model that reports when each word was said. */
const tellsTimes = 'whisper-1'

export function transcriber({ keywords, credentials }: Setting): Transcriber {
  const { base_url: base = openAiAddress, language, prompt, ...rest } = keywords
  const address = addressOf(String(base), '/audio/transcriptions')
  const translations = addressOf(String(base), '/audio/translations')
  const headers = { authorization: `Bearer ${credentials['api_key']}` }
  const formOf = (recording: Recording) => {
    const form = formWith('file', recording)
    for (const [keyword, value] of Object.entries(rest)) form.set(keyword, String(value))
    return form
  }
  return {
    async transcribe(recording, signal, tell) {
      const form = formOf(recording)
      if (typeof language === 'string') form.set('language', primaryTag(language)) // `pt-BR` is refused
      const hints = hintsOf(String(rest['model']), prompt)
      if (hints.prompt !== undefined) form.set('prompt', hints.prompt)
      for (const word of hints.keywords ?? []) form.append('keywords[]', word)
      const isTimed = rest['model'] === tellsTimes
      form.set('response_format', isTimed ? 'verbose_json' : 'json')
      if (isTimed) for (const unit of ['word', 'segment']) form.append('timestamp_granularities[]', unit)
      if (tell && !isTimed) form.set('stream', 'true')
      const answer = await ask(address, { headers, body: form, signal })
      return transcriptOf(
        tell && isEventStream(answer) ? await streamed(answer, tell) : ((await jsonOf(answer)) as Answer),
      )
    },

    async translate(recording, signal) {
      const form = formOf(recording)
      form.set('response_format', 'verbose_json')
      const answer = await ask(translations, { headers, body: form, signal })
      return { ...transcriptOf((await jsonOf(answer)) as Answer), language: 'en' }
    },
  }
}

interface Answer {
  text?: string
  language?: string
  /** Of newer models: what they detected, in two letters, the likeliest first. */
  languages?: { code?: string }[]
  duration?: number
  words?: { word: string; start: number; end: number }[]
  segments?: { start: number; end: number; text: string }[]
  usage?: { seconds?: number }
}

const isEventStream = ({ headers }: Response) =>
  headers.get('content-type')?.startsWith('text/event-stream') === true

/** Tells the text as it comes; what the last event says is the answer. */
async function streamed(answer: Response, tell: (text: string) => void): Promise<Answer> {
  for await (const data of serverEvents(answer)) {
    if (data === '[DONE]') break
    const event = eventOf(data)
    if (typeof event['delta'] === 'string') tell(event['delta'])
    if (event['type'] === 'transcript.text.done') return event
  }
  throw silent('it stopped before the end of the transcript')
}

function transcriptOf({ text, languages, duration, words, segments, usage, ...rest }: Answer): Transcript {
  if (typeof text !== 'string') throw silent('it sent no transcript')
  return {
    text: text.trim(),
    language: rest.language === undefined ? (languages?.[0]?.code ?? null) : codeOfLanguage(rest.language),
    duration: duration ?? usage?.seconds ?? null,
    words: (words ?? []).map(({ word, start, end }) => ({ word, start, end })),
    segments: (segments ?? []).map((said) => ({ start: said.start, end: said.end, text: said.text.trim() })),
  }
}
