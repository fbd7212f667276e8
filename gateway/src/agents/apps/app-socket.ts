import type { WebSocket } from '@fastify/websocket'
import { UnregisterAgent, type AgentRegistered } from '@switchroom/contract/apps'
import type { Logger } from 'pino'
import { outsideList, type Caller } from '../../foundation/caller.ts'
import { Refusal } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import type { Access } from '../../http/access.ts'
import { holdsNul, nulInside } from '../../http/json-body.ts'
import type { OpenConnection, OpenConnections } from '../../http/open-connections.ts'
import { shapedAs } from '../../http/shape-checks.ts'
import { closeWith } from '../../http/sockets.ts'
import { fixedBy, halvesFixedBy } from './declaration.ts'
import type { DeclaredModels } from './declared-models.ts'
import { agentOf, errorFrame, readFrame, typeOf, unknownFrame, type Frame } from './frames.ts'
import type { Holders, SocketRow } from './holders.ts'
import { readRegistration } from './register-frame.ts'

/** An app that sends faster than it is served is not read from meanwhile. */
const mostWaiting = 32
/** An app that does not read what it is sent is let go. */
const mostUnreadBytes = 1024 * 1024

export interface AppSocketParts {
  holders: Holders
  declaredModels: DeclaredModels
  connections: OpenConnections
  logger: Logger
  /** Told once, when the socket no longer counts. */
  onGone: (id: string) => void
}

/** One app on its socket, whose frames are taken one after the other. */
export class AppSocket implements OpenConnection {
  readonly id = newId('app', 8)
  readonly caller: Caller
  readonly access: Access
  readonly #socket: WebSocket
  readonly #parts: AppSocketParts
  readonly #agents = new Set<string>()
  #row: SocketRow | undefined
  #work: Promise<void> = Promise.resolve()
  #waiting = 0
  #isGone = false

  constructor(socket: WebSocket, caller: Caller, access: Access, parts: AppSocketParts) {
    this.#socket = socket
    this.caller = caller
    this.access = access
    this.#parts = parts
    socket.on('message', (data: Buffer, isBinary) => this.#then(() => this.#take(data, isBinary)))
    socket.once('close', () => this.#leave())
    this.#then(async () => {
      this.#row = await parts.holders.connect(this.id, caller)
    })
    parts.connections.add(this)
  }

  send(frame: object) {
    this.#socket.send(JSON.stringify(frame))
    if (this.#socket.bufferedAmount > mostUnreadBytes) this.#socket.terminate()
  }

  /** Closes it and lets go of its agents, without waiting until the app has closed its side. */
  close(code: number, sentence: string) {
    closeWith(this.#socket, code, sentence)
    this.#leave()
  }

  stays(caller: Caller) {
    this.#then(() => this.#dropOutside(caller))
  }

  ends(refusal: Refusal) {
    this.close(1008, refusal.message)
  }

  async leaves() {
    this.close(1001, 'this gateway is stopping')
    if (this.#socket.readyState !== this.#socket.CLOSED)
      await new Promise((resolve) => this.#socket.once('close', resolve))
    await this.#work
  }

  /** One after the other, and nothing more once the socket is gone. */
  #then(work: () => Promise<void>) {
    this.#waiting += 1
    if (this.#waiting > mostWaiting) this.#socket.pause()
    this.#work = this.#work
      .then(() => (this.#isGone ? undefined : work()))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#waiting -= 1
        if (this.#waiting <= mostWaiting && this.#socket.isPaused) this.#socket.resume()
      })
  }

  #fail(error: unknown) {
    this.#parts.logger.error({ err: error, socket: this.id }, "an app's socket failed")
    this.close(1011, 'something broke on our side')
  }

  #leave() {
    if (this.#isGone) return
    this.#isGone = true
    this.#parts.connections.delete(this)
    // What runs now may still write, and what is deleted before would come back.
    void this.#work.then(() => this.#parts.onGone(this.id))
  }

  async #take(data: Buffer, isBinary: boolean) {
    let frame: Frame | undefined
    try {
      frame = readFrame(data, isBinary)
      if (data.includes('\\u0000') && holdsNul(frame)) throw nulInside()
      await this.#act(frame)
    } catch (error) {
      this.send(errorFrame(frame ? agentOf(frame) : null, this.#refusalOf(error)))
    }
  }

  async #act(frame: Frame) {
    const type = typeOf(frame)
    if (type === 'agent.register') await this.#register(frame)
    else if (type === 'agent.unregister') await this.#unregister(shapedAs(UnregisterAgent, frame))
    else throw unknownFrame(type)
  }

  async #register(frame: Frame) {
    const caller = await this.#parts.connections.judged(this)
    if (!caller || !this.#row) return
    const named = agentOf(frame)
    if (named !== null && isOutside(caller, named)) throw outsideList(caller)
    const { agent, declaration, offer } = readRegistration(frame, caller.label)
    await this.#parts.declaredModels.refuseForbidden(caller.org, declaration.declared)
    await this.#parts.holders.register(this.#row, agent, declaration, offer)
    this.#agents.add(agent)
    const registered: AgentRegistered = {
      type: 'agent.registered',
      agent,
      env: caller.env,
      fixed: fixedBy(declaration),
      lexicon_fixed: halvesFixedBy(declaration),
    }
    this.send(registered)
  }

  async #unregister({ agent }: { agent: string }) {
    if (!this.#row || !this.#agents.has(agent)) return
    await this.#parts.holders.unregister(this.#row, agent)
    this.#agents.delete(agent)
  }

  async #dropOutside(caller: Caller) {
    for (const agent of this.#agents) {
      if (!isOutside(caller, agent)) continue
      await this.#unregister({ agent })
      this.send(errorFrame(agent, outsideList(caller)))
    }
  }

  #refusalOf(error: unknown): Refusal {
    if (error instanceof Refusal) return error
    this.#parts.logger.error({ err: error, socket: this.id }, "an app's frame failed")
    return new Refusal(500, 'something broke on our side')
  }
}

const isOutside = ({ agents }: Caller, agent: string) => agents.length > 0 && !agents.includes(agent)
