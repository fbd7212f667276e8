import type { ProvisionedOutbound } from '@switchroom/contract/carriers'
import type { OutboundTrunk } from '@switchroom/media/plane'
import { createHash, randomInt } from 'node:crypto'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { conflict, notFound, unavailable } from '../../foundation/refusals.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import type { Settings } from '../../foundation/settings.ts'
import type { CarrierLogin } from '../../foundation/telephony-settings.ts'
import type { CarrierAccounts, OpenedAccount } from '../carriers/accounts.ts'
import { friendlyName, type ApiCarrier } from '../carriers/api-carrier.ts'
import { trunkTerms } from '../carriers/trunk-fields.ts'
import { completeTrunk, findTrunk, originationOf } from '../carriers/trunks.ts'
import { carrierLock, type NumberLocks } from '../admission/number-locks.ts'
import { asPlanned, asSentences, carryOut, type PlannedStep } from '../number-changes/steps.ts'
import * as store from './provisioning.store.ts'

interface Parts {
  database: Database
  clock: Clock
  vault: Vault
  locks: NumberLocks
  carrier: ApiCarrier
  accounts: CarrierAccounts
  settings: Pick<Settings, 'domain' | 'telephony'>
}

type ApiAccount = Extract<OpenedAccount, { kind: 'apicarrier' }>

/** What has to be at the carrier, by name. */
interface Names {
  org: string
  account: string
  sipName: string
  host: string
  list: string
  username: string
}

