import type { EvalReport, EvalRun, ScenarioDefinition, StartRun } from '@switchroom/contract/evals'
import { startChatDeployment, type ChatDeployment } from '../calls/chat-deployment.ts'
import type { Client } from '../client.ts'
import { done } from '../agents/test-agents.ts'
import { until } from '../until.ts'

export interface EvalDeployment extends ChatDeployment {
  /** Opens `evals` and `calls` in the sandbox. */
  client: Client
  start: (wanted: StartRun, by?: Client) => Promise<EvalRun>
  /** The run once it is over. */
  over: (id: string, by?: Client) => Promise<EvalRun>
  report: (id: string) => Promise<EvalReport>
}

export async function startEvalDeployment(settings: Record<string, string> = {}): Promise<EvalDeployment> {
  const chats = await startChatDeployment(settings)
  const { client } = await chats.org.serverToken('sandbox')
  const over = (id: string, by = client): Promise<EvalRun> =>
    until(
      'the run is over',
      async () => {
        const run = done(await by.get(`/v1/evals/runs/${id}`)) as EvalRun
        return run.state === 'running' ? undefined : run
      },
      60_000,
    )
  return {
    ...chats,
    client,
    over,
    start: async (wanted, by = client) => done(await by.post('/v1/evals/runs', wanted)) as EvalRun,
    report: async (id) => done(await client.get(`/v1/evals/runs/${id}/report`)) as EvalReport,
    [Symbol.asyncDispose]: () => chats[Symbol.asyncDispose](),
  }
}

export const scenario = (name: string, more: Partial<ScenarioDefinition> = {}): ScenarioDefinition => ({
  name,
  turns: [{ say: 'Hello' }],
  expect: [{ ended_by: 'caller' }],
  ...more,
})
