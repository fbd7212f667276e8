import { parseArgs, type ParseArgsConfig } from 'node:util'
import { globalOptions, type Command, type Option } from './invocation/command.ts'
import { wrongUsage } from './terminal/failures.ts'
import type { Given } from './invocation/invocation.ts'

export interface Line {
  /** The words before the first option that is not global. */
  words: string[]
  wantsHelp: boolean
}

/** The words that may name a command; global options may come before and between them. */
export function readLine(args: readonly string[]): Line {
  const words: string[] = []
  let wantsHelp = false
  let isNaming = true
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? ''
    if (word === '--') break
    if (word === '--help' || word === '-h') wantsHelp = true
    else if (!isNaming) continue
    else if (!word.startsWith('-')) words.push(word)
    else {
      const option = globalOptions.find(({ name }) => word === `--${name}` || word.startsWith(`--${name}=`))
      if (!option) isNaming = false
      else if (option.value !== undefined && !word.includes('=')) at += 1
    }
  }
  return { words, wantsHelp }
}

/** Also of a line that cannot be parsed. */
export const wantsJson = (args: readonly string[]): boolean =>
  args.slice(0, args.includes('--') ? args.indexOf('--') : undefined).includes('--json')

/** The command with the most words that the line begins with. */
export function findCommand(commands: readonly Command[], words: readonly string[]): Command | undefined {
  for (let count = Math.min(3, words.length); count > 0; count -= 1) {
    const name = words.slice(0, count).join(' ')
    const command = commands.find((each) => each.name === name)
    if (command) return command
  }
  return undefined
}

const keyForm = /svc_(live|test|op|fleet)_[\w-]{16,}/

/** Other users see a command line, and the shell keeps it. */
export function refuseKeys(args: readonly string[]): void {
  if (args.some((each) => keyForm.test(each) || /^--(key|password|secret|token)(=|$)/.test(each)))
    throw wrongUsage(
      'never put a secret on the command line, where others can read it: type it at the prompt, pipe it in, or set SVC_KEY',
    )
}

export function parse(command: Command, args: readonly string[]): Given {
  const options = [...(command.options ?? []), ...globalOptions]
  const { values, positionals } = read(args, options)
  const words = command.name.split(' ').length
  const given: Given = { arguments: argumentsOf(command, positionals.slice(words)), options: values }
  for (const option of options) refuseOtherChoice(option, values[option.name])
  return given
}

function read(args: readonly string[], options: readonly Option[]) {
  const config = Object.fromEntries(
    options.map(({ name, value, isRepeated = false }) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple: isRepeated },
    ]),
  ) as NonNullable<ParseArgsConfig['options']>
  try {
    return parseArgs({ args: [...args], options: config, allowPositionals: true }) as {
      values: Given['options']
      positionals: string[]
    }
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\. |\n/)
    throw wrongUsage(sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, ''))
  }
}

function argumentsOf(command: Command, given: readonly string[]): Given['arguments'] {
  const named: Given['arguments'] = {}
  const left = [...given]
  for (const { name, isOptional = false, isRepeated = false } of command.arguments ?? []) {
    if (left.length === 0 && !isOptional) throw wrongUsage(`<${name}> is missing`)
    if (isRepeated) named[name] = left.splice(0)
    else {
      const value = left.shift()
      if (value !== undefined) named[name] = value
    }
  }
  if (left.length > 0) throw wrongUsage(`unexpected argument ${left[0]}`)
  return named
}

function refuseOtherChoice({ name, choices }: Option, value: unknown): void {
  const values = Array.isArray(value) ? (value as unknown[]) : [value]
  for (const each of values)
    if (typeof each === 'string' && choices && !choices.includes(each))
      throw wrongUsage(`--${name} must be one of ${choices.join(', ')} (got ${each})`)
}
