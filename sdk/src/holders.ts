import type { AgentHolders } from '@switchroom/contract/apps'
import type { Holders } from './events.ts'

const places = { yours: 'here', others: 'elsewhere', shared: 'in turn' } as const

export const holdersOf = ({ holders, calls }: AgentHolders): Holders => ({ holders, newCalls: places[calls] })

const processesIn = ({ holders }: AgentHolders) => holders.reduce((sum, { processes }) => sum + processes, 0)

/** Whom this process shares an agent with, as far as it knows: at first nobody. */
export class HoldersWatch {
  #known = ''

  /** The gateway tells at every registration, also what is known. */
  isNews(frame: AgentHolders): boolean {
    const told = processesIn(frame) > 1 ? JSON.stringify([frame.holders, frame.calls]) : ''
    if (told === this.#known) return false
    this.#known = told
    return true
  }

  /** Taking turns is what the author asked for. */
  warn(frame: AgentHolders): void {
    const { agent, holders, calls } = frame
    if (processesIn(frame) <= 1 || calls === 'shared') return
    const who = holders
      .map(({ app, processes }) => (processes > 1 ? `${app} (${processes})` : app))
      .join(', ')
    const where = calls === 'yours' ? 'come to this one' : 'go to another one'
    process.emitWarning(
      `several processes hold ${agent}: ${who}. New calls ${where}: hold it with \`balance\` or \`exclusive\``,
      'SwitchroomWarning',
    )
  }
}
