import type { Round, Shot } from '../race-round.ts'

/** Makes what the request needs, and answers how to send it. */
export type Aim = (round: Round) => Promise<Shot>

/** By route, as the server lists it; what follows the path tells apart several operations of one route. */
export type Operations = Record<string, Aim>

/** The route of an operation. */
export const routeOf = (operation: string) => operation.split(' ', 2).join(' ')

/** The outcome of a request that the harness sends without a client. */
export const asAnswer = ({ status, body }: { status: number; body: unknown }) => ({
  status,
  headers: new Headers(),
  text: JSON.stringify(body),
  bytes: Buffer.alloc(0),
  body,
})
