import http, { type AgentOptions, type ClientRequestArgs } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import { ConnectionsAhead } from '@switchroom/kit/connections-ahead'
import { nameOf, type Place } from '@switchroom/kit/dialling'

const keptMs = 60_000

/** Opened before a request needs them, to checked addresses as those that the agents open. */
export const ahead = new ConnectionsAhead(keptMs)

const opened = new WeakSet<Duplex>()

/** Whether the connection was opened ahead of the first request that uses it. */
export const isOpenedAhead = (socket: Duplex) => opened.has(socket)

type Connect = (options: ClientRequestArgs, done?: Done) => Duplex | null | undefined
type Done = (error: Error | null, socket: Duplex) => void

class PlainAgent extends http.Agent {
  override createConnection(options: ClientRequestArgs, done?: Done) {
    return connectionFor('http:', options, done, super.createConnection.bind(this))
  }
}

class SecureAgent extends https.Agent {
  override createConnection(options: ClientRequestArgs, done?: Done) {
    return connectionFor('https:', options, done, super.createConnection.bind(this))
  }
}

function connectionFor(
  protocol: string,
  options: ClientRequestArgs,
  done: Done | undefined,
  connect: Connect,
): ReturnType<Connect> {
  const name = nameOf({ protocol, hostname: String(options.host), port: String(options.port ?? '') })
  if (!done || !ahead.has(name)) return connect(options, done)
  void giveAhead(name, done, () => connect(options))
  return undefined
}

async function giveAhead(name: string, done: Done, connect: () => ReturnType<Connect>) {
  const socket = await ahead.take(name)
  if (socket) opened.add(socket)
  const used = socket ?? connect()
  if (used) done(null, used)
}

const options: AgentOptions = { keepAlive: true }

/** Kept open between turns. Each was made to a checked address, so that any call to the same host may use it. */
export const agents = { 'http:': new PlainAgent(options), 'https:': new SecureAgent(options) }

/** Whether a kept connection to this place waits for a request. */
export function hasFree(place: Place): boolean {
  const agent = agents[place.protocol === 'https:' ? 'https:' : 'http:']
  const port = place.port || (place.protocol === 'https:' ? '443' : '80')
  return Object.keys(agent.freeSockets).some((name) => name.startsWith(`${place.hostname}:${port}:`))
}
