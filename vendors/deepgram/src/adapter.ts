import type { Adapter } from '@switchroom/kit/vendor'
import { fluxTranscriber } from './flux.ts'
import { listen } from './live.ts'
import { transcribe } from './recorded.ts'
import { voice } from './voice.ts'

export default {
  voice,
  transcriber: (setting) =>
    setting.class === 'STTv2'
      ? fluxTranscriber(setting)
      : { listen: listen(setting), transcribe: transcribe(setting) },
} satisfies Adapter
