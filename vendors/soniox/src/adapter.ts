import type { Adapter } from '@switchroom/kit/vendor'
import { listening } from './live.ts'
import { transcribing } from './recorded.ts'

export default {
  transcriber: (setting) => ({ listen: listening(setting), transcribe: transcribing(setting) }),
} satisfies Adapter
