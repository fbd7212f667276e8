import { openAiShapedModel } from '@switchroom/kit/openai-shaped'
import type { Adapter } from '@switchroom/kit/vendor'

export default {
  // It counts tokens unasked, in a place of its own.
  model: (setting) => openAiShapedModel(setting, { baseUrl: 'https://api.groq.com/openai/v1', besides: {} }),
} satisfies Adapter
