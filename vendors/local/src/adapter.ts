import type { Adapter } from '@switchroom/kit/vendor'
import { localTranscriber, warmTranscriber } from './transcriber.ts'
import { localModel } from './model.ts'
import { localVoice, localVoices, warmVoice } from './voice.ts'

const adapter: Adapter = {
  voice: localVoice,
  transcriber: localTranscriber,
  model: localModel,
  voices: (_setting, signal) => localVoices(signal),
  warm: async (signal) => void (await Promise.all([warmVoice(signal), warmTranscriber(signal)])),
}

export default adapter
