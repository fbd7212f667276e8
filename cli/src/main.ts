import { nearestName } from '@switchroom/contract/near-names'
import { commands, groups } from './command-table.ts'
import { exitCodes } from './terminal/exit-codes.ts'
import { Failure, reasonOf } from './terminal/failures.ts'
import { commandHelp, groupHelp, overview } from './help.ts'
import { Invocation } from './invocation/invocation.ts'
import { findCommand, parse, readLine, refuseKeys, wantsJson } from './parsing.ts'
import { safeJson } from './terminal/output.ts'
import { plain } from './terminal/text-width.ts'

// `svc calls | head` ends when its reader does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done)
  process.stderr.write(`svc: the output could not be written: ${reasonOf(error)}\n`)
  process.exit(exitCodes.refused)
})
process.stderr.on('error', () => process.exit(process.exitCode ?? exitCodes.done))
process.on('SIGINT', stopAtOnce)

function stopAtOnce() {
  process.exit(exitCodes.interrupted)
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof Failure)) throw error
  const told = wantsJson(process.argv.slice(2))
    ? safeJson(JSON.stringify(error))
    : `svc: ${plain(error.message)}`
  if (error.message !== '') process.stderr.write(`${told}\n`)
  process.exitCode = error.exitCode
}

async function run(args: string[]): Promise<number> {
  const { words, wantsHelp } = readLine(args)
  if (words.length === 0) return say(overview(commands, groups), wantsHelp)
  if (words[0] === 'help') return tellOf(words.slice(1), true)
  const command = findCommand(commands, words)
  if (wantsHelp || !command) return tellOf(words, wantsHelp)
  refuseKeys(args)
  return (await command.run(new Invocation(process.env, parse(command, args)))) ?? exitCodes.done
}

/** Help, on request or because the line names no command. */
function tellOf(words: string[], isAsked: boolean): number {
  const [first = ''] = words
  const command = findCommand(commands, words)
  if (command && (words.length > 1 || groups[first] === undefined)) return say(commandHelp(command), isAsked)
  const within = commands.filter(({ name }) => name.split(' ')[0] === first)
  if (within.length > 0) {
    const [, second] = words
    const hasHelpOnly = second === undefined || isAsked
    if (hasHelpOnly) return say(groupHelp(first, groups[first] ?? '', within), isAsked)
    throw unknown(
      words.slice(0, 2).join(' '),
      within.map(({ name }) => name),
    )
  }
  if (first === '') return say(overview(commands, groups), isAsked)
  throw unknown(
    first,
    commands.map(({ name }) => name.split(' ')[0] ?? ''),
  )
}

function say(text: string, isAsked: boolean): number {
  const stream = isAsked ? process.stdout : process.stderr
  stream.write(`${text}\n`)
  return isAsked ? exitCodes.done : exitCodes.usage
}

function unknown(wanted: string, names: readonly string[]): Failure {
  const meant = nearestName(wanted, names)
  const hint = meant === undefined ? 'svc help lists the commands' : `did you mean svc ${meant}?`
  return new Failure(exitCodes.usage, `unknown command ${wanted}: ${hint}`)
}
