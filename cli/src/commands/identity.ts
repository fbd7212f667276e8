import type { Identity } from '@switchroom/contract/identity'
import type { MintedKey } from '@switchroom/contract/keys'
import type { OwnOrgList, PairedKey } from '@switchroom/contract/sign-in'
import { hostname } from 'node:os'
import { isOpenOnTheWay, whoIs } from '../gateway/account.ts'
import type { Command } from '../invocation/command.ts'
import { Failure, wrongUsage } from '../terminal/failures.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { pairTerminal } from './pairing.ts'
import { askSecret } from '../terminal/prompts.ts'

const login: Command = {
  name: 'login',
  summary: 'sign in by approving this terminal in a browser',
  details:
    'Open the link or the QR code in a browser where you are signed in, and approve this terminal. It gets a\nkey of its own, which is stored in a file that only you can read and is never printed.',
  arguments: [
    {
      name: 'gateway-url',
      summary: "the gateway's address (default: the one you signed in at last)",
      isOptional: true,
    },
  ],
  options: [
    { name: 'device', value: 'name', summary: 'label of the key (default: the name of this machine)' },
    { name: 'no-qr', summary: 'print only the link' },
    { name: 'email', value: 'address', summary: 'sign in with a password from the prompt' },
    { name: 'with-key', summary: 'sign in with a key from the prompt or standard input' },
    {
      name: 'operator',
      summary: "store the platform's key for svc ops, from the prompt or standard input",
    },
  ],
  examples: [
    'svc login',
    'svc login https://switchroom.example',
    'svc login --email ana@example.com --org acme',
    'svc login --operator < data/operator.key',
  ],
  async run(invocation) {
    const { account, out } = invocation
    if (account.isGiven) throw wrongUsage('SVC_KEY is set and overrides the sign-in: unset it first')
    if (isOpenOnTheWay(account.url))
      out.note(`Warning: the connection to ${account.url} is not encrypted. Use https:// if you can.`)
    if (invocation.flag('operator')) return keepOperator(invocation)
    if (invocation.flag('with-key')) return keepGivenKey(invocation)
    const device = invocation.option('device') ?? hostname()
    const email = invocation.option('email')
    const key =
      email === undefined
        ? await pairTerminal(account.anonymous(), out, { device, hasQr: !invocation.flag('no-qr') })
        : await signInWithPassword(invocation, email, device)
    await keep(invocation, key)
  },
}

async function signInWithPassword(invocation: Invocation, email: string, device: string): Promise<MintedKey> {
  const password = await askSecret(`Password of ${email}: `)
  const org = invocation.option('org')
  return invocation.account.anonymous().post<MintedKey>('/v1/login', { email, password, device, org })
}

async function keep(invocation: Invocation, minted: MintedKey | PairedKey): Promise<void> {
  const { account, credentials } = invocation
  const identity = await account.as(minted.key).get<Identity>('/v1/whoami')
  const { key, key_id, org } = minted
  credentials.keep(account.url, identity.slug, { key, key_id, org, made_here: true })
  tellWho(invocation, identity)
}

async function keepGivenKey(invocation: Invocation): Promise<void> {
  const { account, credentials } = invocation
  const key = await askSecret('Key: ')
  const identity = await account.as(key).get<Identity>('/v1/whoami')
  const { key_id, org, slug } = identity
  credentials.keep(account.url, slug, { key, key_id, org, made_here: false })
  tellWho(invocation, identity)
}

async function keepOperator(invocation: Invocation): Promise<void> {
  const { account, credentials, out } = invocation
  const key = await askSecret("The platform's key: ")
  const identity = await account.as(key).get<object>('/v1/ops/whoami')
  credentials.keepOperator(account.url, key)
  invocation.answer(identity, () => out.line(`svc ops now acts as the operator of ${account.url}.`))
}

function tellWho(invocation: Invocation, identity: Identity): void {
  const { account, out } = invocation
  const { name, label, slug } = identity
  invocation.answer(identity, () => out.line(`You are ${name || label} in ${slug}, at ${account.url}.`))
}

