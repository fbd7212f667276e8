/** What `svc init` writes, by file name. */
export interface ProjectParts {
  name: string
  /** Where the SDK lies, as npm names a folder. */
  sdk: string
  typescript: string
  nodeTypes: string
}

export const projectFiles = (parts: ProjectParts): Record<string, string> => ({
  'package.json': manifest(parts),
  'tsconfig.json': tsconfig,
  'agent.ts': agent(parts),
  'README.md': readme(parts),
  '.gitignore': 'node_modules\n.env\n',
})

const manifest = ({ name, sdk, typescript, nodeTypes }: ProjectParts) =>
  `${JSON.stringify(
    {
      name,
      version: '0.1.0',
      private: true,
      type: 'module',
      scripts: { start: 'node --env-file=.env agent.ts', types: 'tsc --noEmit' },
      dependencies: { '@switchroom/sdk/sdk': `file:${sdk}` },
      devDependencies: { '@types/node': nodeTypes, typescript },
      engines: { node: '>=22.18' },
    },
    null,
    2,
  )}\n`

const tsconfig = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'esnext',
      module: 'nodenext',
      lib: ['esnext'],
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
    },
    include: ['*.ts'],
  },
  null,
  2,
)}\n`

const agent = ({ name }: ProjectParts) => `import { Agent, connect, tool, Type } from '@switchroom/sdk/sdk'

const time = tool({
  name: 'time',
  description: 'Tells the date and the time, here or in another time zone',
  parameters: Type.Object({
    zone: Type.Optional(Type.String({ description: 'as Europe/Madrid; left out, it is the time here' })),
  }),
  run: ({ zone }) => new Date().toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: zone }),
})

const agent = new Agent({
  name: '${name}',
  prompt: 'You are friendly, and you answer in one or two sentences.',
  tools: [time],
  settings: { greeting: { say: 'Hello, what can I do for you?', allow_interruptions: true } },
})

agent.on('user.message', (event, call) => console.log(call.id, event.text))
agent.on('call.ended', (call, reason) => console.log(call.id, 'ended:', reason))

const switchroom = connect({ app: '${name}' })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void switchroom.close().then(() => process.exit()))

await switchroom.hold(agent)
console.log('${name} is there')
`

const readme = ({ name }: ProjectParts) => `# ${name}

An agent on Switchroom. \`agent.ts\` is all of it: what it is told, what it can do, what it is set to.

\`\`\`
npm start              # holds the agent; Ctrl-C ends it
svc chat ${name}       # in another terminal: write to it
svc calls              # what was said
npm install            # once, for npm run types
npm run types          # checks the types
\`\`\`

\`.env\` has the gateway's address in \`SVC_URL\` and a key that opens \`app\` in \`SVC_KEY\`; keep it to yourself.
\`svc keys create ${name}\` makes another key. It needs Node 22.18 or later, which runs TypeScript as it is.
`
