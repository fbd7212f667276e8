import type { Adapter } from '@switchroom/kit/vendor'
import { fluxEars } from './flux.ts'
import { listen } from './live.ts'
import { transcribe } from './recorded.ts'
import { voice } from './voice.ts'

export default {
  voice,
  ears: (setting) =>
    setting.class === 'STTv2'
      ? fluxEars(setting)
      : { listen: listen(setting), transcribe: transcribe(setting) },
} satisfies Adapter
