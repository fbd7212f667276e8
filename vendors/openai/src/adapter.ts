import { refused } from '@switchroom/kit/failures'
import { openAiShapedModel } from '@switchroom/kit/openai-shaped'
import { responsesModel } from '@switchroom/kit/responses-shaped'
import type { Adapter } from '@switchroom/kit/vendor'
import { openAiAddress } from './address.ts'
import { chatSettingOf, isNewer, withoutApi } from './compatible.ts'
import { transcriber } from './transcriber.ts'
import { realtime } from './realtime.ts'
import { realtimeVoice } from './realtime-voice.ts'
import { usualEffort } from './reasoning.ts'
import { voice } from './voice.ts'

export default {
  voice(setting) {
    const isRealtime = setting.class === 'realtime.TTS' && isNewer(setting, 'realtime', 'speech')
    return (isRealtime ? realtimeVoice : voice)(withoutApi(setting))
  },
  transcriber,
  realtime,
  model(setting) {
    if (setting.class === 'realtime.RealtimeModel')
      throw refused('a realtime model speaks and hears for itself: it takes no written conversation')
    if (setting.class !== 'responses.LLM') return openAiShapedModel(setting, { baseUrl: openAiAddress })
    const plain = withoutApi(setting)
    return isNewer(setting, 'responses', 'chat')
      ? responsesModel(plain, { baseUrl: openAiAddress, usualEffort })
      : openAiShapedModel(chatSettingOf(plain), { baseUrl: openAiAddress })
  },
} satisfies Adapter
