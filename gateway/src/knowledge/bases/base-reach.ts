import { outsideList, type Caller } from '../../foundation/caller.ts'
import { forbidden, listed } from '../../foundation/refusals.ts'

type Agents = readonly string[] | null

/** Whether someone who works on some agents may see the base: one of theirs may search it. */
export const isVisible = (caller: Pick<Caller, 'agents'>, agents: Agents) =>
  caller.agents.length === 0 || agents === null || agents.some((agent) => caller.agents.includes(agent))

/** What every agent answers from is changed by those who work on every agent. */
export function refuseChange(caller: Caller, { base, agents }: { base: string; agents: Agents }) {
  if (caller.agents.length === 0 || agents !== null) return
  throw forbidden(
    `base ${base} serves every agent, and this key works on ${listed(caller.agents)} alone: ask someone who works on all`,
  ).as('AGENT_NOT_ALLOWED')
}

/** Nobody gives or takes a base to or from agents that they do not work on. */
export function refuseAgents(caller: Caller, before: readonly string[], after: Agents) {
  if (caller.agents.length === 0) return
  if (after === null)
    throw forbidden(`agents: choose from those of your key: ${listed(caller.agents)}`).as('AGENT_NOT_ALLOWED')
  const changed = [
    ...before.filter((agent) => !after.includes(agent)),
    ...after.filter((agent) => !before.includes(agent)),
  ]
  if (!changed.every((agent) => caller.agents.includes(agent))) throw outsideList(caller)
}
