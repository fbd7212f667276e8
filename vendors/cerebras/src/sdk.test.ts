import { Cerebras } from '@cerebras/cerebras_cloud_sdk'
import { openAiShapedSdk } from '@switchroom/kit/testing/openai-shaped-sdk'
import { chat } from '../testing/wire.ts'

openAiShapedSdk(chat, {
  name: '@cerebras/cerebras_cloud_sdk',
  stream: (at, request) => new Cerebras({ ...at, warmTCPConnection: false }).chat.completions.create(request),
})
