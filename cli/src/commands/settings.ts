import type {
  Config,
  SettingsDiff,
  SettingsHistory,
  SettingsRow,
  SettingsView,
} from '@switchroom/contract/settings'
import { aboutScope, scopeAsked, scopeNames, teamOf, versionColumns, type ScopeName } from './agent-scopes.ts'
import { agentArgument, fileOption, teamOption, type Command, type Option } from '../invocation/command.ts'
import { wrongUsage } from '../terminal/failures.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import type { Output } from '../terminal/output.ts'

const noteOption: Option = { name: 'note', value: 'text', summary: 'why, for the history' }
const versionOption: Option = {
  name: 'if-version',
  value: 'number',
  summary: 'only if the scope is at this version (default: its current one)',
}

/** A knob as it is written on a command line. */
const written = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

const at = (invocation: Invocation) => path`/v1/agents/${invocation.argument('agent')}/settings`

const get: Command = {
  name: 'settings get',
  summary: "show an agent's settings in each scope",
  arguments: [agentArgument, { name: 'knob', summary: 'only this setting', isOptional: true }],
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
    "Nothing is set: the agent uses the platform's defaults.",
  )
  if (view.fixed.length > 0) out.note(`Set in code: ${view.fixed.join(', ')}.`)
}

const set: Command = {
  name: 'settings set',
  summary: 'change settings: saves a new version after a trial at the vendors',
  details:
    'Write knob=value, or knob.part=value for a part; an empty value removes the knob. Other knobs keep their\nvalue. Values are JSON unless the knob is a text. --file replaces all settings.',
  arguments: [
    agentArgument,
    { name: 'knob=value', summary: 'what to change', isOptional: true, isRepeated: true },
  ],
  options: [teamOption, noteOption, versionOption, fileOption('all settings as JSON, instead of knob=value')],
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
    if ((words.length === 0) === (file === undefined)) throw wrongUsage('give either knob=value or --file')
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

function tellVersion(invocation: Invocation, scope: ScopeName, row: SettingsRow | null): void {
  invocation.out.line(`${invocation.argument('agent')} is at v${row?.version ?? 0} of ${scope}.`)
  invocation.out.note(aboutScope(invocation, scope))
}

const diff: Command = {
  name: 'settings diff',
  summary: 'compare the newest versions of two scopes',
  arguments: [agentArgument],
  options: [
    teamOption,
    {
      name: 'against',
      value: 'scope',
      choices: ['team', 'production'],
      summary: 'the scope to compare with (default: the one below yours)',
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
        `No differences from ${against}.`,
      ),
    )
  },
}

const rollback: Command = {
  name: 'settings rollback',
  summary: 'save an old version as the newest',
  arguments: [agentArgument, { name: 'version', summary: 'such as 3 or v3' }],
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
  if (digits === undefined) throw wrongUsage(`${text} is not a version: write 3 or v3`)
  return Number(digits)
}

const history: Command = {
  name: 'settings history',
  summary: "one scope's versions, newest first",
  arguments: [agentArgument],
  options: [teamOption, { name: 'limit', value: 'count', summary: 'how many (default 50)' }],
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
        'No versions yet.',
      ),
    )
  },
}

export const settingsCommands = [get, set, diff, rollback, history]
