import { makeCertificates } from '../certificates.ts'
import { startDeployment, type Deployment } from '../deployment.ts'
import { startDnsServer, type DnsServer } from '../dns-server.ts'
import { startMailServer, type MailServer, type MailServerOptions } from './mail-server.ts'

/** Lifted by the operator, so that an org may name it although it is on loopback. */
export const orgHost = 'mail.acme.example'
/** On loopback too, and not lifted. */
export const platformHost = 'mail.platform.example'

export interface MailDeployment extends AsyncDisposable {
  deployment: Deployment
  dns: DnsServer
  /** A mail server that both hosts lead to, with a certificate for both; STARTTLS unless said otherwise. */
  mailServer: (options?: MailServerOptions) => Promise<MailServer>
}

/** A deployment with a DNS server and a certificate authority of its own, and mail servers at hand. */
export async function startMailDeployment(
  settings: (mailServer: MailDeployment['mailServer']) => Promise<Record<string, string>> = async () => ({}),
): Promise<MailDeployment> {
  const certificates = await makeCertificates()
  const dns = await startDnsServer()
  dns.set(orgHost, { A: ['127.0.0.1'] })
  dns.set(platformHost, { A: ['127.0.0.1'] })
  const certificate = await certificates.serverFor(orgHost, platformHost, '127.0.0.1')
  const servers: MailServer[] = []
  const mailServer = async (options: MailServerOptions = {}) => {
    const server = await startMailServer({ security: 'starttls', certificate, ...options })
    servers.push(server)
    return server
  }
  const deployment = await startDeployment({
    SVC_RESOLVER: dns.address,
    SVC_CA_FILE: certificates.caFile,
    SVC_PRIVATE_HOSTS: orgHost,
    SVC_LETTERS_PER_RECIPIENT: '1000', // tests of mail write to one address again and again
    ...(await settings(mailServer)),
  })
  return {
    deployment,
    dns,
    mailServer,
    async [Symbol.asyncDispose]() {
      await deployment[Symbol.asyncDispose]()
      for (const disposed of [...servers, dns, certificates]) await disposed[Symbol.asyncDispose]()
    },
  }
}

/** The written shape of a mailbox at this server. */
export const mailboxAt = ({ port }: { port: number }, host: string, more: object = {}) => ({
  host,
  port,
  security: 'starttls',
  from: `Letters <letters@${host}>`,
  ...more,
})
