import { environments } from '@switchroom/contract/scopes'
import type { Invocation } from './invocation.ts'

export interface Argument {
  name: string
  summary: string
  isOptional?: boolean
  /** The last one only: takes all that is left. */
  isRepeated?: boolean
}

export interface Option {
  name: string
  summary: string
  /** The name of its value in help; without one it is a flag. */
  value?: string
  choices?: readonly string[]
  isRepeated?: boolean
}

/** The definition of a command: help, completion and parsing are made from it. */
export interface Command {
  /** One to three words, as `settings set`. */
  name: string
  summary: string
  arguments?: readonly Argument[]
  options?: readonly Option[]
  examples: readonly string[]
  /** A paragraph for what the summary leaves out. */
  details?: string
  /** Returns the exit status; undefined is 0. */
  run: (invocation: Invocation) => Promise<number | void>
}

/** Every command takes these. */
export const globalOptions: readonly Option[] = [
  { name: 'json', summary: "print the API's own JSON" },
  {
    name: 'env',
    value: 'name',
    choices: environments,
    summary: 'the environment (default: SVC_ENV, else sandbox)',
  },
  { name: 'org', value: 'slug', summary: 'another org of yours (default: the one you switched to)' },
  { name: 'gateway', value: 'url', summary: 'another gateway (default: the one you signed in at last)' },
  { name: 'help', summary: 'show help' },
]

// Options that several commands take.
export const agentOption: Option = { name: 'agent', value: 'slug', summary: 'only this agent' }
export const afterOption: Option = {
  name: 'after',
  value: 'cursor',
  summary: 'the cursor of the page before',
}
export const teamOption: Option = {
  name: 'team',
  summary: "the team's scope of the sandbox instead of your draft",
}
export const fileOption = (what: string): Option => ({
  name: 'file',
  value: 'path',
  summary: `${what}; - is standard input`,
})

export const agentArgument: Argument = { name: 'agent', summary: "the agent's slug" }
