import type { ChatWire } from '@switchroom/kit/testing/openai-shaped-wire'

/** How the vendor speaks the chat-completions wire. */
export const chat: ChatWire = {
  model: 'gpt-oss-120b',
  besides: { stream_options: { include_usage: true } },
  thinksIn: { reasoning: 'Two orders.' },
  callsCome: 'in pieces',
  ids: ['4fad0a1b2', '9a0de2c41'],
  usageComes: 'in a chunk of its own',
  refusal: (words) => ({
    message: words,
    type: 'wrong_api_key_error',
    param: 'api_key',
    code: 'wrong_api_key',
  }),
}
