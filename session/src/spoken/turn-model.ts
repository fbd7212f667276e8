import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** How likely it is that the speaker is done: samples of 16 kHz, at most as many as the model takes. */
export type TurnModel = (samples: Int16Array) => Promise<number>

export const modelRate = 16_000
/** It hears no more than this, and takes no more. */
export const mostHeardMs = 1_200

const nameOfPackage = '@livekit/local-inference'
let loading: Promise<TurnModel | null> | undefined

/** Null if there is none. Once per process and only if a call asks for it, for it takes 250 MB. */
export const turnModel = (): Promise<TurnModel | null> => (loading ??= loadTurnModel(nameOfPackage))

export async function loadTurnModel(name: string): Promise<TurnModel | null> {
  try {
    // loading takes a third of a second, which would be heard in other calls
    const thread = new Worker(new URL('turn-model-thread.ts', import.meta.url), { workerData: name })
    await once(thread, 'exit')
    const { default: native } = (await import(name)) as { default: { predict: TurnModel } }
    return (samples) => native.predict(samples)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    process.emitWarning(`no smart-turn model, so that the framework ends turns: ${why}`)
    return null
  }
}

/** The likelihood from which on to believe the model, as its makers measured it. */
export const surenessByLanguage: Readonly<Record<string, number>> = {
  ar: 0.35,
  de: 0.245,
  en: 0.36,
  es: 0.35,
  fr: 0.285,
  hi: 0.305,
  id: 0.345,
  it: 0.23,
  ja: 0.295,
  ko: 0.4,
  nl: 0.2,
  pt: 0.32,
  tr: 0.255,
  zh: 0.355,
}
const usualSureness = 0.36

export const surenessIn = (language: string | null): number =>
  surenessByLanguage[language?.toLowerCase().split('-', 1)[0] ?? ''] ?? usualSureness
