import type { AgentList } from '@switchroom/contract/apps'
import type { OutboundReadiness } from '@switchroom/contract/carriers'
import type { Discovery } from '@switchroom/contract/discovery'
import type { Identity } from '@switchroom/contract/identity'
import type { KeyList } from '@switchroom/contract/keys'
import type { Catalogue } from '@switchroom/contract/providers'
import { retirementOf, retiringInUse, warnedDaysAhead } from '@switchroom/contract/retiring'
import type { SettingsView } from '@switchroom/contract/settings'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failure, reasonOf } from '../terminal/failures.ts'
import { path, type GatewayClient } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { version } from './version.ts'
import { voiceAddress } from './voice-server.ts'

export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'broken'
  says: string
  /** What to do about it. */
  fix?: string
  exitCode?: number
}

const oldestNode = 20
const mostSkewS = 30
const soonDays = 7
const answersWithinMs = 5_000

const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says })
const warning = (check: string, says: string, fix: string): Finding => ({
  check,
  state: 'warning',
  says,
  fix,
})
const broken = (check: string, says: string, fix: string, exitCode: number = exitCodes.refused): Finding => ({
  check,
  state: 'broken',
  says,
  fix,
  exitCode,
})

/** The checks, in order. */
export async function* diagnose(invocation: Invocation): AsyncGenerator<Finding> {
  yield checkNode()
  const { finding, isThere } = await checkGateway(invocation)
  yield finding
  if (isThere) {
    yield await checkClock(invocation.account.url)
    yield* checkSignedIn(invocation)
  }
  yield await checkVoiceServer(invocation)
}

function checkNode(): Finding {
  const { node } = process.versions
  if (Number.parseInt(node, 10) >= oldestNode) return ok('node', `Node ${node}.`)
  return broken('node', `Node ${node} is too old.`, `Install Node ${oldestNode} or later.`)
}

async function checkGateway({ account }: Invocation): Promise<{ finding: Finding; isThere: boolean }> {
  const { url } = account
  try {
    const discovery = await account.anonymous().get<Discovery>('/.well-known/svc')
    const says = `${discovery.brand.name} ${discovery.version} answers at ${url}.`
    const isSame = discovery.version === version
    const fix = `This is svc ${version}: use the svc of the gateway's checkout.`
    return { isThere: true, finding: isSame ? ok('gateway', says) : warning('gateway', says, fix) }
  } catch (error) {
    const fix = 'Start it with npm start, or set another address with --gateway or SVC_GATEWAY_URL.'
    return { isThere: false, finding: broken('gateway', reasonOf(error), fix, exitCodes.unreachable) }
  }
}

async function checkClock(url: string): Promise<Finding> {
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answersWithinMs) }).catch(
    () => null,
  )
  const told = Date.parse(response?.headers.get('date') ?? '')
  if (Number.isNaN(told))
    return warning('clock', 'The gateway sends no Date header.', 'Check the proxy in front of it.')
  const skewS = Math.round(Math.abs(Date.now() - told) / 1000)
  if (skewS <= mostSkewS)
    return ok('clock', `The clocks of this machine and the gateway differ by at most ${mostSkewS} s.`)
  return warning(
    'clock',
    `The clocks of this machine and the gateway differ by ${skewS} s.`,
    'Synchronise both, for example with NTP.',
  )
}

async function* checkSignedIn(invocation: Invocation): AsyncGenerator<Finding> {
  let client: GatewayClient
  let identity: Identity
  try {
    client = await invocation.client()
    identity = await client.get<Identity>('/v1/whoami')
  } catch (error) {
    const exitCode = error instanceof Failure ? error.exitCode : exitCodes.refused
    yield broken('key', reasonOf(error), 'Run svc login, or set SVC_KEY.', exitCode)
    return
  }
  yield await answered('key', checkKey(client, identity))
  if (identity.scopes.includes('calls')) yield await answered('agents', checkAgents(client))
  if (identity.scopes.includes('calls') && identity.scopes.includes('providers'))
    yield await answered('models', checkModels(client))
  if (identity.scopes.includes('numbers')) yield await answered('phone', checkOutbound(client))
}

/** A failed check is a finding too: the other checks still run. */
async function answered(check: string, finding: Promise<Finding>): Promise<Finding> {
  return finding.catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    return broken(
      check,
      `${error.message}.`,
      'Try again. If it fails again, read the log of the gateway.',
      error.exitCode,
    )
  })
}

async function checkKey(client: GatewayClient, identity: Identity): Promise<Finding> {
  const { name, label, slug, env, key_id } = identity
  const { keys } = await client.get<KeyList>('/v1/keys')
  const ends = keys.find(({ fingerprint }) => fingerprint === key_id)?.expires_at ?? null
  const says = `You are ${name || label} in ${slug}, in the ${env} environment`
  if (ends === null) return ok('key', `${says}; the key does not expire.`)
  const days = (Date.parse(ends) - Date.now()) / 86_400_000
  if (days > soonDays) return ok('key', `${says}; the key expires at ${ends}.`)
  return warning('key', `${says}; the key expires at ${ends}.`, 'Create another with svc keys create.')
}

async function checkAgents(client: GatewayClient): Promise<Finding> {
  const { agents } = await client.get<AgentList>('/v1/agents')
  const held = agents.filter((each) => each.held).map(({ agent }) => agent)
  if (held.length > 0) return ok('agents', `Online: ${held.join(', ')}.`)
  return warning('agents', 'No agent is online.', 'Create one with svc init <folder> and start it.')
}

/** Whether a vendor switches off a model that an agent runs on. */
async function checkModels(client: GatewayClient): Promise<Finding> {
  const [catalogue, { agents }] = await Promise.all([
    client.get<Catalogue>('/v1/providers'),
    client.get<AgentList>('/v1/agents'),
  ])
  const found = new Map<string, string[]>()
  for (const { agent } of agents) {
    const view = await client.get<SettingsView>(path`/v1/agents/${agent}/settings`)
    for (const retiring of retiringInUse(catalogue, configOf(view))) {
      const sentence = retirementOf(retiring)
      found.set(sentence, [...(found.get(sentence) ?? []), agent])
    }
  }
  if (found.size === 0) return ok('models', `No model in use is switched off within ${warnedDaysAhead} days.`)
  const says = [...found].map(([sentence, users]) => `${sentence} In use by ${users.join(', ')}.`)
  return warning('models', says.join(' '), 'Choose another model with svc settings set.')
}

const configOf = ({ world, production, team, yours }: SettingsView) =>
  world === 'production' ? (production?.config ?? {}) : { ...team?.config, ...yours?.config }

async function checkOutbound(client: GatewayClient): Promise<Finding> {
  const { ready, steps_missing, from_numbers } = await client.get<OutboundReadiness>('/v1/carrier/outbound')
  if (ready) return ok('phone', `Calls can be placed from ${from_numbers.join(', ')}.`)
  return warning('phone', 'No phone call can be placed.', steps_missing.join(' '))
}

async function checkVoiceServer(invocation: Invocation): Promise<Finding> {
  const url = await voiceAddress(invocation)
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answersWithinMs) })
    if (response.ok) return ok('voice server', `It answers at ${url}.`)
    return warning('voice server', `${url} answered ${response.status}.`, 'Read its log.')
  } catch (error) {
    const fix = 'svc speak and svc transcribe need it: run npm run speech, or set SVC_VOICE_URL.'
    return warning('voice server', `${url} cannot be reached (${reasonOf(error)}).`, fix)
  }
}
