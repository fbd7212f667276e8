import assert from 'node:assert/strict'
import { AppClient } from '../agents/app-client.ts'
import type { Deployment, TestOrg } from '../deployment.ts'

/** Apps of an org's sandbox and the entries that tests write to their calls. */
export async function appFixture(deployment: Deployment, org: TestOrg) {
  const ci = await org.serverToken('sandbox')
  let agents = 0
  return {
    ci,
    newAgent: () => `agent-${(agents += 1)}`,
    newApp: async (agent: string, more: object = {}, at: { url: string } = deployment) => {
      const app = await AppClient.connect(at.url, ci.key)
      assert.equal((await app.register(agent, more)).type, 'agent.registered')
      return app
    },
  }
}

export const said = (text: string) => ({ type: 'user.message', data: { text, messageId: text } })

/** The texts of the user's messages. */
export const textsOf = (frames: { type: string; data: { text: string } }[]) =>
  frames.filter(({ type }) => type === 'user.message').map(({ data }) => data.text)
