import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const demoOrg = { slug: 'demo', name: 'Demo' }
const demoAdmin = { email: 'admin@demo.example', name: 'Demo admin', role: 'admin' }

export interface DemoOptions {
  dataFolder: string
  address: string
  operatorKey: string
  signal: AbortSignal
}

/**
 * Makes the demo org of an empty deployment and hands its admin's invitation to `show`. The marker is written
 * after that, so a start that was killed in between invites again and the link is never lost.
 */
export async function inviteDemoAdmin(options: DemoOptions, show: (link: string) => void): Promise<void> {
  if (hasDemoOrg(options.dataFolder)) return
  const operator = new OperatorApi(options)
  const { orgs } = await operator.call<{ orgs: { slug: string }[] }>('GET', '/v1/ops/orgs')
  if (orgs.length === 0) await operator.call('POST', '/v1/ops/orgs', demoOrg)
  else if (orgs.length > 1 || orgs[0]?.slug !== demoOrg.slug) return

  const path = `/v1/ops/orgs/${demoOrg.slug}/members`
  const { members } = await operator.call<{ members: { id: string; status: string }[] }>('GET', path)
  if (members.length > 1 || members.some(({ status }) => status !== 'invited')) return
  for (const { id } of members) await operator.call('DELETE', `${path}/${id}`)
  // The gateway returns an operator's link only if it cannot send email; otherwise operators are invited by email.
  const { mail } = await operator.call<{ mail: boolean }>('GET', '/.well-known/svc')
  const { link } = await operator.call<{ link: string }>('POST', path, { ...demoAdmin, operator: !mail })
  show(link)
  writeFileSync(markerIn(options.dataFolder), '', { mode: 0o600 })
}

/** Whether the org `demo` is the one that was made for this folder. */
export const hasDemoOrg = (dataFolder: string) => existsSync(markerIn(dataFolder))

const markerIn = (dataFolder: string) => join(dataFolder, 'demo.invited')

/** A server token of the demo org, in the sandbox. */
export async function demoToken(options: DemoOptions, label: string, scopes: string[]): Promise<string> {
  const path = `/v1/ops/orgs/${demoOrg.slug}/keys`
  const body = { label, env: 'sandbox', scopes }
  const { key } = await new OperatorApi(options).call<{ key: string }>('POST', path, body)
  return key
}

class OperatorApi {
  readonly #options: DemoOptions

  constructor(options: DemoOptions) {
    this.#options = options
  }

  async call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const { address, operatorKey, signal } = this.#options
    const response = await fetch(address + path, {
      method,
      headers: {
        authorization: `Bearer ${operatorKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body ? JSON.stringify(body) : null,
      signal,
    })
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`)
    const text = await response.text()
    return JSON.parse(text || 'null')
  }
}
