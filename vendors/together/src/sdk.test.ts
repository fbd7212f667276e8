import Together from 'together-ai'
import { openAiShapedSdk } from '@switchroom/kit/testing/openai-shaped-sdk'
import { chat } from '../testing/wire.ts'

openAiShapedSdk(chat, {
  name: 'together-ai',
  stream: (at, request) => new Together(at).chat.completions.create(request),
})
