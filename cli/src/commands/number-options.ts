import type { ImportedNumber } from '@switchroom/contract/numbers'
import { numberChannels } from '../invocation/closed-sets.ts'
import type { Argument, Option } from '../invocation/command.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { plain } from '../terminal/text-width.ts'

export const numberArgument: Argument = {
  name: 'number',
  summary: 'such as +34911234567, or 201@pbx for an extension',
}
export const agentNeeded: Option = {
  name: 'agent',
  value: 'slug',
  summary: 'the agent that answers (required)',
}
export const dryRun: Option = { name: 'dry-run', summary: 'print the steps and change nothing' }
export const channel: Option = {
  name: 'channel',
  value: 'channel',
  choices: numberChannels,
  summary: 'channel of the number (default phone)',
}

export const dry = (invocation: Invocation) => ({ dry_run: invocation.flag('dry-run') || undefined })

export function tellSteps(invocation: Invocation, answer: ImportedNumber): void {
  const { out } = invocation
  invocation.answer(answer, ({ route, steps, dry_run }) => {
    for (const step of steps) out.line(plain(step))
    const done = `${route.number} is routed to ${route.agent} in the ${route.env} environment.`
    out.note(dry_run ? 'Nothing was changed. Leave out --dry-run to do it.' : done)
  })
}
