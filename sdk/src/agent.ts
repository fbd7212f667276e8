import type { AgentHolders, Preparing, RegisterAgent } from '@switchroom/contract/apps'
import type { Base, Config, Greeting, Lexicon, Turn } from '@switchroom/contract/settings'
import { SwitchroomError } from './errors.ts'
import { agentEvents } from './event-names.ts'
import type { AgentEvents } from './events.ts'
import { holdersOf, HoldersWatch } from './holders.ts'
import { Handlers, type Handler } from './handlers.ts'
import { Registration, type RegistrationState } from './registration.ts'
import type { Tool } from './tool.ts'

/** A stage as a string, or as an object with its options. */
type Stage<Knobs extends keyof Config> = string | Pick<Config, Knobs>

/** Settings that the agent's code fixes: they override saved settings, and the console shows them as set in code. */
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
  /** The system prompt. */
  prompt?: string
  tools?: readonly Tool[]
  settings?: DeclaredSettings
  /** Whether turns wait for `call.preparing` handlers longer than 150 ms, and chats wait for them at all. */
  preparing?: Preparing
  analysis?: { send_audio_metrics?: boolean }
}

/** How this process holds agents beside others. */
export interface HoldOptions {
  /** Refused while another app holds the agent, and others are refused while this one does. */
  exclusive?: boolean
  /** New calls go in turn to the processes of this app that hold the agent so; a call stays where it began. */
  balance?: boolean
}

/** Receives every event of an agent, as the relay does. */
export type Witness = (event: string, call: string, payload: Readonly<Record<string, unknown>>) => void

/** An agent as its code declares it, and what happens in the calls that this process drives for it. */
export class Agent {
  readonly name: string
  readonly #options: AgentOptions
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #handlers = new Handlers<AgentEvents>('an agent', agentEvents)
  readonly #registration = new Registration()
  readonly #witnesses = new Set<Witness>()
  readonly #holders = new HoldersWatch()

  constructor(options: AgentOptions) {
    if (typeof options?.name !== 'string' || options.name.trim() === '')
      throw new SwitchroomError('NO_NAME', "an agent needs a name: new Agent({ name: 'desk' })")
    this.name = options.name
    this.#options = options
    this.#tools = new Map(options.tools?.map((each) => [each.name, each]))
  }

  /** Resolves when the gateway has registered the agent; rejects with the gateway's reason if it refuses. */
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

  /** Passes every event from now on to the witness, until the returned function is called. */
  witness(witness: Witness): () => void {
    this.#witnesses.add(witness)
    return () => this.#witnesses.delete(witness)
  }

  tool(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  /** For the connection: the frame that registers the agent. */
  frame(app: { name: string | undefined; instance: string }, held: HoldOptions = {}): RegisterAgent {
    const { prompt, tools = [], settings, preparing, analysis } = this.#options
    return {
      type: 'agent.register',
      agent: this.name,
      instance: app.instance,
      ...(app.name !== undefined && { app: app.name }),
      ...(prompt !== undefined && { prompt }),
      ...(settings && { declares: { ...settings } }),
      tools: tools.map(({ perform: _ours, ...offered }) => offered),
      ...(preparing !== undefined && { preparing }),
      ...(analysis && { analysis }),
      acknowledges: true,
      holders: true,
      ...(held.exclusive === true && { exclusive: true }),
      ...(held.balance === true && { balance: true }),
    }
  }

  /** For the connection. */
  awaitsGateway(): void {
    this.#registration.await()
  }

  /** For the connection. */
  accepted(): void {
    this.#registration.accept()
    void this.#handlers.run('ready', [])
  }

  /** For the connection. */
  refused(error: SwitchroomError): void {
    this.#registration.refuse(error)
    this.tell(error)
  }

  /** For the connection: another app or process may have begun or ceased to hold the agent. */
  sharedWith(frame: AgentHolders): void {
    if (!this.#holders.isNews(frame)) return
    void this.#handlers.run('holders', [holdersOf(frame)])
    if (!this.#handlers.has('holders')) this.#holders.warn(frame)
  }

  /** For the connection: reports an error about this agent. */
  tell(error: SwitchroomError): void {
    this.#handlers.tell(error)
  }

  /** For the connection: runs the handlers of an event and returns their results. */
  happened(event: string, args: readonly unknown[]): Promise<unknown[]> {
    return this.#handlers.run(event as keyof AgentEvents, args)
  }

  /** For the connection: called before the handlers. */
  seen(event: string, call: string, payload: Readonly<Record<string, unknown>>): void {
    for (const witness of this.#witnesses) witness(event, call, payload)
  }
}
