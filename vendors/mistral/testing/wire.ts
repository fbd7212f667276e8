import type { ChatWire } from '@switchroom/kit/testing/openai-shaped-wire'

/** How the vendor speaks the chat-completions wire. */
export const chat: ChatWire = {
  model: 'mistral-small-latest',
  besides: {},
  thinksIn: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Two orders.' }] }] },
  callsCome: 'whole',
  ids: ['D681PevKs', 'q4Xw0bTn2'],
  idForm: /^[a-zA-Z0-9]{9}$/,
  defaults: { message: 'prefix', call: 'index' },
  usageComes: 'in the last chunk',
  refusal: (words) => ({
    object: 'error',
    message: words,
    type: 'invalid_request_error',
    param: null,
    code: null,
  }),
}
