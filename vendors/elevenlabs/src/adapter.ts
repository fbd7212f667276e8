import type { Adapter } from '@switchroom/kit/vendor'
import { listen } from './live.ts'
import { recordedSetting } from './recorded-setting.ts'
import { transcribe } from './recorded.ts'
import { voice } from './voice.ts'
import { voices } from './voices.ts'

export default {
  voice,
  voices,
  transcriber: (setting) =>
    setting.class === 'realtime.STT'
      ? { listen: listen(setting), transcribe: transcribe(recordedSetting(setting)) }
      : { transcribe: transcribe(setting) },
} satisfies Adapter
