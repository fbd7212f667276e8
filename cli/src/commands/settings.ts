import type {
  Config,
  SettingsDiff,
  SettingsHistory,
  SettingsRow,
  SettingsView,
} from '@switchroom/contract/settings'
import { scopeAsked, scopeNames, teamOf, versionColumns } from './agent-scopes.ts'
import { agentArgument, fileOption, teamOption, type Command, type Option } from '../invocation/command.ts'
import { wrongUsage } from '../terminal/failures.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import type { Output } from '../terminal/output.ts'

const noteOption: Option = { name: 'note', value: 'text', summary: 'why, for whoever reads the history' }
const versionOption: Option = {
  name: 'if-version',
  value: 'number',
  summary: 'only if the scope is at this version; unsaid, the one that stands now',
}

/** A knob as it is written on a command line. */
const written = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

const at = (invocation: Invocation) => path`/v1/agents/${invocation.argument('agent')}/settings`

const get: Command = {
  name: 'settings get',
  summary: "what an agent is set to, each scope's own newest version",
  arguments: [agentArgument, { name: 'knob', summary: 'only this one', isOptional: true }],
  examples: ['svc settings get hello', 'svc settings get hello voice', 'svc settings get hello --json'],
  async run(invocation) {
    const client = await invocation.client()
    const view = await client.get<SettingsView>(at(invocation))
    invocation.answer(view, (shown) => show(invocation.out, shown, invocation.optional('knob')))
  },
}

function show(out: Output, view: SettingsView, only?: string): void {
  const rows = scopeNames.flatMap((scope) => {
    const row = view[scope]
    if (!row) return []
    return Object.entries(row.config)
      .filter(([knob]) => only === undefined || knob === only)
      .map(([knob, value]) => ({ scope, version: row.version, knob, value }))
  })
  out.table(
    rows,
    [
      { title: 'scope', of: ({ scope }) => scope },
      { title: 'version', of: ({ version }) => `v${version}` },
      { title: 'knob', of: ({ knob }) => knob },
      { title: 'value', of: ({ value }) => written(value) },
    ],
    'Nothing is set: the agent runs on the defaults of the platform.',
  )
  if (view.fixed.length > 0) out.note(`Fixed by the code that holds it: ${view.fixed.join(', ')}.`)
}

const set: Command = {
  name: 'settings set',
  summary: 'change knobs: a new version, tried before it is kept',
  details:
    'knob=value, or knob.part=value for a part; an empty value takes the knob away. What is not named stays.\nA value is read as JSON where the knob is no text. With --file the whole set is replaced.',
  arguments: [
    agentArgument,
    { name: 'knob=value', summary: 'what to change', isOptional: true, isRepeated: true },
  ],
  options: [teamOption, noteOption, versionOption, fileOption('a whole set as JSON, in place of knobs')],
  examples: [
    'svc settings set hello greeting.say="Good morning."',
    'svc settings set hello temperature=0.4 language=en --note "calmer"',
    'svc settings set hello greeting=',
    'svc settings set hello --env production --file hello.json',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const words = invocation.rest('knob=value')
    const file = invocation.option('file')
    if ((words.length === 0) === (file === undefined)) throw wrongUsage('either knob=value or --file')
    const scope = await scopeAsked(invocation, client)
    const { [scope]: row } = await client.get<SettingsView>(at(invocation))
    const { changed } = await import('./setting-parsing.ts') // with the contract's schemas, which take their time
    const config =
      file === undefined ? changed(row?.config ?? {}, words) : ((await invocation.jsonOf(file)) as Config)
    const view = await client.put<SettingsView>(at(invocation), {
      config,
      if_version: invocation.number('if-version') ?? row?.version ?? 0,
      note: invocation.option('note'),
      team: teamOf(invocation),
    })
    invocation.answer(view, () => tellVersion(invocation, scope, view[scope]))
  },
}

function tellVersion(invocation: Invocation, scope: string, row: SettingsRow | null): void {
  invocation.out.line(`${invocation.argument('agent')} is at v${row?.version ?? 0} of ${scope}.`)
}

const diff: Command = {
  name: 'settings diff',
  summary: "what differs between one scope's newest version and another's",
  arguments: [agentArgument],
  options: [
    teamOption,
    {
      name: 'against',
      value: 'scope',
      choices: ['team', 'production'],
      summary: 'the other side; unsaid, the one that stands below yours',
    },
  ],
  examples: ['svc settings diff hello', 'svc settings diff hello --team --against production'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<SettingsDiff>(`${at(invocation)}/diff`, {
      against: invocation.option('against'),
      team: teamOf(invocation),
    })
    invocation.answer(answer, ({ changes, against, fields }) =>
      out.table(
        fields.map((knob) => ({ knob, ...changes[knob] })),
        [
          { title: 'knob', of: ({ knob }) => knob },
          { title: 'here', of: ({ here }) => written(here ?? undefined) },
          { title: against, of: ({ there }) => written(there ?? undefined) },
        ],
        `Nothing differs from ${against}.`,
      ),
    )
  },
}

const rollback: Command = {
  name: 'settings rollback',
  summary: 'copy an old version forward',
  arguments: [agentArgument, { name: 'version', summary: 'as 3 or v3' }],
  options: [teamOption],
  examples: ['svc settings rollback hello v3', 'svc settings rollback hello 3 --env production'],
  async run(invocation) {
    const client = await invocation.client()
    const version = versionIn(invocation.argument('version'))
    const scope = await scopeAsked(invocation, client)
    const body = { version, team: teamOf(invocation) }
    const view = await client.post<SettingsView>(`${at(invocation)}/rollback`, body)
    invocation.answer(view, () => tellVersion(invocation, scope, view[scope]))
  },
}

/** `v3` and `3` are the same. */
export function versionIn(text: string): number {
  const [, digits] = /^v?(\d+)$/.exec(text) ?? []
  if (digits === undefined) throw wrongUsage(`${text} is no version: it is written 3 or v3`)
  return Number(digits)
}

const history: Command = {
  name: 'settings history',
  summary: "one scope's versions, newest first",
  arguments: [agentArgument],
  options: [teamOption, { name: 'limit', value: 'count', summary: 'how many; 50 where unsaid' }],
  examples: ['svc settings history hello', 'svc settings history hello --team'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<SettingsHistory>(`${at(invocation)}/history`, {
      team: teamOf(invocation),
      limit: invocation.option('limit'),
    })
    invocation.answer(answer, ({ versions }) =>
      out.table(
        versions,
        [...versionColumns(out), { title: 'knobs', of: ({ config }) => Object.keys(config).join(' ') }],
        'Nothing was ever set here.',
      ),
    )
  },
}

export const settingsCommands = [get, set, diff, rollback, history]
