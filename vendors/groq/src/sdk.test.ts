import Groq from 'groq-sdk'
import { openAiShapedSdk } from '@switchroom/kit/testing/openai-shaped-sdk'
import { chat } from '../testing/wire.ts'

openAiShapedSdk(chat, {
  name: 'groq-sdk',
  stream: (at, request) => new Groq(at).chat.completions.create(request),
})
