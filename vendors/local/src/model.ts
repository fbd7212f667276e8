import { refused, VendorFailure } from '@switchroom/kit/failures'
import { openAiShapedModel } from '@switchroom/kit/openai-shaped'
import type { Conversation, Model, Setting, Thought } from '@switchroom/kit/vendor'
import { demonstrationModel } from './demonstration.ts'
import { modelsAt } from './model-server.ts'

/** Where a model server on this machine usually answers. */
const usualServer = 'http://127.0.0.1:11434/v1'

/**
 * `auto` is the first model of the machine's own server, or the demonstration model if none answers;
 * `demonstration` is always that one; any other name is a model of the server.
 */
export function localModel(setting: Setting): Model {
  const { model = 'auto', base_url: given } = setting.keywords
  const server = typeof given === 'string' ? given : usualServer
  if (model === 'demonstration') return demonstrationModel
  if (model !== 'auto') return { think: (...asked) => thinkOn(server, setting, ...asked) }
  return {
    async *think(conversation, signal) {
      const [first] = await modelsAt(server, signal)
      const keywords = { ...setting.keywords, model: first }
      const chosen =
        first === undefined
          ? demonstrationModel
          : openAiShapedModel({ ...setting, keywords }, { baseUrl: usualServer })
      yield* chosen.think(conversation, signal)
    },
  }
}

async function* thinkOn(
  server: string,
  setting: Setting,
  conversation: Conversation,
  signal: AbortSignal,
): AsyncIterable<Thought> {
  let hasAnswered = false
  try {
    for await (const thought of openAiShapedModel(setting, { baseUrl: server }).think(conversation, signal)) {
      hasAnswered = true
      yield thought
    }
  } catch (error) {
    if (hasAnswered || signal.aborted || error instanceof VendorFailure) throw error
    throw refused(`no model server answers at ${server}: start one, or choose the model auto`)
  }
}
