import type { ChatWire } from '@switchroom/kit/testing/openai-shaped-wire'

/** How the vendor speaks the chat-completions wire. */
export const chat: ChatWire = {
  model: 'deepseek-flash',
  besides: { stream_options: { include_usage: true }, thinking: { type: 'disabled' } },
  thinksIn: { content: null, reasoning_content: 'Two orders.' },
  callsCome: 'in pieces',
  ids: ['call_00_LXbs', 'call_01_Zk1d'],
  usageComes: 'in a chunk of its own',
  refusal: (words) => ({
    error: { message: words, type: 'authentication_error', param: null, code: 'invalid_request_error' },
  }),
}
