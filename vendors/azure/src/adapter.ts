import type { Adapter } from '@switchroom/kit/vendor'
import { listening } from './live.ts'
import { transcribing } from './recorded.ts'
import { voice } from './voice.ts'
import { voices } from './voices.ts'

export default {
  voice,
  voices,
  transcriber: (setting) => ({ listen: listening(setting), transcribe: transcribing(setting) }),
} satisfies Adapter
