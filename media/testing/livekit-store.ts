import { isIPv4 } from 'node:net'
import {
  CreateSIPDispatchRuleRequest,
  CreateSIPInboundTrunkRequest,
  DeleteSIPDispatchRuleRequest,
  DeleteSIPTrunkRequest,
  ListSIPDispatchRuleResponse,
  ListSIPInboundTrunkResponse,
  SIPDispatchRuleInfo,
  SIPInboundTrunkInfo,
  SIPTrunkInfo,
  UpdateSIPDispatchRuleRequest,
  UpdateSIPInboundTrunkRequest,
} from '@livekit/protocol'
import { Refusal } from './livekit-refusals.ts'

type Body = Record<string, unknown>
type PartialMessage<T extends new (...data: never[]) => unknown> = ConstructorParameters<T>[0]
type Writable = { toJson(options: object): unknown }

/** As the server writes: names as in its definitions, nothing left out. */
const written = (message: Writable) => message.toJson({ useProtoFieldName: true, emitDefaultValues: true })
const lenient = { ignoreUnknownFields: true }

/** The trunks and rules that a LiveKit server keeps. */
export class LiveKitStore {
  trunks: SIPInboundTrunkInfo[] = []
  rules: SIPDispatchRuleInfo[] = []
  /** One sentence for each write that let every caller in. */
  readonly problems: string[] = []
  /** An older server keeps no numbers on a rule. */
  keepsRuleNumbers = true
  #foreign = new Set<string>()
  #made = 0

  trunk = (name: string) => this.trunks.find((trunk) => trunk.name === name)
  rule = (name: string) => this.rules.find((rule) => rule.name === name)

  /** Everything as it is now, to compare. */
  get whole() {
    return { trunks: this.trunks.map(written), rules: this.rules.map(written) }
  }