/** A carrier's other direction: what the platform makes there once, so that an org can dial through its account. */
export class OutboundProvisioning {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Everything is looked up before it is written, so that a run that broke off is finished by the next. */
  async provision(
    caller: Caller,
    account: string | undefined,
    dryRun: boolean,
  ): Promise<ProvisionedOutbound> {
    const { org } = caller
    const { accounts, locks, database, clock } = this.#parts
    const row = await accounts.findServing(org, 'phone', account)
    const opened = await accounts.opened(org, row.account)
    if (!opened || opened.forgotten) throw notFound(`this org holds no carrier account ${row.account}`)
    const answer = { kind: opened.kind, account: opened.account, dry_run: dryRun }
    if (opened.kind !== 'apicarrier') return { ...answer, host: peerHost(opened), steps: [] }

    const names = this.#names(org, opened)
    const { host } = names
    if (dryRun) return { ...answer, host, steps: asSentences(asPlanned(await this.#plan(names, opened))) }
    return locks.withLocks([carrierLock(opened.account_sid)], async () => {
      const steps = await carryOut(await this.#plan(names, opened))
      await database.transaction(async (tx) => {
        await store.setProvisioned(tx, org, opened.account, host, clock.now())
        const target = { kind: 'carrier', id: opened.account, label: opened.label } as const
        await recordAudit(tx, caller, 'carrier.provisioned', target, { env: null, detail: { host } })
      })
      return { ...answer, host, steps: asSentences(steps) }
    })
  }

  /** How calls of the org leave through an account; undefined if they cannot. */
  async trunkOf(org: string, account: string): Promise<OutboundTrunk | undefined> {
    const opened = await this.#parts.accounts.opened(org, account)
    if (!opened || opened.forgotten) return undefined
    if (opened.kind === 'apicarrier') {
      const kept = await store.findCredential(this.#parts.database, org, account)
      if (!kept || kept.provisioned_at === null) return undefined
      return {
        hostname: kept.host,
        transport: 'udp',
        auth_username: kept.username,
        auth_password: this.#passwordOf(kept),
      }
    }
    if (opened.kind !== 'sip' || opened.outbound_host === undefined) return undefined
    return {
      hostname: opened.outbound_host,
      transport: opened.outbound_transport ?? 'udp',
      // One that has no password is asked for no proof.
      auth_username: opened.outbound_username ?? (opened.password === '' ? '' : opened.username),
      auth_password: opened.outbound_password ?? opened.password,
      ...trunkTerms(opened),
    }
  }

  #names(org: string, { account, account_sid }: ApiAccount): Names {
    const { domain, telephony } = this.#parts.settings
    const sipName = telephony.sipNames.production // one host for both environments, on production's trunk
    if (domain === undefined || sipName === undefined)
      throw unavailable('this deployment has no name to be called back at: the operator sets SVC_DOMAIN')
    const digest = createHash('sha256').update(`${domain}/${account_sid}`).digest('hex').slice(0, 12)
    return {
      org,
      account,
      sipName,
      host: `svc-${digest}.${telephony.apiCarrier.termination}`,
      list: friendlyName(`svc ${domain}`),
      username: `svc-${org}`,
    }
  }

  /** Refuses before anything is written. */
  async #plan(names: Names, login: CarrierLogin): Promise<PlannedStep[]> {
    const { carrier, database } = this.#parts
    const { org, account, sipName, host, username } = names
    const found = await findTrunk(carrier, login, sipName)
    let { trunk } = found
    if (trunk?.domain_name && trunk.domain_name !== host && !this.#isOurs(trunk.domain_name))
      throw conflict(
        `the trunk ${trunk.friendly_name} has the termination host ${trunk.domain_name}: take it off at the carrier first`,
      )
    const lists = await carrier.credentialLists(login)
    let list = lists.find(({ friendly_name }) => friendly_name === names.list)
    const onTrunk = trunk ? await carrier.trunkCredentialLists(login, trunk.sid) : []
    const credentials = list ? await carrier.credentials(login, list.sid) : []
    const isMade = credentials.some((credential) => credential.username === username)
    const kept = await store.findCredential(database, org, account)
    if (isMade && !kept)
      throw conflict(
        `the carrier has the credential ${username} and its password is not kept here: delete it at the carrier, then ask again`,
      )

    // Each write follows those before it, so that the trunk and the list are there.
    return [
      {
        thing: `carrier trunk ${originationOf(sipName)}`,
        isThere: found.points,
        write: async () => (trunk = await completeTrunk(carrier, login, sipName, found)),
      },
      {
        thing: `termination host ${host}`,
        isThere: trunk?.domain_name === host,
        write: () => carrier.setDomain(login, trunk!.sid, host),
      },
      {
        thing: `credential list ${names.list}`,
        isThere: list !== undefined,
        write: async () => (list = await carrier.makeCredentialList(login, names.list)),
      },
      {
        thing: `credential list ${names.list} on the trunk`,
        isThere: onTrunk.some(({ sid }) => sid === list?.sid),
        write: () => carrier.addCredentialList(login, trunk!.sid, list!.sid),
      },
      {
        thing: `credential ${username}`,
        isThere: isMade,
        write: async () =>
          carrier.makeCredential(login, list!.sid, { username, password: await this.#password(names) }),
      },
    ]
  }

  /** Whether a host is one that a deployment like this one made. */
  #isOurs(host: string): boolean {
    const { termination } = this.#parts.settings.telephony.apiCarrier
    return (
      /^svc-[0-9a-f]{12}$/.test(host.slice(0, -termination.length - 1)) && host.endsWith(`.${termination}`)
    )
  }

  /** Kept before the carrier gets it: without it no call could be placed. */
  async #password({ org, account, host, username }: Names): Promise<string> {
    const { database, vault } = this.#parts
    const password = vault.seal(newCarrierPassword(), placeOf(org, account))
    await store.keepCredential(database, { org, account, host, username, password })
    const kept = await store.findCredential(database, org, account)
    if (!kept) throw new Error('a credential was not kept')
    return this.#passwordOf(kept)
  }

  #passwordOf({ org, account, password }: store.CredentialRow): string {
    return this.#parts.vault.open(password, placeOf(org, account))
  }
}

export const placeOf = (org: string, account: string): SealedPlace =>
  `outbound_credentials:password:${org}:${account}`

function peerHost(opened: OpenedAccount): string {
  if (opened.kind === 'sip' && opened.outbound_host !== undefined) return opened.outbound_host
  throw conflict(`${opened.account} cannot be dialled: say its outbound_host at PUT /v1/carrier`)
}

const lower = 'abcdefghijklmnopqrstuvwxyz'
const passwordCharacters = `${lower}${lower.toUpperCase()}0123456789`

/** 32 random letters and digits, every kind among them: the carrier takes nothing less. */
function newCarrierPassword(): string {
  for (;;) {
    const drawn = Array.from({ length: 32 }, () => passwordCharacters[randomInt(passwordCharacters.length)])
    const password = drawn.join('')
    if (/[a-z]/.test(password) && /[A-Z]/.test(password) && /\d/.test(password)) return password
  }
}
