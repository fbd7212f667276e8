import { refused } from '@switchroom/kit/failures'
import type { Adapter } from '@switchroom/kit/vendor'
import { model } from './model.ts'
import { realtime } from './realtime.ts'

export default {
  model(setting) {
    if (setting.class === 'realtime.RealtimeModel')
      throw refused('a realtime model speaks and hears for itself: it takes no written conversation')
    return model(setting)
  },
  realtime,
} satisfies Adapter
