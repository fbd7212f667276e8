import {
  RoomConfiguration,
  SIPDispatchRule,
  SIPDispatchRuleInfo,
  SIPInboundTrunkInfo,
} from '@livekit/protocol'
import { encryptionIn, encryptionOf } from './encryption.ts'
import { fenceVerdicts, isSameFence, isSameSet } from '../fences.ts'
import { roomPrefix } from './names.ts'
import type { LiveKitServer } from './server.ts'
import type { AdmissionVerdicts, Fence, Verdict } from '../plane.ts'

/**
 * The trunks and the rule of one name, as they are now. No write leaves a trunk without numbers or networks, or a rule
 * without trunks, because an empty list means all of them.
 */
export class LiveKitScope {
  readonly #server: LiveKitServer
  readonly #name: string
  #trunks: SIPInboundTrunkInfo[]
  #rules: SIPDispatchRuleInfo[]

  constructor(
    server: LiveKitServer,
    name: string,
    trunks: SIPInboundTrunkInfo[],
    rules: SIPDispatchRuleInfo[],
  ) {
    this.#server = server
    this.#name = name
    this.#trunks = trunks
    this.#rules = rules
  }

  get fences(): Fence[] {
    return this.#trunks.map(fenceOf)
  }

  verdicts(wanted: readonly Fence[], fleet: string, changed: Verdict): AdmissionVerdicts {
    const kept = wanted.map((fence) => this.#trunks.find((trunk) => staysFor(trunk, fence)))
    const ids = kept.flatMap((trunk) => trunk?.sipTrunkId ?? [])
    const stands =
      wanted.length === 0
        ? this.#rules.length === 0
        : ids.length === wanted.length && this.#isRule(ids, numbersOf(wanted), fleet)
    return { fences: fenceVerdicts(this.fences, wanted, changed), rule: stands ? 'stands' : changed }
  }

  /** What is no longer wanted goes first, so that a number is never on two trunks. */
  async become(wanted: readonly Fence[], fleet: string) {
    const firsts = new Set(wanted.map(({ name }) => this.#trunks.find((trunk) => trunk.name === name)))
    await this.#shrink((trunk) => {
      const fence = firsts.has(trunk) ? wanted.find(({ name }) => name === trunk.name) : undefined
      return trunk.numbers.filter((number) => fence?.numbers.includes(number))
    })
    await this.stand(wanted, fleet)
  }

  async stand(wanted: readonly Fence[], fleet: string) {
    for (const fence of wanted) await this.#standOne(fence)
    if (wanted.length > 0) await this.#standRule(fleet)
  }

  /** One fence for every number, which only a single address may have. */
  async standOpen(fence: Fence, fleet: string): Promise<'stands' | 'done'> {
    const [trunk] = this.#trunks
    if (trunk && isSameFence(fenceOf(trunk), fence) && this.#isRule([trunk.sipTrunkId], [], fleet))
      return 'stands'
    await this.stand([fence], fleet)
    return 'done'
  }

  /** Answers whether one of them was listed. */
  async takeOff(numbers: ReadonlySet<string>): Promise<boolean> {
    const listed = numbersOf([...this.#trunks, ...this.#rules])
    if (!listed.some((number) => numbers.has(number))) return false
    await this.#shrink((trunk) => trunk.numbers.filter((number) => !numbers.has(number)))
    const fleet = this.#rules[0]?.roomConfig?.agents[0]?.agentName
    if (fleet !== undefined && this.#trunks.length > 0) await this.#standRule(fleet)
    return true
  }

  async #shrink(keep: (trunk: SIPInboundTrunkInfo) => string[]) {
    const numbersLeft = new Map(this.#trunks.map((trunk) => [trunk, keep(trunk)]))
    const [kept, emptied] = [
      this.#trunks.filter((trunk) => numbersLeft.get(trunk)?.length),
      this.#trunks.filter((trunk) => !numbersLeft.get(trunk)?.length),
    ]
    await this.#leaveRules(kept, emptied)
    for (const trunk of emptied) await this.#server.deleteTrunk(trunk)
    this.#trunks = kept
    for (const trunk of kept) {
      const left = numbersLeft.get(trunk) ?? []
      if (left.length < trunk.numbers.length)
        await this.#replaceTrunk(trunk, (changed) => (changed.numbers = left))
    }
  }

  async #leaveRules(kept: readonly SIPInboundTrunkInfo[], leaving: readonly SIPInboundTrunkInfo[]) {
    const keptIds = new Set(kept.map(({ sipTrunkId }) => sipTrunkId))
    for (const rule of this.#rules) {
      const left = rule.trunkIds.filter((id) => keptIds.has(id))
      if (left.length === 0) await this.#deleteRule(rule)
      else if (leaving.some(({ sipTrunkId }) => rule.trunkIds.includes(sipTrunkId)))
        await this.#replaceRule(rule, (changed) => (changed.trunkIds = left))
    }
  }

  async #standOne(fence: Fence) {
    const trunk = this.#trunks.find(({ name }) => name === fence.name)
    if (!trunk) this.#trunks.push(await this.#server.createTrunk(filled(new SIPInboundTrunkInfo(), fence)))
    else if (!isSameFence(fenceOf(trunk), fence))
      await this.#replaceTrunk(trunk, (changed) => filled(changed, fence))
  }

  async #standRule(fleet: string) {
    const ids = this.#trunks.map(({ sipTrunkId }) => sipTrunkId)
    const numbers = numbersOf(this.#trunks)
    if (this.#isRule(ids, numbers, fleet)) return
    const [first, ...others] = this.#rules
    for (const rule of others) await this.#deleteRule(rule)
    const fill = (rule: SIPDispatchRuleInfo) => {
      rule.name = this.#name
      rule.trunkIds = ids
      rule.numbers = numbers
      rule.inboundNumbers = []
      rule.rule = new SIPDispatchRule({ rule: { case: 'dispatchRuleIndividual', value: { roomPrefix } } })
      rule.roomConfig = new RoomConfiguration({ agents: [{ agentName: fleet }] })
    }
    if (first) return this.#replaceRule(first, fill)
    const rule = new SIPDispatchRuleInfo()
    fill(rule)
    this.#rules = [await this.#server.createRule(rule)]
  }

  #isRule(ids: readonly string[], numbers: readonly string[], fleet: string): boolean {
    const [rule, ...others] = this.#rules
    if (!rule || others.length > 0) return false
    const { rule: way } = rule.rule ?? {}
    const agents = rule.roomConfig?.agents ?? []
    return (
      isSameSet(rule.trunkIds, ids) &&
      // An older server keeps no numbers on a rule; its trunks list them all the same.
      (rule.numbers.length === 0 || isSameSet(rule.numbers, numbers)) &&
      rule.inboundNumbers.length === 0 &&
      way?.case === 'dispatchRuleIndividual' &&
      way.value.roomPrefix === roomPrefix &&
      way.value.pin === '' &&
      agents.length === 1 &&
      agents[0]?.agentName === fleet
    )
  }

  async #replaceTrunk(trunk: SIPInboundTrunkInfo, change: (trunk: SIPInboundTrunkInfo) => void) {
    const changed = trunk.clone()
    change(changed)
    await this.#server.replaceTrunk(changed)
    this.#trunks = this.#trunks.map((one) => (one === trunk ? changed : one))
  }

  async #replaceRule(rule: SIPDispatchRuleInfo, change: (rule: SIPDispatchRuleInfo) => void) {
    const changed = rule.clone()
    change(changed)
    await this.#server.replaceRule(changed)
    this.#rules = this.#rules.map((one) => (one === rule ? changed : one))
  }

  async #deleteRule(rule: SIPDispatchRuleInfo) {
    await this.#server.deleteRule(rule)
    this.#rules = this.#rules.filter((one) => one !== rule)
  }
}

