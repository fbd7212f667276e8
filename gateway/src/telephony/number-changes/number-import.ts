import type { DryRun, ImportedNumber, ImportNumber, TypeNumber } from '@switchroom/contract/numbers'
import type { Environment } from '@switchroom/contract/scopes'
import type { Caller, Operator } from '../../foundation/caller.ts'
import { numberKey } from '../../foundation/number-keys.ts'
import { conflict } from '../../foundation/refusals.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { Planes } from '../admission/planes.ts'
import type { Catalogue } from '../carriers/catalogue.ts'
import type { Hook } from './carrier-steps.ts'
import type { NumberRouting, Wanted } from './number-routing.ts'
import { readImport, readTyping, type AskedImport } from './number-parsing.ts'
import { carrierLock, numberLock, orgLock, type NumberLocks } from '../admission/number-locks.ts'
import type { Found, NumberSources } from './number-sources.ts'
import type { Numbers } from '../numbers/numbers.ts'
import { isDryRun } from './steps.ts'

export interface NumberImportParts {
  numbers: Numbers
  locks: NumberLocks
  orgs: Orgs
  catalogue: Catalogue
  sources: NumberSources
  planes: Planes
  numberRouting: NumberRouting
}

/** A LiveKit server tells trunks apart by the number alone, and an extension is many orgs'. */
export function refuseWithoutExtensions(planes: Planes, env: Environment) {
  if (planes.isEmbedded(env)) return
  throw conflict(
    `extensions ring on the embedded media plane alone, and ${env} runs on LiveKit: import a number instead`,
  )
}

/** Routes numbers to agents: those of the org's accounts, those that the org points here, and the operator's. */
export class NumberImport {
  readonly #parts: NumberImportParts

  constructor(parts: NumberImportParts) {
    this.#parts = parts
  }

  /** An import that is repeated after an interruption writes nothing twice. */
  async import(caller: Caller, body: ImportNumber, { dry_run }: DryRun): Promise<ImportedNumber> {
    const isDry = isDryRun(dry_run)
    const { catalogue, numberRouting } = this.#parts
    const asked = readImport(body, catalogue)
    const { org, env } = caller
    if (asked.channel === 'phone') numberRouting.sipNameOf(env) // refuses if there is none
    const { agent, channel } = asked
    const found = asked.isExtension
      ? await this.#findExtension(caller, asked)
      : await this.#find(caller, asked)
    const number = asked.isExtension ? numberKey(org, found.label) : asked.number
    const isManaged = found.origin === 'bought'
    const wanted: Wanted = { by: caller, org, env, number, agent, channel, managed: isManaged, ...found }
    if (found.login) wanted.hook = this.#hookOf(wanted, found.login, asked.move)
    return isDry ? numberRouting.preview(wanted) : this.#hook(wanted, found)
  }

  /** The operator routes any number into any org. */
  async type(by: Operator, body: TypeNumber): Promise<ImportedNumber> {
    const { catalogue, numberRouting, orgs } = this.#parts
    const { number, agent, channel, env, via } = readTyping(body, catalogue)
    const { id: org } = await orgs.find(body.org)
    if (channel === 'phone') numberRouting.sipNameOf(env)
    const typed = { origin: 'typed', account: null, account_kind: null, networks: [], label: number } as const
    return this.#hook({ by, org, env, number, agent, channel, via, managed: false, ...typed }, {})
  }

  /** Its account is the org's own SIP peer, and its label what it is called within the org. */
  #findExtension({ org, env }: Caller, { number, account }: AskedImport): Promise<Found> {
    const { sources, planes } = this.#parts
    refuseWithoutExtensions(planes, env)
    return sources.extension(org, number, account)
  }

  async #find({ org, env }: Caller, { number, channel, account, hooked }: AskedImport): Promise<Found> {
    const { numbers, sources } = this.#parts
    const row = await numbers.find(number)
    const isOwn = row?.org === org && row.env === env
    if (isOwn && row.managed && channel === 'phone') return sources.managed(number)
    return hooked ? sources.hooked(number, hooked) : sources.inAccount(org, channel, number, account)
  }

  /** The number is read again under the lock, for another import may have attached it meanwhile. */
  #hookOf({ number, env }: Wanted, login: NonNullable<Found['login']>, move: boolean) {
    const { sources, numberRouting } = this.#parts
    return async (): Promise<Hook> => ({
      login,
      number: await sources.owned(login, number),
      sipName: numberRouting.sipNameOf(env),
      mayLeave: () => move,
    })
  }

  #hook(wanted: Wanted, { login }: Pick<Found, 'login'>): Promise<ImportedNumber> {
    const { locks, numberRouting } = this.#parts
    const names = [numberLock(wanted.number), orgLock(wanted.org)]
    if (login) names.push(carrierLock(login.account_sid))
    return locks.withLocks(names, () => numberRouting.hook(wanted))
  }
}
