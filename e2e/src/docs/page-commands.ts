import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../launch.ts'

/** The pages that people read: those at the root, of the packages, of the examples and in docs, without the requirements. */
export const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md'),
  ...['sdk', 'contract', 'cli', 'examples'].map((folder) => `${folder}/README.md`),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/^(requirements|decisions)/.test(name))
    .map((name) => join('docs', name)),
]

const programs = 'npx|npm|node|svc|curl|eval|source|docker|podman|pg_dump|pg_restore'
const begins = new RegExp(`^(?:[A-Z_]+=\\S* )*(?:(?:${programs})(?= )|key=)`)

/** The commands that the code blocks of a page tell its reader to run, each in one piece. */
export function commandsOf(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  const fences = [...text.matchAll(/^( *)```(\w*)\n(.*?)^\1```/gms)]
  const blocks = fences
    .filter(([, , language = '']) => /^(sh|bash)?$/.test(language))
    .map(([, , , block = '']) => block)
  const indented = [...text.matchAll(/(?:^ {4}\S.*\n)+/gm)].map(([block]) => block.replaceAll(/^ {4}/gm, ''))
  return [...blocks, ...indented].flatMap(commandsIn)
}

function commandsIn(block: string): string[] {
  const commands: string[] = []
  const lines = block.split('\n').map((line) => line.replace(/^\$ /, '').replace(/(?<=\S) +# .*$/, ''))
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    if (!begins.test(line)) continue
    let command = line
    while (isUnfinished(command) && lines.length > 0) command += `\n${lines.shift()}`
    commands.push(command.trim())
  }
  return commands
}

/** It ends in a backslash, or within quotes. */
const isUnfinished = (command: string) =>
  command.endsWith('\\') || (command.match(/'/g)?.length ?? 0) % 2 === 1

/** The words of a command as a shell splits them. */
export const wordsOf = (command: string) =>
  (command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) => word.replaceAll(/["']/g, ''))
