import type { Adapter } from '@switchroom/kit/vendor'
import { localTranscriber, warmTranscriber } from './transcriber.ts'
import { localModel } from './model.ts'
import { speechPrograms } from './speech-programs.ts'
import { localVoice, localVoices, warmVoice } from './voice.ts'

const adapter: Adapter = {
  voice: localVoice,
  transcriber: localTranscriber,
  model: localModel,
  voices: (_setting, signal) => localVoices(signal),
  warm: async (signal) => void (await Promise.all([warmVoice(signal), warmTranscriber(signal)])),
  lend: (channel) => speechPrograms.lend(channel),
  borrow: (channel) => speechPrograms.borrow(channel),
}

export default adapter
