import { refused } from '@switchroom/kit/failures'
import { openAiShapedModel } from '@switchroom/kit/openai-shaped'
import type { Adapter } from '@switchroom/kit/vendor'
import { openAiAddress } from './address.ts'
import { transcriber } from './transcriber.ts'
import { realtime } from './realtime.ts'
import { voice } from './voice.ts'

export default {
  voice,
  transcriber,
  realtime,
  model(setting) {
    if (setting.class === 'realtime.RealtimeModel')
      throw refused('a realtime model speaks and hears for itself: it takes no written conversation')
    return openAiShapedModel(setting, { baseUrl: openAiAddress })
  },
} satisfies Adapter
