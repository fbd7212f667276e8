import { done } from '../agents/test-agents.ts'
import { TestLogs } from '../calls/test-logs.ts'
import type { Client } from '../client.ts'
import { startDeployment, type Deployment, type TestOrg } from '../deployment.ts'
import { startDnsServer, type DnsServer } from '../dns-server.ts'
import { WebhookReceiver } from './webhook-receiver.ts'

/** Lifted by the operator, so that an org may name it although it is on loopback. */
export const receiverHost = 'hooks.acme.example'

export interface WebhookOrg {
  org: TestOrg
  admin: Client
  logs: TestLogs
  /** A webhook at this path of the receiver, with its secret. */
  create: (path: string, wanted?: object) => Promise<{ id: string; secret: string; url: string }>
}

export interface WebhookDeployment extends AsyncDisposable {
  deployment: Deployment
  dns: DnsServer
  receiver: WebhookReceiver
  settings: Record<string, string>
  newOrg: () => Promise<WebhookOrg>
}

/** A deployment with a receiver that its orgs' webhooks may lead to. */
export async function startWebhookDeployment(more: Record<string, string> = {}): Promise<WebhookDeployment> {
  const dns = await startDnsServer()
  dns.set(receiverHost, { A: ['127.0.0.1'] })
  const receiver = await WebhookReceiver.start()
  const settings = { SVC_RESOLVER: dns.address, SVC_PRIVATE_HOSTS: receiverHost, ...more }
  const deployment = await startDeployment(settings)
  return {
    deployment,
    dns,
    receiver,
    settings,
    newOrg: async () => webhookOrg(deployment, receiver, await deployment.newOrg()),
    async [Symbol.asyncDispose]() {
      await deployment[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
      await dns[Symbol.asyncDispose]()
    },
  }
}

export async function webhookOrg(
  deployment: Deployment,
  receiver: WebhookReceiver,
  org: TestOrg,
): Promise<WebhookOrg> {
  const { client: admin } = await org.person('admin', { production: true })
  const token = await org.serverToken('sandbox')
  return {
    org,
    admin: admin.in('sandbox'),
    logs: new TestLogs(deployment, org, token),
    create: async (path, wanted = {}) =>
      done(
        await admin.in('sandbox').post('/v1/webhooks', { url: receiver.at(receiverHost, path), ...wanted }),
      ),
  }
}
