import type { Adapter } from '@switchroom/kit/vendor'
import { localEars } from './ears.ts'
import { localModel } from './model.ts'
import { localVoice, localVoices } from './voice.ts'

const adapter: Adapter = {
  voice: localVoice,
  ears: localEars,
  model: localModel,
  voices: (_setting, signal) => localVoices(signal),
}

export default adapter
