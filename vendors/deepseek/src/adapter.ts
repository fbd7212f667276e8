import { openAiShapedModel, usageAsked } from '@switchroom/kit/openai-shaped'
import type { Adapter } from '@switchroom/kit/vendor'

/** Thinking must be handed back with the calls it led to, which a conversation has no place for. */
const besides = { ...usageAsked, thinking: { type: 'disabled' } }

export default {
  model: (setting) => openAiShapedModel(setting, { baseUrl: 'https://api.deepseek.com', besides }),
} satisfies Adapter
