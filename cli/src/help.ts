import { globalOptions, type Argument, type Command, type Option } from './invocation/command.ts'
import { exitCodeMeanings } from './terminal/exit-codes.ts'
import { padded } from './terminal/text-width.ts'

const rows = (pairs: readonly (readonly [left: string, right: string])[]): string[] => {
  const width = Math.max(...pairs.map(([left]) => left.length))
  return pairs.map(([left, right]) => `  ${padded(left, width)}  ${right}`)
}

const written = ({ name, isOptional, isRepeated }: Argument) => {
  const dots = isRepeated ? '…' : ''
  return isOptional ? `[${name}${dots}]` : `<${name}>${dots}`
}

const optionRow = ({ name, value, summary, choices, isRepeated }: Option) =>
  [
    value === undefined ? `--${name}` : `--${name} <${value}>`,
    `${summary}${choices ? ` (${choices.join(', ')})` : ''}${isRepeated ? '; may be repeated' : ''}`,
  ] as const

const usageOf = ({ name, arguments: taken = [], options = [] }: Command) =>
  [`svc ${name}`, ...taken.map(written), ...(options.length > 0 ? ['[options]'] : [])].join(' ')

/** Everything there is, one line each. */
export function overview(commands: readonly Command[], groups: Readonly<Record<string, string>>): string {
  const firsts = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]
  const summaryOf = (first: string) =>
    groups[first] ?? commands.find(({ name }) => name === first)?.summary ?? ''
  return [
    'The command line of a Switchroom gateway: sign in, chat with agents, follow calls, change settings.',
    '',
    'Usage: svc <command> [arguments] [options]',
    '',
    'Commands:',
    ...rows(firsts.map((first) => [first, summaryOf(first)])),
    '',
    'Global options:',
    ...rows(globalOptions.map(optionRow)),
    '',
    'Examples:',
    '  svc login',
    '  svc chat hello',
    '  svc calls --state open',
    '  svc settings set hello greeting.say="Good morning."',
    '',
    ...exitStatuses(),
    '',
    'Run svc help <command> for details.',
  ].join('\n')
}

/** The commands that begin with a word. */
export function groupHelp(first: string, summary: string, commands: readonly Command[]): string {
  return [
    summary,
    '',
    'Commands:',
    ...rows(commands.map((command) => [usageOf(command).replace(' [options]', ''), command.summary])),
    '',
    'Examples:',
    ...commands.flatMap(({ examples }) => examples.slice(0, 1).map((example) => `  ${example}`)),
    '',
    `Run svc help ${first} <command> for details.`,
  ].join('\n')
}

export function commandHelp(command: Command): string {
  const { summary, details, arguments: taken = [], options = [], examples } = command
  return [
    summary,
    ...(details === undefined ? [] : ['', details]),
    '',
    `Usage: ${usageOf(command)}`,
    ...section(
      'Arguments',
      taken.map((each) => [written(each), each.summary]),
    ),
    ...section('Options', options.map(optionRow)),
    ...section('Global options', globalOptions.map(optionRow)),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
    '',
    ...exitStatuses(),
  ].join('\n')
}

const section = (title: string, pairs: readonly (readonly [string, string])[]) =>
  pairs.length === 0 ? [] : ['', `${title}:`, ...rows(pairs)]

const exitStatuses = () => [
  'Exit status:',
  ...rows(exitCodeMeanings.map(([code, meaning]) => [String(code), meaning])),
]