  /** A trunk that another program made. */
  seedTrunk(trunk: PartialMessage<typeof SIPInboundTrunkInfo>): SIPInboundTrunkInfo {
    const made = new SIPInboundTrunkInfo({ ...trunk, sipTrunkId: this.#newId('ST') })
    this.#foreign.add(made.sipTrunkId)
    this.trunks.push(made)
    return made
  }

  seedRule(rule: PartialMessage<typeof SIPDispatchRuleInfo>): SIPDispatchRuleInfo {
    const way = { rule: { case: 'dispatchRuleIndividual' as const, value: { roomPrefix: 'elsewhere-' } } }
    const made = new SIPDispatchRuleInfo({ rule: way, ...rule, sipDispatchRuleId: this.#newId('SDR') })
    this.#foreign.add(made.sipDispatchRuleId)
    this.rules.push(made)
    return made
  }

  /** As a server whose own store was lost. */
  empty() {
    this.trunks = []
    this.rules = []
  }

  run(method: string, body: Body): unknown {
    const answer = this.#run(method, body)
    this.#check()
    return answer
  }

  #run(method: string, body: Body): unknown {
    switch (method) {
      case 'ListSIPInboundTrunk':
        return written(new ListSIPInboundTrunkResponse({ items: this.trunks }))
      case 'ListSIPDispatchRule':
        return written(new ListSIPDispatchRuleResponse({ items: this.rules }))
      case 'CreateSIPInboundTrunk':
        return written(this.#createTrunk(CreateSIPInboundTrunkRequest.fromJson(json(body), lenient)))
      case 'UpdateSIPInboundTrunk':
        return written(this.#updateTrunk(UpdateSIPInboundTrunkRequest.fromJson(json(body), lenient)))
      case 'DeleteSIPTrunk':
        return written(this.#deleteTrunk(DeleteSIPTrunkRequest.fromJson(json(body), lenient)))
      case 'CreateSIPDispatchRule':
        return written(this.#createRule(CreateSIPDispatchRuleRequest.fromJson(json(body), lenient)))
      case 'UpdateSIPDispatchRule':
        return written(this.#updateRule(UpdateSIPDispatchRuleRequest.fromJson(json(body), lenient)))
      case 'DeleteSIPDispatchRule':
        return written(this.#deleteRule(DeleteSIPDispatchRuleRequest.fromJson(json(body), lenient)))
      default:
        throw new Refusal('bad_route', `no handler for path /twirp/livekit.SIP/${method}`)
    }
  }

  #createTrunk({ trunk }: CreateSIPInboundTrunkRequest): SIPInboundTrunkInfo {
    if (!trunk) throw new Refusal('invalid_argument', 'missing trunk')
    if (trunk.sipTrunkId) throw new Refusal('invalid_argument', 'trunk id must not be set')
    this.#refuseTrunk(trunk, '<new>', this.trunks)
    const made = trunk.clone()
    made.sipTrunkId = this.#newId('ST')
    this.trunks.push(made)
    return made
  }

  #updateTrunk({ sipTrunkId, action }: UpdateSIPInboundTrunkRequest): SIPInboundTrunkInfo {
    const standing = this.trunks.find((trunk) => trunk.sipTrunkId === sipTrunkId)
    if (!standing) throw new Refusal('not_found', 'requested sip trunk does not exist')
    if (action.case !== 'replace')
      throw new Refusal('invalid_argument', 'missing or unsupported update action')
    const { sipTrunkId: said } = action.value
    if (said && said !== sipTrunkId)
      throw new Refusal(
        'invalid_argument',
        'trunk id in the info must be empty or match the id in the update',
      )
    const changed = action.value.clone()
    changed.sipTrunkId = sipTrunkId
    const others = this.trunks.filter((trunk) => trunk !== standing)
    this.#refuseTrunk(changed, sipTrunkId, others)
    this.trunks = this.trunks.map((trunk) => (trunk === standing ? changed : trunk))
    return changed
  }

  #deleteTrunk({ sipTrunkId }: DeleteSIPTrunkRequest): SIPTrunkInfo {
    if (!sipTrunkId) throw new Refusal('invalid_argument', 'trunk ID is required')
    this.trunks = this.trunks.filter((trunk) => trunk.sipTrunkId !== sipTrunkId) // an unknown one is no error there
    return new SIPTrunkInfo({ sipTrunkId })
  }

  #createRule(request: CreateSIPDispatchRuleRequest): SIPDispatchRuleInfo {
    const { rule, trunkIds, name, roomConfig } = request
    const info =
      request.dispatchRule ??
      new SIPDispatchRuleInfo({ ...(rule && { rule }), trunkIds, name, ...(roomConfig && { roomConfig }) })
    if (info.sipDispatchRuleId) throw new Refusal('invalid_argument', 'rule id must not be set')
    this.#refuseRule(info, '<new>', this.rules)
    const made = this.#keptRule(info, this.#newId('SDR'))
    this.rules.push(made)
    return made
  }

  #updateRule({ sipDispatchRuleId, action }: UpdateSIPDispatchRuleRequest): SIPDispatchRuleInfo {
    const standing = this.rules.find((rule) => rule.sipDispatchRuleId === sipDispatchRuleId)
    if (!standing) throw new Refusal('not_found', 'requested sip dispatch rule does not exist')
    if (action.case !== 'replace')
      throw new Refusal('invalid_argument', 'missing or unsupported update action')
    const changed = this.#keptRule(action.value, sipDispatchRuleId)
    const others = this.rules.filter((rule) => rule !== standing)
    this.#refuseRule(changed, sipDispatchRuleId, others)
    this.rules = this.rules.map((rule) => (rule === standing ? changed : rule))
    return changed
  }

  #deleteRule({ sipDispatchRuleId }: DeleteSIPDispatchRuleRequest): SIPDispatchRuleInfo {
    const standing = this.rules.find((rule) => rule.sipDispatchRuleId === sipDispatchRuleId)
    if (!standing) throw new Refusal('not_found', 'requested sip dispatch rule does not exist')
    this.rules = this.rules.filter((rule) => rule !== standing)
    return standing
  }

  #keptRule(rule: SIPDispatchRuleInfo, sipDispatchRuleId: string): SIPDispatchRuleInfo {
    const kept = rule.clone()
    kept.sipDispatchRuleId = sipDispatchRuleId
    if (!this.keepsRuleNumbers) kept.numbers = []
    return kept
  }

  #refuseTrunk(trunk: SIPInboundTrunkInfo, id: string, others: readonly SIPInboundTrunkInfo[]) {
    const hasPair = trunk.authUsername || trunk.authPassword
    if (!hasPair && trunk.allowedAddresses.length === 0 && trunk.numbers.length === 0)
      throw new Refusal(
        'invalid_argument',
        'for security, one of the fields must be set: AuthUsername+AuthPassword, AllowedAddresses or Numbers',
      )
    const listed = (one: SIPInboundTrunkInfo) => (one.numbers.length === 0 ? ['<any>'] : one.numbers)
    const twin = others.find((other) => listed(other).some((number) => listed(trunk).includes(number)))
    if (!twin) return
    const numbers = trunk.numbers.length === 0 ? '<any>' : JSON.stringify(trunk.numbers).replaceAll(',', ' ')
    throw new Refusal(
      'invalid_argument',
      `Conflicting inbound SIP Trunks: "${id}" and "${twin.sipTrunkId}", using the same number(s) ${numbers} without AllowedNumbers set`,
    )
  }

  #refuseRule(rule: SIPDispatchRuleInfo, id: string, others: readonly SIPDispatchRuleInfo[]) {
    if (!rule.rule) throw new Refusal('invalid_argument', 'missing rule')
    const listed = (one: SIPDispatchRuleInfo) => (one.trunkIds.length === 0 ? [''] : one.trunkIds)
    const twin = others.find((other) => listed(other).some((trunk) => listed(rule).includes(trunk)))
    if (!twin) return
    throw new Refusal(
      'invalid_argument',
      `Conflicting SIP Dispatch Rules: same Trunk+Number+PIN combination for for "${id}" and "${twin.sipDispatchRuleId}"`,
    )
  }

  #check() {
    for (const { sipTrunkId, name, numbers, allowedAddresses } of this.trunks) {
      if (this.#foreign.has(sipTrunkId)) continue
      if (numbers.length === 0 && name !== 'hand-over')
        this.problems.push(`the trunk ${name} admitted every number`)
      if (allowedAddresses.length === 0) this.problems.push(`the trunk ${name} admitted from everywhere`)
      const wrong = allowedAddresses.find((address) => !isNetwork(address))
      if (wrong !== undefined)
        this.problems.push(`the trunk ${name} admitted from ${wrong}, which is no IPv4 network`)
    }
    for (const { sipDispatchRuleId, name, trunkIds } of this.rules)
      if (trunkIds.length === 0 && !this.#foreign.has(sipDispatchRuleId))
        this.problems.push(`the rule ${name} applied to every trunk`)
  }

  #newId(prefix: string): string {
    this.#made += 1
    return `${prefix}_${String(this.#made).padStart(4, '0')}`
  }
}

/** What has a type for the wire but came as JSON of any shape. */
const json = (body: Body) => body as Parameters<typeof CreateSIPInboundTrunkRequest.fromJson>[0]

function isNetwork(text: string): boolean {
  const [address = '', bits = '32', ...more] = text.split('/')
  return more.length === 0 && isIPv4(address) && /^\d{1,2}$/.test(bits) && Number(bits) <= 32
}
