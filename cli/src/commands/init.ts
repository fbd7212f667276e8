import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import type { Identity } from '@switchroom/contract/identity'
import type { ServerToken } from '@switchroom/contract/keys'
import { agentSlug } from '../invocation/closed-sets.ts'
import type { Command } from '../invocation/command.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failure, wrongUsage } from '../terminal/failures.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { projectFiles, templateNames, templates, type TemplateName } from '../project/project-files.ts'
import { version } from './version.ts'

const init: Command = {
  name: 'init',
  summary: 'create a new agent project in a folder',
  details: `Templates:\n${templateNames.map((name) => `  ${name.padEnd(10)}${templates[name].summary}`).join('\n')}\nIf you are signed in, a server token is created in the environment of --env and written to the .env of\nthe project. It is not printed.`,
  arguments: [{ name: 'folder', summary: 'a new or empty folder' }],
  options: [
    { name: 'template', value: 'name', choices: templateNames, summary: 'what it does (default: voice)' },
    { name: 'name', value: 'slug', summary: "the agent's slug (default: the folder's name)" },
    {
      name: 'sdk',
      value: 'file',
      summary: 'a packed @switchroom/sdk instead of the published one, as npm run pack makes it',
    },
    { name: 'no-key', summary: 'create no server token' },
  ],
  examples: [
    'svc init desk',
    'svc init shop --template chat',
    'svc init agents/desk --name front-desk --template outbound --no-key',
  ],
  async run(invocation) {
    const { out } = invocation
    const folder = resolve(invocation.argument('folder'))
    const name = invocation.option('name') ?? basename(folder).toLowerCase()
    if (!agentSlug.test(name))
      throw wrongUsage(
        `${name} is not a valid agent name: use letters, digits, dashes and underscores, or set --name`,
      )
    if (existsSync(folder) && readdirSync(folder).length > 0)
      throw wrongUsage(`${folder} is not empty: choose a new or empty folder`)
    const template = (invocation.option('template') ?? 'voice') as TemplateName
    const files = projectFiles({ name, template, sdk: sdkFor(invocation.option('sdk'), folder) })
    const token = invocation.flag('no-key') ? undefined : await tokenFor(invocation, name)
    mkdirSync(folder, { recursive: true })
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
    const lines = [`SVC_URL=${invocation.account.url}`, `SVC_KEY=${token?.key ?? ''}`]
    writeFileSync(join(folder, '.env'), `${lines.join('\n')}\n`, { mode: 0o600 })
    const answer = {
      folder,
      agent: name,
      template,
      files: [...Object.keys(files), '.env'],
      key: token?.fingerprint ?? null,
    }
    invocation.answer(answer, ({ key }) => {
      out.line(`Created ${name} in ${folder}.`)
      if (key === null)
        out.line('Put a key with the scope `app` into its .env: create one with svc keys create.')
      else out.line(`Its .env has the server token ${key} of the ${token?.env} environment.`)
      out.line(`\n  cd ${invocation.argument('folder')}\n  npm install\n  npm start\n  svc chat ${name}`)
    })
  },
}

/** The version of this program, which is the SDK's too, or a packed file. */
function sdkFor(file: string | undefined, folder: string): string {
  if (file === undefined) return `^${version}`
  if (!existsSync(file)) throw wrongUsage(`${file} does not exist: make it with npm run pack in a checkout`)
  return `file:${relative(folder, resolve(file))}`
}

/** Undefined if not signed in, or without the right to create one. */
async function tokenFor(invocation: Invocation, label: string): Promise<ServerToken | undefined> {
  try {
    const client = await invocation.client()
    const { scopes, subject } = await client.get<Identity>('/v1/whoami')
    if (!scopes.includes('app') || subject === '') return undefined
    const env = invocation.account.env ?? 'sandbox'
    return await client.post<ServerToken>('/v1/keys', { label, env })
  } catch (error) {
    if (error instanceof Failure && error.exitCode !== exitCodes.refused) return undefined
    throw error
  }
}

export const initCommands = [init]
