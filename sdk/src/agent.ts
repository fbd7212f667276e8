import type { Preparing, RegisterAgent } from '@switchroom/contract/apps'
import type { Base, Config, Greeting, Lexicon, Turn } from '@switchroom/contract/settings'
import type { SwitchroomError } from './errors.ts'
import type { AgentEvents } from './events.ts'
import { Handlers, type Handler } from './handlers.ts'
import { Registration, type RegistrationState } from './registration.ts'
import type { Tool } from './tool.ts'

/** A stage by its word alone, or with what goes with it. */
type Stage<Knobs extends keyof Config> = string | Pick<Config, Knobs>

/** What an agent's code decides for itself: it wins over what is set anywhere else, and nobody can change it there. */
export interface DeclaredSettings {
  language?: string
  voice?: Stage<'voice' | 'tts' | 'tts_model' | 'tts_builds' | 'tts_options'>
  llm?: Stage<'llm' | 'temperature' | 'llm_builds' | 'llm_options'>
  stt?: Stage<'stt' | 'stt_builds' | 'stt_options' | 'end_of_turn'>
  judge?: Stage<'judge' | 'judge_builds' | 'judge_options'>
  greeting?: Greeting
  hangup?: { when: string }
  turn?: Turn
  knowledge?: string
  docs?: Base[]
  memory?: NonNullable<Config['memory']>
  record?: boolean
  says?: Lexicon['said']
  hears?: Lexicon['heard']
}

export interface AgentOptions {
  /** The agent's slug: lower-case letters, digits, - and _. */
  name: string
  /** What the model is told first. */
  prompt?: string
  tools?: readonly Tool[]
  settings?: DeclaredSettings
  /** Whether turns wait for `call.preparing` handlers longer than 150 ms, and chats wait for them at all. */
  preparing?: Preparing
  analysis?: { send_audio_metrics?: boolean }
}

/** One who sees everything that an agent is told, as the relay does. */
export type Witness = (event: string, call: string, payload: Readonly<Record<string, unknown>>) => void

/** An agent as its code declares it, and what happens in the calls that this process drives for it. */
export class Agent {
  readonly name: string
  readonly #options: AgentOptions
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #handlers = new Handlers<AgentEvents>()
  readonly #registration = new Registration()
  readonly #witnesses = new Set<Witness>()

  constructor(options: AgentOptions) {
    this.name = options.name
    this.#options = options
    this.#tools = new Map(options.tools?.map((each) => [each.name, each]))
  }

  /** Settles when the gateway lets this process hold the agent; fails with its sentence when it does not. */
  get ready(): Promise<void> {
    return this.#registration.ready
  }

  get state(): RegistrationState {
    return this.#registration.state
  }

  on<Name extends keyof AgentEvents>(event: Name, handler: Handler<AgentEvents, Name>): this {
    this.#handlers.add(event, handler)
    return this
  }

  off<Name extends keyof AgentEvents>(event: Name, handler: Handler<AgentEvents, Name>): this {
    this.#handlers.remove(event, handler)
    return this
  }

  /** Told everything that happens from now on, until the returned function is called. */
  witness(witness: Witness): () => void {
    this.#witnesses.add(witness)
    return () => this.#witnesses.delete(witness)
  }

  tool(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  /** Asked by the connection: how the agent is registered. */
  frame(app: { name: string | undefined; instance: string }): RegisterAgent {
    const { prompt, tools = [], settings, preparing, analysis } = this.#options
    return {
      type: 'agent.register',
      agent: this.name,
      instance: app.instance,
      ...(app.name !== undefined && { app: app.name }),
      ...(prompt !== undefined && { prompt }),
      ...(settings && { declares: { ...settings } }),
      tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
      ...(preparing !== undefined && { preparing }),
      ...(analysis && { analysis }),
    }
  }

  /** Told by the connection. */
  awaitsGateway(): void {
    this.#registration.await()
  }

  /** Told by the connection. */
  accepted(): void {
    this.#registration.accept()
    void this.#handlers.run('ready', [])
  }

  /** Told by the connection. */
  refused(error: SwitchroomError): void {
    this.#registration.refuse(error)
    this.tell(error)
  }

  /** Told by the connection: an error that concerns this agent. */
  tell(error: SwitchroomError): void {
    this.#handlers.tell(error)
  }

  /** Told by the connection: what happened; answers what the handlers answered. */
  happened(event: string, args: readonly unknown[]): Promise<unknown[]> {
    return this.#handlers.run(event as keyof AgentEvents, args)
  }

  /** Told by the connection, before the handlers are. */
  seen(event: string, call: string, payload: Readonly<Record<string, unknown>>): void {
    for (const witness of this.#witnesses) witness(event, call, payload)
  }
}
