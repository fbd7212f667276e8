import { conflict, forbidden, paymentRequired } from '../../foundation/refusals.ts'
import type { Accounts } from '../../providers/accounts/accounts.ts'
import type { NamedOrg } from '../../providers/lent-keys/lent-keys.ts'
import type { ResolvedSettings } from '../records/records.ts'
import type { CallModels } from './call-models.ts'

/** Refuses a written call that nobody would answer: no app holds the agent, or no model runs. */
export async function refuseUnanswered(
  { models, accounts }: { models: CallModels; accounts: Pick<Accounts, 'read'> },
  org: NamedOrg,
  { agent, env }: { agent: string; env: string },
  resolution: ResolvedSettings,
) {
  if (resolution.declaration === null)
    throw conflict(
      `no app holds ${agent} in the ${env}: start the app that does, and open the chat again`,
    ).as('AGENT_OFFLINE')
  const [first] = await models.chain(org, resolution)
  if (!first || first.source === 'missing')
    throw forbidden(`llm: the org brought no key for ${first?.vendor ?? 'any vendor'}`)
  if (first.source === 'lent' && (await accounts.read(org.org)).credits <= 0)
    throw paymentRequired(
      `${first.vendor} runs on the platform's key, for which the org has no credits left: ask the operator for more, or bring a key of your own`,
    )
}
