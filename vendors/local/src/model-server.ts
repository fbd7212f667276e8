import { addressOf } from '@switchroom/kit/addresses'
import { ask, jsonOf } from '@switchroom/kit/requests'

/** Longer than a busy machine takes: without an answer the demonstration model speaks. */
const answersWithinMs = 1_000
const rememberedMs = 5_000

const remembered = new Map<string, { models: string[]; until: number }>()

/** The models of an OpenAI-shaped server, those it can talk with; none if no server answers soon. */
export async function modelsAt(server: string, signal: AbortSignal): Promise<string[]> {
  const known = remembered.get(server)
  if (known && known.until > performance.now()) return known.models
  const models = await askedAt(server, AbortSignal.any([signal, AbortSignal.timeout(answersWithinMs)]))
  signal.throwIfAborted()
  remembered.set(server, { models, until: performance.now() + rememberedMs })
  return models
}

async function askedAt(server: string, signal: AbortSignal): Promise<string[]> {
  try {
    const answer = (await jsonOf(await ask(addressOf(server, '/models'), { signal }))) as {
      data?: { id?: unknown }[]
    }
    const names = (answer.data ?? []).map(({ id }) => id).filter((id) => typeof id === 'string')
    return names.filter((name) => !/embed/iu.test(name)) // these make no words
  } catch {
    return []
  }
}
