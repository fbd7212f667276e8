import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { inference } from '@livekit/agents'

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

const usualSureness = inference.LOCAL_LANGUAGES['en'] ?? 0.5

/** The likelihood from which on to believe the model, as its makers measured it. */
export const surenessIn = (language: string | null): number =>
  inference.LOCAL_LANGUAGES[language?.toLowerCase().split('-', 1)[0] ?? ''] ?? usualSureness
