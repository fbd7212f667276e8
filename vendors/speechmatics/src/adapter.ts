import type { Adapter } from '@switchroom/kit/vendor'
import { listening } from './live.ts'
import { transcribing } from './recorded.ts'

/** Its models of many languages take recordings alone. */
export default {
  transcriber: (setting) =>
    setting.class === 'batch.STT'
      ? { transcribe: transcribing(setting) }
      : { listen: listening(setting), transcribe: transcribing(setting) },
} satisfies Adapter
