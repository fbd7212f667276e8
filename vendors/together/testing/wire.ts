import type { ChatWire } from '@switchroom/kit/testing/openai-shaped-wire'

/** How the vendor speaks the chat-completions wire. */
export const chat: ChatWire = {
  model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
  besides: { stream_options: { include_usage: true } },
  thinksIn: { reasoning: 'Two orders.' },
  callsCome: 'in pieces',
  ids: ['call_k3b1x9', 'call_p0c7aa'],
  usageComes: 'in the last chunk',
  refusal: (words) => ({
    id: 'o1',
    error: { message: words, type: 'invalid_request_error', param: null, code: 'invalid_api_key' },
  }),
}
