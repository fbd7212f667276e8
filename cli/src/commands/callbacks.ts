import type { CallbackPage } from '@switchroom/contract/callbacks'
import { afterOption, agentOption, type Command } from '../invocation/command.ts'
import type { Cell } from '../terminal/table.ts'

const callbacks: Command = {
  name: 'callbacks',
  summary: 'requested callbacks, oldest first',
  details: 'If there are more, the last line is the cursor for --after.',
  options: [agentOption, afterOption],
  examples: ['svc callbacks', 'svc callbacks --agent hello', 'svc callbacks --after <cursor> --json'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<CallbackPage>('/v1/callbacks', {
      agent: invocation.option('agent'),
      after: invocation.option('after'),
    })
    const told = (name: string) => (entry: CallbackPage['callbacks'][number]) => entry.data[name] as Cell
    invocation.page(
      answer,
      answer.callbacks,
      [
        { title: 'time', of: ({ ts }) => out.time(ts) },
        { title: 'agent', isName: true, of: ({ agent }) => agent },
        { title: 'number', isName: true, of: told('number') },
        { title: 'when', of: told('when') },
        { title: 'note', of: told('note') },
        { title: 'via', of: told('via') },
      ],
      'No callbacks.',
    )
  },
}

export const callbackCommands = [callbacks]
