import type { ModelStreams } from '@switchroom/kit/testing/model-conformance'
import { frame } from './responses-wire.ts'

const created = frame({ type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } })
const said = (delta: string) => frame({ type: 'response.output_text.delta', delta })
const call = (call_id: string, given: string, status: string) =>
  frame({
    type: 'response.output_item.done',
    item: { type: 'function_call', call_id, name: 'look_up', arguments: given, status },
  })
const thought = frame({ type: 'response.output_item.done', item: { type: 'reasoning', summary: [] } })
const usage = { input_tokens: 12, output_tokens: 5, total_tokens: 17 }
const completed = frame({ type: 'response.completed', response: { status: 'completed', usage } })
const incomplete = frame({
  type: 'response.incomplete',
  response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage },
})

const half = [
  created,
  said('One moment.'),
  call('call_1', '{"order":42}', 'completed'),
  call('call_2', '{"order":', 'incomplete'),
]

/** What the Responses API sends when things go wrong. */
export const responsesStreams: ModelStreams = {
  answered: [created, said('On its way.'), completed],
  cutCall: [...half, incomplete],
  brokenCall: half,
  thoughtOnly: [created, thought, completed],
  lastTurnOf: ({ input }: { input: { role?: string }[] }) => input.at(-1)?.role,
  refuseTemperature: ['gpt-6.1-sol', 'gpt-6-astra', 'o4-mini'],
  options: { api: 'responses' },
}
