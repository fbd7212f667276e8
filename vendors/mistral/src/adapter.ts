import { openAiShapedModel } from '@switchroom/kit/openai-shaped'
import type { Adapter } from '@switchroom/kit/vendor'
import { orderly } from './orderly.ts'

export default {
  model(setting) {
    // It counts tokens unasked, and refuses every field that it does not know.
    const model = openAiShapedModel(setting, { baseUrl: 'https://api.mistral.ai/v1', besides: {} })
    return { ...model, think: (conversation, signal) => model.think(orderly(conversation), signal) }
  },
} satisfies Adapter
