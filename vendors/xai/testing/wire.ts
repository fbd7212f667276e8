import type { ChatWire } from '@switchroom/kit/testing/openai-shaped-wire'

/** How the vendor speaks the chat-completions wire. */
export const chat: ChatWire = {
  model: 'grok-4.20-0309-non-reasoning',
  besides: { stream_options: { include_usage: true } },
  thinksIn: { reasoning_content: 'Two orders.' },
  callsCome: 'whole',
  ids: ['call_82103467', 'call_82103468'],
  usageComes: 'in a chunk of its own',
  refusal: (words) => ({ code: 'Client specified an invalid argument', error: words }),
}
