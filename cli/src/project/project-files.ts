import { chatTemplate } from './chat-template.ts'
import { outboundTemplate } from './outbound-template.ts'
import type { Template } from './template.ts'
import { voiceTemplate } from './voice-template.ts'

export const templates = {
  voice: voiceTemplate,
  chat: chatTemplate,
  outbound: outboundTemplate,
} as const satisfies Record<string, Template>
export type TemplateName = keyof typeof templates
export const templateNames = Object.keys(templates) as TemplateName[]

/** What a new project is checked with; a test compares them with the checkout's own. */
export const developedWith = { '@types/node': '20.19.43', typescript: '7.0.2' }

export interface ProjectParts {
  name: string
  template: TemplateName
  /** What npm installs the SDK from: a version, or a packed file. */
  sdk: string
}

/** What `svc init` writes, by file name. */
export function projectFiles(parts: ProjectParts): Record<string, string> {
  const { name } = parts
  const template: Template = templates[parts.template]
  const programs = template.programs?.(name) ?? {}
  return {
    'package.json': manifest(parts, Object.keys(programs)),
    'tsconfig.json': tsconfig,
    'agent.ts': template.agent(name),
    'agent.test.ts': template.test(name),
    'main.ts': main(name),
    ...programs,
    Dockerfile: dockerfile,
    '.dockerignore': 'node_modules\ndist\n.env\n',
    'README.md': readme(name, template),
    '.gitignore': 'node_modules\ndist\n.env\n',
  }
}

const manifest = ({ name, sdk }: ProjectParts, programs: string[]) =>
  `${JSON.stringify(
    {
      name,
      version: '0.1.0',
      private: true,
      type: 'module',
      scripts: {
        build: 'tsc',
        start: 'tsc && node --env-file=.env dist/main.js',
        test: 'tsc && node --test dist/agent.test.js',
        ...Object.fromEntries(
          programs.map((file) => {
            const program = file.replace(/\.ts$/, '')
            return [program, `tsc && node --env-file=.env dist/${program}.js`]
          }),
        ),
      },
      dependencies: { '@switchroom/sdk': sdk },
      devDependencies: developedWith,
      engines: { node: '>=20.6' },
    },
    null,
    2,
  )}\n`

const tsconfig = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'es2022',
      module: 'nodenext',
      lib: ['es2023'],
      types: ['node'],
      rootDir: '.',
      outDir: 'dist',
      strict: true,
      exactOptionalPropertyTypes: true,
    },
    include: ['*.ts'],
  },
  null,
  2,
)}\n`

const main = (
  name: string,
) => `// Holds the agent until it is stopped. SVC_URL is the gateway's address, SVC_KEY a key with the scope app.
import { connect } from '@switchroom/sdk'
import { agent } from './agent.js'

const switchroom = connect({ app: '${name}' })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void switchroom.close().then(() => process.exit()))

await switchroom.hold(agent)
console.log('${name} is there')
`

const dockerfile = `# docker build -t agent . && docker run -e SVC_URL=… -e SVC_KEY=… agent
FROM node:24-slim AS build
WORKDIR /app
COPY package*.json ./
RUN npm install
COPY . .
RUN npm run build && npm test && npm prune --omit=dev

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
CMD ["node", "dist/main.js"]
`

const readme = (name: string, { summary, commands }: Template) => `# ${name}

An agent on Switchroom that ${summary}. \`agent.ts\` is the agent: its prompt, its tools, its settings.

\`\`\`
npm install            # once
npm start              # holds the agent; Ctrl-C ends it
svc chat ${name}       # in another terminal: write to it
svc calls              # what was said
npm test               # what agent.test.ts says about it
${(commands?.(name) ?? []).map((line) => `${line}\n`).join('')}\`\`\`

\`.env\` has the gateway's address in \`SVC_URL\` and a key with the scope \`app\` in \`SVC_KEY\`; keep it to yourself.
\`svc keys create ${name}\` makes another key. Use Node 20.6 or later.
`
