import type { Transaction } from '../../database/database.ts'
import { later, weekMs, type Clock } from '../../foundation/clock.ts'
import { unlessTooManyLetters, type Letters } from '../../mail/letters.ts'
import type { Members } from '../../people/members/members.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { EndpointRow } from './endpoints.ts'

interface PauseLetterParts {
  clock: Clock
  letters: Letters
  members: Members
  orgs: Orgs
  baseUrl: string
}

/** Tells the org's admins that the gateway paused an endpoint; the console shows the same. */
export const pauseLetters =
  ({ clock, letters, members, orgs, baseUrl }: PauseLetterParts) =>
  async (tx: Transaction, { org, env, url, failing_since }: EndpointRow): Promise<void> => {
    const named = await orgs.lookUp(org, tx)
    const { members: all } = await members.list(org, tx)
    const admins = all.filter(({ role, status }) => role === 'admin' && status === 'active')
    for (const { email, name } of admins)
      await letters
        .queue(tx, {
          kind: 'webhook-paused',
          to: email,
          name,
          orgName: named?.name ?? org,
          host: new URL(url).host,
          env,
          since: failing_since ?? '',
          link: `${baseUrl}/webhooks`,
          by: { org },
          askedBy: { org },
          expiresAt: later(clock.now(), weekMs),
        })
        .catch(unlessTooManyLetters)
  }
