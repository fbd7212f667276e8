import { EndpointFake } from '@switchroom/kit/testing/endpoint-fake'
import { startDeployment, type Deployment, type TestPerson } from '../deployment.ts'

export const endpointKey = 'sk-endpoint-mark-4f1c9e72aa'

/** A deployment whose orgs may use endpoints on loopback, and such an endpoint. */
export interface EndpointDeployment extends AsyncDisposable {
  deployment: Deployment
  fake: EndpointFake
  /** What creates an endpoint at the fake. */
  wanted: (name: string, more?: object) => object
  create: (by: Pick<TestPerson, 'client'>, name: string, more?: object) => Promise<void>
}

export async function startEndpointDeployment(
  settings: Record<string, string> = {},
): Promise<EndpointDeployment> {
  const fake = await EndpointFake.start({ key: endpointKey })
  const deployment = await startDeployment({
    SVC_PRIVATE_HOSTS: '127.0.0.1',
    SVC_TRIAL_TIMEOUT_S: '2',
    ...settings,
  })
  const wanted = (name: string, more: object = {}) => {
    return { name, base_url: fake.url, model: 'llama-3.3', key: endpointKey, ...more }
  }
  return {
    deployment,
    fake,
    wanted,
    async create({ client }, name, more = {}) {
      const made = await client.post('/v1/model-endpoints', wanted(name, more))
      if (made.status !== 201) throw new Error(made.text)
    },
    async [Symbol.asyncDispose]() {
      await deployment[Symbol.asyncDispose]()
      await fake.stop()
    },
  }
}
