import type { CanaryView } from '@switchroom/contract/settings'
import { teamOf } from './agent-scopes.ts'
import { agentArgument, teamOption, type Command } from '../invocation/command.ts'
import { wrongUsage } from '../terminal/failures.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { versionIn } from './settings.ts'

const at = (invocation: Invocation) => path`/v1/agents/${invocation.argument('agent')}/settings/canary`

const show = (invocation: Invocation, view: CanaryView) =>
  invocation.answer(view, ({ canary }) => {
    if (!canary) return invocation.out.line('No canary: every call runs the newest version.')
    const { version, share, author, note, set_at } = canary
    const set = invocation.out.time(set_at)
    invocation.out.fields({ version: `v${version}`, share: `${share} % of calls`, by: author, set, note })
  })

const get: Command = {
  name: 'canary get',
  summary: 'show the canary',
  arguments: [agentArgument],
  options: [teamOption],
  examples: ['svc canary get hello --env production'],
  async run(invocation) {
    const client = await invocation.client()
    show(invocation, await client.get<CanaryView>(at(invocation), { team: teamOf(invocation) }))
  },
}

const set: Command = {
  name: 'canary set',
  summary: 'run a version on a share of the calls',
  arguments: [
    agentArgument,
    { name: 'version', summary: 'such as 3 or v3' },
    { name: 'share', summary: 'share of calls in percent, 0 to 100' },
  ],
  options: [teamOption, { name: 'note', value: 'text', summary: 'why' }],
  examples: ['svc canary set hello v4 10 --env production'],
  async run(invocation) {
    const client = await invocation.client()
    const share = Number(invocation.argument('share').replace(/%$/, ''))
    if (!Number.isInteger(share)) throw wrongUsage('<share> must be a whole number from 0 to 100')
    const view = await client.put<CanaryView>(at(invocation), {
      version: versionIn(invocation.argument('version')),
      share,
      note: invocation.option('note'),
      team: teamOf(invocation),
    })
    show(invocation, view)
  },
}

const end: Command = {
  name: 'canary end',
  summary: 'end the canary: every call runs the newest version',
  arguments: [agentArgument],
  options: [teamOption],
  examples: ['svc canary end hello --env production'],
  async run(invocation) {
    const client = await invocation.client()
    show(invocation, await client.delete<CanaryView>(at(invocation), { team: teamOf(invocation) }))
  },
}

export const canaryCommands = [get, set, end]
