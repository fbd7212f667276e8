import type { Adapter } from '@switchroom/kit/vendor'
import { localTranscriber } from './transcriber.ts'
import { localModel } from './model.ts'
import { localVoice, localVoices } from './voice.ts'

const adapter: Adapter = {
  voice: localVoice,
  transcriber: localTranscriber,
  model: localModel,
  voices: (_setting, signal) => localVoices(signal),
}

export default adapter
