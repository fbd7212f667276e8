import type { AgentList, AppList } from '@switchroom/contract/apps'
import type { Command } from '../invocation/command.ts'

const agents: Command = {
  name: 'agents',
  summary: 'the agents of the org, and which app holds each',
  examples: ['svc agents', 'svc agents --env production --json'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<AgentList>('/v1/agents')
    invocation.answer(answer, ({ agents: all }) =>
      invocation.out.table(
        all,
        [
          { title: 'agent', isName: true, of: ({ agent }) => agent },
          { title: 'held', of: ({ held }) => held },
          { title: 'app', of: ({ app }) => app },
          { title: 'holder', of: ({ held, holder }) => (held ? holder || 'org' : '') },
          { title: 'fixed in code', of: ({ fixed }) => fixed.join(' ') },
        ],
        'There is no agent yet: svc init <folder> begins one.',
      ),
    )
  },
}

const apps: Command = {
  name: 'apps',
  summary: 'the apps that are connected',
  examples: ['svc apps'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<AppList>('/v1/apps')
    invocation.answer(answer, ({ apps: all }) =>
      out.table(
        all,
        [
          { title: 'app', of: ({ app }) => app },
          { title: 'agents', of: (each) => each.agents.join(' ') },
          { title: 'holder', of: ({ holder }) => holder || 'org' },
          { title: 'key', of: ({ key }) => key },
          { title: 'since', of: ({ connected_at }) => out.time(connected_at) },
        ],
        'No app is connected.',
      ),
    )
  },
}

export const agentCommands = [agents, apps]
