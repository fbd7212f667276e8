import OpenAI from 'openai'
import { openAiShapedSdk } from '@switchroom/kit/testing/openai-shaped-sdk'
import { chat } from '../testing/wire.ts'

// The vendor has no client of its own: its documentation uses this one.
openAiShapedSdk(chat, {
  name: 'openai',
  stream: (at, request) => new OpenAI(at).chat.completions.create(request),
})
