import type { AgentList, AppList } from '@switchroom/contract/apps'
import type { Command } from '../invocation/command.ts'

const agents: Command = {
  name: 'agents',
  summary: 'agents of the org and the app connected to each',
  examples: ['svc agents', 'svc agents --env production --json'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<AgentList>('/v1/agents')
    invocation.answer(answer, ({ agents: all }) =>
      invocation.out.table(
        all,
        [
          { title: 'agent', isName: true, of: ({ agent }) => agent },
          { title: 'status', of: ({ held }) => (held ? 'online' : 'offline') },
          { title: 'connected app', of: ({ app }) => app },
          { title: 'connected by', of: ({ held, holder }) => (held ? holder || 'org' : '') },
          { title: 'set in code', of: ({ fixed }) => fixed.join(' ') },
        ],
        'No agents yet. Create one with svc init <folder>.',
      ),
    )
  },
}

const apps: Command = {
  name: 'apps',
  summary: 'connected apps',
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
          { title: 'connected by', of: ({ holder }) => holder || 'org' },
          { title: 'key', of: ({ key }) => key },
          { title: 'since', of: ({ connected_at }) => out.time(connected_at) },
        ],
        'No connected apps.',
      ),
    )
  },
}

export const agentCommands = [agents, apps]