/** A trunk that shares no number with what is wanted of it is made anew, because it would be emptied on the way. */
const staysFor = (trunk: SIPInboundTrunkInfo, fence: Fence) =>
  trunk.name === fence.name && trunk.numbers.some((number) => fence.numbers.includes(number))

export function fenceOf(trunk: SIPInboundTrunkInfo): Fence {
  const { name, numbers, allowedAddresses, authUsername: username, authPassword: password } = trunk
  return {
    name,
    networks: allowedAddresses,
    numbers,
    ...(username !== '' && { pair: { username, password } }),
    ...encryptionIn(trunk.mediaEncryption),
  }
}

/** What a trunk of the server can say of a fence: not how numbers are written, nor what From or Refer-To say. */
export const keptOf = ({ name, networks, numbers, pair, encryption = 'off' }: Fence): Fence => ({
  name,
  networks,
  numbers,
  ...(pair && { pair }),
  ...encryptionIn(encryptionOf[encryption]),
})

function filled(trunk: SIPInboundTrunkInfo, fence: Fence): SIPInboundTrunkInfo {
  const { name, networks, numbers, pair, encryption = 'off' } = fence
  trunk.mediaEncryption = encryptionOf[encryption]
  trunk.name = name
  trunk.numbers = [...numbers]
  trunk.allowedAddresses = [...networks]
  trunk.authUsername = pair?.username ?? ''
  trunk.authPassword = pair?.password ?? ''
  return trunk
}

const numbersOf = (fences: readonly { numbers: readonly string[] }[]) =>
  fences.flatMap(({ numbers }) => numbers)
