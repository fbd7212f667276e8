import type { ChatWire } from '@switchroom/kit/testing/openai-shaped-wire'

/** How the vendor speaks the chat-completions wire. */
export const chat: ChatWire = {
  model: 'openai/gpt-oss-120b',
  besides: {},
  thinksIn: { reasoning: 'Two orders.' },
  callsCome: 'in pieces',
  ids: ['fc_5f1b1f0e', 'fc_88a1c8d2'],
  usageComes: 'under x_groq',
  refusal: (words) => ({ error: { message: words, type: 'invalid_request_error', code: 'invalid_api_key' } }),
}
