import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseEnv } from 'node:util'
import { demoToken, hasDemoOrg, type DemoOptions } from './demo.ts'

const label = 'hello'
const scopes = ['app', 'calls', 'talk']
/** Set once and not in code, so that it can be changed in the console. */
const greeting = {
  say: 'Hello! Ask me for the time, or leave a number to be called back.',
  allow_interruptions: true,
}

/**
 * The environment of the example agent: the gateway's address and a key of the demo org. They are stored in a file,
 * which the chat command and other agents can use too. Undefined without the demo org.
 */
export async function exampleEnvironment(options: DemoOptions): Promise<NodeJS.ProcessEnv | undefined> {
  const { dataFolder, address } = options
  if (!hasDemoOrg(dataFolder)) return undefined
  const kept = keptKey(dataFolder)
  const isKept = kept !== undefined && (await opens(options, kept))
  const key = isKept ? kept : await demoToken(options, label, scopes)
  if (!isKept) await greet(options, key)
  keep(dataFolder, { SVC_URL: address, SVC_KEY: key })
  return { ...withoutSecrets(process.env), SVC_URL: address, SVC_KEY: key }
}

/** The command that chats with the agent, for any installed Node. */
export function chatCommand(dataFolder: string): string {
  const file = relative(process.cwd(), fileIn(dataFolder))
  if (file === join('data', 'example.env')) return 'npm run chat'
  const shown = file.startsWith('..') ? fileIn(dataFolder) : file
  return `npx node --env-file=${shown} examples/hello/chat.ts`
}

const fileIn = (dataFolder: string) => join(dataFolder, 'example.env')

function keptKey(dataFolder: string): string | undefined {
  const file = fileIn(dataFolder)
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8'))['SVC_KEY'] : undefined
}

/** After a new database, or if an admin revoked it, the stored key is invalid. */
async function opens({ address, signal }: DemoOptions, key: string): Promise<boolean> {
  const response = await fetch(`${address}/v1/whoami`, {
    headers: { authorization: `Bearer ${key}` },
    signal,
  })
  return response.status !== 401
}

/** Only for a scope without settings: existing ones stay. */
async function greet({ address, signal }: DemoOptions, key: string): Promise<void> {
  const response = await fetch(`${address}/v1/agents/${label}/settings`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ config: { greeting }, if_version: 0, note: 'how the example agent begins' }),
    signal,
  })
  if (!response.ok && response.status !== 409)
    throw new Error(`its greeting was refused with ${response.status}: ${await response.text()}`)
}

function keep(dataFolder: string, values: Record<string, string>): void {
  const file = fileIn(dataFolder)
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(`${file}.new`, lines.join(''), { mode: 0o600 })
  renameSync(`${file}.new`, file) // a reader gets the old file or the new one
}

/** Without our settings: some of them are secrets. */
const withoutSecrets = (environment: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('SVC_')))
