import type { AgentHolder, AgentHolders } from '@switchroom/contract/apps'
import type { Environment } from '@switchroom/contract/scopes'
import type { Logger } from 'pino'
import type { ConnectedApps, HolderRow } from '../../agents/apps/connected-apps.ts'
import type { AppRequests } from './app-requests.ts'

interface HeldAgent {
  org: string
  env: Environment
  agent: string
}

export interface HolderNoticesParts {
  connectedApps: Pick<ConnectedApps, 'holdersOf'>
  appRequests: Pick<AppRequests, 'deliver'>
  logger: Logger
}

/** Tells the apps that hold an agent of each other, on whatever gateway they are. */
export class HolderNotices {
  readonly #parts: HolderNoticesParts
  /** By agent: true if somebody came or went since its holders were read. */
  readonly #telling = new Map<string, boolean>()
  readonly #running = new Set<Promise<void>>()

  constructor(parts: HolderNoticesParts) {
    this.#parts = parts
  }

  /** An app has begun or ceased to hold each of the agents. */
  changed(agents: readonly HeldAgent[]) {
    for (const { org, env, agent } of agents) {
      const key = `${org} ${env} ${agent}`
      if (this.#telling.has(key)) this.#telling.set(key, true)
      else this.#start(key, { org, env, agent })
    }
  }

  /** Resolves once everybody was told of what changed so far. */
  async settled() {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #start(key: string, agent: HeldAgent) {
    this.#telling.set(key, false)
    const running = this.#tell(key, agent)
      .catch((error: unknown) =>
        this.#parts.logger.warn({ err: error, agent: agent.agent }, 'apps were not told who holds an agent'),
      )
      .finally(() => {
        this.#telling.delete(key)
        this.#running.delete(running)
      })
    this.#running.add(running)
  }

  /** Many that come at once are told of together. */
  async #tell(key: string, agent: HeldAgent) {
    do {
      this.#telling.set(key, false)
      const rows = await this.#parts.connectedApps.holdersOf(agent)
      for (const row of rows) {
        if (!row.isTold) continue
        const frame = noticeFor(agent.agent, row, rows)
        await this.#parts.appRequests.deliver(row, '', frame)
      }
    } while (this.#telling.get(key) === true)
  }
}

/** Of the same copy of the agent: in the sandbox each person has their own. */
export function noticeFor(agent: string, to: HolderRow, all: readonly HolderRow[]): AgentHolders {
  const same = all.filter(({ holder }) => holder === to.holder)
  const processes = new Map<string, Set<string>>()
  for (const { app, instance } of same)
    processes.set(app, (processes.get(app) ?? new Set<string>()).add(instance))
  const holders: AgentHolder[] = [...processes].map(([app, { size }]) => ({ app, processes: size }))
  return { type: 'agent.holders', agent, holders, calls: whoGets(to, same) }
}

function whoGets(to: HolderRow, [newest, ...others]: readonly HolderRow[]): AgentHolders['calls'] {
  if (!newest?.balance) return newest?.instance === to.instance ? 'yours' : 'others'
  if (!to.balance || to.app !== newest.app) return 'others'
  const isAlone = others.every(
    ({ app, balance, instance }) => app !== to.app || !balance || instance === to.instance,
  )
  return isAlone && newest.instance === to.instance ? 'yours' : 'shared'
}
