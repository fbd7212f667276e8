import { openAiShapedModel } from '@switchroom/kit/openai-shaped'
import type { Adapter } from '@switchroom/kit/vendor'

export default {
  model: (setting) => openAiShapedModel(setting, { baseUrl: 'https://api.together.ai/v1' }),
} satisfies Adapter
