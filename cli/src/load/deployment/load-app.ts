import type { Agent } from '@switchroom/sdk/agent'
import { connect } from '@switchroom/sdk/sdk'
import type { LoadOrg } from './load-org.ts'

/** The generator as an app of its org: it holds the agents of the run until the run is over. */
export async function holdAgent({ client, env, leftovers }: LoadOrg, agent: Agent): Promise<void> {
  const switchroom = connect({ app: 'svc load', url: client.url, key: client.key ?? '', env })
  leftovers.add('the app of the run', () => switchroom.close())
  await switchroom.hold(agent)
}
