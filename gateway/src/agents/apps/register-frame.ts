import { RegisterAgent, type AppTool, type Preparing } from '@switchroom/contract/apps'
import { templateFault } from '@switchroom/contract/metadata-templates'
import { badRequest } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import { shapedAs } from '../../http/shape-checks.ts'
import { slugForm } from '../scope.ts'
import type { Declaration } from '../stages/declaration.ts'
import { readDeclares } from './declares.ts'
import type { Frame } from './frames.ts'

const longestPreparingMs = 10_000
const longestPrompt = 100_000
const instanceForm = /^[\x21-\x7e]{1,128}$/

/** What an app brings to the calls of an agent, beside what its class declares. */
export interface Offer {
  /** The app's process, whichever socket it uses; without it the gateway knows only the socket. */
  instance?: string
  prompt?: string
  tools: AppTool[]
  state?: unknown
  endpoints?: unknown
  preparing?: Preparing
  analysis?: { send_audio_metrics?: boolean }
  /** Whether it is told which other apps hold the agent. */
  holders?: boolean
}

/** How an app holds an agent beside others. */
export interface Sharing {
  exclusive: boolean
  balance: boolean
}

export interface Registration {
  agent: string
  declaration: Declaration
  offer: Offer
  sharing: Sharing
}

/** Reads `agent.register`; an app that does not say its name goes by the label of its key. */
export function readRegistration(frame: Frame, label: string): Registration {
  const {
    agent,
    app,
    instance,
    prompt,
    declares,
    tools = [],
    state,
    endpoints,
    preparing,
    analysis,
    exclusive = false,
    balance = false,
    holders,
  } = shapedAs(RegisterAgent, frame)
  refuseMalformedAgent(agent)
  if (app !== undefined) refuseMalformedName(app)
  if (instance !== undefined) refuseMalformedInstance(instance)
  if (prompt !== undefined) refuseMalformedPrompt(prompt)
  refuseMalformedTools(tools)
  if (preparing !== undefined) refuseOtherThanBudget(preparing)
  return {
    agent,
    declaration: { app: app?.trim() ?? label, ...readDeclares(declares ?? {}) },
    offer: {
      tools,
      ...(instance !== undefined && { instance }),
      ...(prompt !== undefined && { prompt }),
      ...(state !== undefined && { state }),
      ...(endpoints !== undefined && { endpoints }),
      ...(preparing !== undefined && { preparing }),
      ...(analysis !== undefined && { analysis }),
      ...(holders !== undefined && { holders }),
    },
    sharing: { exclusive, balance },
  }
}

function refuseMalformedAgent(agent: string) {
  if (!slugForm.test(agent))
    throw badRequest(
      "an agent's name is lower-case letters, digits, - and _, at most 63, and starts with a letter or digit",
    )
}

function refuseMalformedName(app: string) {
  const name = app.trim()
  if (name === '' || codePoints(name).length > 100 || /\p{Cc}/u.test(name))
    throw badRequest("an app's name is one line of 1 to 100 characters")
}

function refuseMalformedInstance(instance: string) {
  if (!instanceForm.test(instance))
    throw badRequest('an instance is 1 to 128 letters, digits and marks, without spaces')
}

function refuseMalformedPrompt(prompt: string) {
  if (codePoints(prompt).length > longestPrompt)
    throw badRequest(`a prompt has at most ${longestPrompt} characters`)
  const fault = templateFault(prompt)
  if (fault !== undefined) throw badRequest(`the prompt ${fault}`)
}

function refuseMalformedTools(tools: readonly AppTool[]) {
  const names = new Set<string>()
  for (const { name, while: words } of tools) {
    if (name.trim() === '') throw badRequest('a tool has a name that is not blank')
    if (words?.trim() === '') throw badRequest(`the tool ${name} says nothing: \`while\` is blank`)
    if (names.has(name)) throw badRequest(`two tools are called ${name}`)
    names.add(name)
  }
}

/** The schema leaves it open, because no single type describes it. */
function refuseOtherThanBudget(preparing: unknown) {
  if (preparing === true) return
  const isObject = typeof preparing === 'object' && preparing !== null
  const budgetMs = isObject && 'timeoutMs' in preparing ? preparing.timeoutMs : undefined
  if (!(Number.isInteger(budgetMs) && Number(budgetMs) >= 1 && Number(budgetMs) <= longestPreparingMs))
    throw badRequest(`preparing is true, or {timeoutMs} of 1 to ${longestPreparingMs}`)
}
