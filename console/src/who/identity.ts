import type { Identity, OperatorIdentity, OwnAgents } from '@switchroom/contract/identity'
import type { Environment, Scope } from '@switchroom/contract/scopes'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { api, Refused } from '../api/client.ts'
import { useSession } from '../api/session.ts'

/** Who uses the console. The operator key belongs to no org, so `me` is null. */
export interface Who {
  me: Identity | null
  operator: OperatorIdentity | null
  /** The agents that the person works on; empty for all of the org. */
  agents: readonly string[]
}

export const WhoContext = createContext<Who>({ me: null, operator: null, agents: [] })

export function useWho(): Who {
  return use(WhoContext)
}

/** Whether the key has one of the scopes. It only hides what the gateway would refuse. */
export function useCan(): (...scopes: Scope[]) => boolean {
  const { me } = useWho()
  return (...scopes) => scopes.some((scope) => me?.scopes.includes(scope))
}

/** Whether the key opens an environment: a server token its own, a person the sandbox and perhaps production. */
export function mayEnter({ email, env, production }: Identity, wanted: Environment): boolean {
  return email === null ? wanted === env : wanted === 'sandbox' || production
}

/** The agents that the person works on; null for all of the org. */
export function useOwnAgents(): readonly string[] | null {
  const { agents } = useWho()
  return agents.length > 0 ? agents : null
}

/** Asked in the key's own environment: a server token has only one. */
export function useIdentity(): UseQueryResult<Who> {
  const { key } = useSession()
  return useQuery({ queryKey: [key, 'identity'], queryFn: identify, staleTime: 60_000 })
}

async function identify(): Promise<Who> {
  const operator = await orNull(api.get<OperatorIdentity>('/v1/ops/whoami', { env: null, isProbe: true }))
  const mine = api.get<Identity>('/v1/whoami', { env: null, isProbe: operator !== null })
  const me = operator ? await orNull(mine) : await mine
  // a gateway of an older version has no such path
  const own = me && (await orNull(api.get<OwnAgents>('/v1/whoami/agents', { env: null })))
  return { me, operator, agents: own?.agents ?? [] }
}

async function orNull<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Refused && error.status >= 400 && error.status < 500) return null
    throw error
  }
}
