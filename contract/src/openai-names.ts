// Names of OpenAI's speech API. A deployment runs what it has under them; no vendor has to be OpenAI.

/** What `GET /v1/models` lists beside the models of this deployment. Dated versions of them are taken, too. */
export const openAiModels = {
  tts: ['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts'],
  stt: ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'gpt-transcribe'],
} as const

const forms = {
  tts: /^(?:tts-\d+(?:-hd)?|gpt-[a-z0-9.-]+-tts)(?:-\d{4}(?:-\d\d-\d\d)?)?$/,
  stt: /^(?:whisper-\d+|gpt-(?:[a-z0-9.-]+-)?transcribe)(?:-\d{4}-\d\d-\d\d)?$/,
} as const

/** Whether it is a model of OpenAI's by its name, which has no provider before it. */
export const isOpenAiModel = (stage: 'stt' | 'tts', model: unknown): model is string =>
  typeof model === 'string' && model.length <= 100 && forms[stage].test(model)

/** OpenAI's voices, as what they are heard. */
export const openAiVoices: Readonly<Record<string, 'female' | 'male'>> = {
  alloy: 'female',
  ash: 'male',
  ballad: 'male',
  cedar: 'male',
  coral: 'female',
  echo: 'male',
  fable: 'male',
  marin: 'female',
  nova: 'female',
  onyx: 'male',
  sage: 'female',
  shimmer: 'female',
  verse: 'male',
}

export const isOpenAiVoice = (voice: string) => Object.hasOwn(openAiVoices, voice)