const whoami: Command = {
  name: 'whoami',
  summary: 'your account, org and scopes',
  examples: ['svc whoami', 'svc whoami --env production', 'svc whoami --json'],
  async run(invocation) {
    const { out, account } = invocation
    const client = await invocation.client()
    const identity = await client.get<Identity>('/v1/whoami')
    invocation.answer(identity, ({ name, email, slug, env, scopes, production, operator, label }) =>
      out.fields({
        gateway: account.url,
        org: slug,
        name: name || null,
        email,
        key: label,
        environment: env,
        production,
        operator: operator || null,
        scopes: scopes.join(' '),
      }),
    )
  },
}

const orgs: Command = {
  name: 'orgs',
  summary: 'your orgs',
  examples: ['svc orgs'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<OwnOrgList>('/v1/login/orgs')
    invocation.answer(answer, ({ orgs: own }) =>
      invocation.out.table(
        own,
        [
          { title: 'here', of: ({ here }) => (here ? '*' : '') },
          { title: 'org', isName: true, of: ({ slug }) => slug },
          { title: 'name', of: ({ name }) => name },
          { title: 'role', of: ({ role }) => role },
          { title: 'status', of: ({ status }) => status },
        ],
        'You are not a member of any org.',
      ),
    )
  },
}

const switchOrg: Command = {
  name: 'switch',
  summary: 'switch to another org of yours',
  arguments: [{ name: 'org', summary: 'its slug or id' }],
  examples: ['svc switch acme'],
  async run(invocation) {
    const { account, credentials } = invocation
    if (account.isGiven) throw wrongUsage('SVC_KEY belongs to one org: unset it first')
    const org = invocation.argument('org')
    const saved = credentials.at(account.url).orgs[org]
    const identity = saved && (await whoIs(account.as(saved.key)))
    if (identity) {
      credentials.switchTo(account.url, org)
      return tellWho(invocation, identity)
    }
    const [slug, key] = await account.switched(org)
    credentials.keep(account.url, slug, key)
    tellWho(invocation, await account.as(key.key).get<Identity>('/v1/whoami'))
  },
}

const logout: Command = {
  name: 'logout',
  summary: 'sign out: revoke and delete the keys that svc login created',
  options: [{ name: 'forget', summary: 'only delete the stored keys; they stay valid' }],
  details: 'With --org, only of that org. A key from --with-key is deleted here and stays valid.',
  examples: ['svc logout', 'svc logout --org acme', 'svc logout --forget'],
  async run(invocation) {
    const { account, credentials, out } = invocation
    if (account.isGiven)
      throw wrongUsage('SVC_KEY was not created by svc login: revoke it with svc keys revoke')
    const { orgs: saved, operator } = credentials.at(account.url)
    const only = invocation.option('org')
    const leaving = Object.entries(saved).filter(([slug]) => only === undefined || slug === only)
    const where = `${account.url}${only === undefined ? '' : ` in ${only}`}`
    if (leaving.length === 0 && (operator === undefined || only !== undefined))
      return out.note(`You were not signed in at ${where}.`)
    for (const [slug, { key, key_id, made_here }] of leaving) {
      if (made_here && !invocation.flag('forget')) await revoke(account.as(key), key_id)
      credentials.forget(account.url, slug)
    }
    if (only === undefined) credentials.forgetGateway(account.url)
    out.note(`You are signed out at ${account.url}${only === undefined ? '' : ` from ${only}`}.`)
  },
}

/** A key that is revoked already is not an error. */
async function revoke(client: GatewayClient, keyId: string): Promise<void> {
  await client.post(`/v1/keys/${keyId}/revoke`).catch((error: unknown) => {
    if (error instanceof Failure && (error.status === 401 || error.status === 404)) return
    throw error
  })
}

export const identityCommands = [login, logout, whoami, orgs, switchOrg]
