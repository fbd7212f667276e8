import {
  usualPace,
  type CreatePublishableKey,
  type PublishableKey,
  type PublishableKeyList,
} from '@switchroom/contract/publishable-keys'
import { environments } from '@switchroom/contract/scopes'
import { refuseMalformedSlug } from '../../agents/scope.ts'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { refuseProductionBeyond } from '../../foundation/granting.ts'
import { badRequest, conflict, notFound } from '../../foundation/refusals.ts'
import { newId, newSecret } from '../../foundation/secrets.ts'
import { lineOf } from '../../foundation/text.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import { originsOf } from './origins.ts'
import * as store from './publishable-keys.store.ts'

export const publishablePrefix = 'pk_'
const mostKeys = 100

export interface PublishableKeysParts {
  database: Database
  clock: Clock
  orgs: Pick<Orgs, 'lock'>
}

/** The keys of an org that stand in web pages: each for one agent, some origins and a pace. */
export class PublishableKeys {
  readonly #parts: PublishableKeysParts

  constructor(parts: PublishableKeysParts) {
    this.#parts = parts
  }

  async list({ org, agents }: Caller): Promise<PublishableKeyList> {
    return { publishable_keys: await store.listKeys(this.#parts.database, org, agents) }
  }

  async create(caller: Caller, wanted: CreatePublishableKey): Promise<PublishableKey> {
    const { database, clock, orgs } = this.#parts
    const env = environments.find((known) => known === wanted.env)
    if (!env) throw badRequest('env is sandbox or production')
    if (env === 'production') refuseProductionBeyond(caller)
    const { agent } = wanted
    refuseMalformedSlug(agent)
    const label = lineOf('label', wanted.label)
    const origins = originsOf(wanted.origins)
    const pace = {
      visitor_per_hour: wanted.visitor_per_hour ?? usualPace.visitor_per_hour,
      per_minute: wanted.per_minute ?? usualPace.per_minute,
    }
    const at = clock.now()
    const made = {
      id: newId('pub', 8),
      key: newSecret(publishablePrefix),
      label,
      agent,
      env,
      origins,
      ...pace,
    }
    const created_by = caller.subject
    await database.transaction(async (tx) => {
      await orgs.lock(tx, caller.org) // held, so that two requests cannot both make the last one
      if ((await store.countLiving(tx, caller.org)) >= mostKeys)
        throw conflict(`an org has at most ${mostKeys} publishable keys: revoke one that no page uses`)
      await store.insertKey(tx, { ...made, org: caller.org, created_by, created_at: at })
      const target = { kind: 'publishable_key', id: made.id, label } as const
      await recordAudit(tx, caller, 'publishable_key.created', target, {
        env,
        detail: { agent, origins, ...pace },
      })
    })
    return { ...made, created_by, created_at: at.toISOString(), revoked_at: null }
  }

  /** Another org's key, a revoked one and one of an agent outside the caller's list are refused alike. */
  async revoke(caller: Caller, id: string): Promise<PublishableKey> {
    const { database, clock } = this.#parts
    return database.transaction(async (tx) => {
      const revoked = await store.revokeKey(tx, caller.org, id, caller.agents, clock.now())
      if (!revoked) throw notFound(`there is no publishable key ${id}, or it is revoked`)
      const { label, env, agent } = revoked
      const target = { kind: 'publishable_key', id, label } as const
      await recordAudit(tx, caller, 'publishable_key.revoked', target, { env, detail: { agent } })
      return revoked
    })
  }
}
