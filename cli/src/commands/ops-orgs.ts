import { roles, scopes } from '@switchroom/contract/scopes'
import type { DialLimits } from '@switchroom/contract/dialling'
import type { ServerToken } from '@switchroom/contract/keys'
import type { Invited, MemberList } from '@switchroom/contract/members'
import type { CreatedOrg, OrgDetail, OrgList, QuotasAndCaps } from '@switchroom/contract/orgs'
import { capNames, quotaNames } from '../invocation/closed-sets.ts'
import type { Argument, Command } from '../invocation/command.ts'
import { wrongUsage } from '../terminal/failures.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { showMembers, tellLink } from './members.ts'
import { tellToken, tokenAsked, tokenOptions } from './keys.ts'

const orgArgument: Argument = { name: 'org', summary: 'its slug or id' }
const at = (invocation: Invocation) => path`/v1/ops/orgs/${invocation.argument('org')}`

const list: Command = {
  name: 'ops orgs',
  summary: 'every org, oldest first',
  examples: ['svc ops orgs'],
  async run(invocation) {
    const { out } = invocation
    const answer = await (await invocation.operator()).get<OrgList>('/v1/ops/orgs')
    invocation.answer(answer, ({ orgs }) =>
      out.table(
        orgs,
        [
          { title: 'org', isName: true, of: ({ slug }) => slug },
          { title: 'name', of: ({ name }) => name },
          { title: 'id', isName: true, of: ({ id }) => id },
          { title: 'since', of: ({ created_at }) => out.time(created_at) },
        ],
        'No orgs. Create one with svc ops orgs create.',
      ),
    )
  },
}

const show: Command = {
  name: 'ops orgs show',
  summary: 'an org, its quotas and its usage',
  arguments: [orgArgument],
  examples: ['svc ops orgs show acme'],
  async run(invocation) {
    const { out } = invocation
    const answer = await (await invocation.operator()).get<OrgDetail>(at(invocation))
    invocation.answer(answer, ({ slug, name, id, quotas, holding }) => {
      out.fields({ org: slug, name, id })
      out.table(
        quotaNames.map((quota) => ({ quota, holds: holding[quota], most: quotas[quota] ?? 'no limit' })),
        [
          { title: 'quota', of: ({ quota }) => quota },
          { title: 'holds', of: ({ holds }) => holds },
          { title: 'most', of: ({ most }) => most },
        ],
        '',
      )
    })
  },
}

const create: Command = {
  name: 'ops orgs create',
  summary: 'create an organization',
  arguments: [{ name: 'slug', summary: 'lower-case letters, digits and dashes' }],
  options: [{ name: 'name', value: 'text', summary: 'its name' }],
  examples: ['svc ops orgs create acme --name Acme'],
  async run(invocation) {
    const client = await invocation.operator()
    const body = { slug: invocation.argument('slug'), name: invocation.option('name') }
    const answer = await client.post<CreatedOrg>('/v1/ops/orgs', body)
    invocation.answer(answer, ({ slug, id }) => invocation.out.line(`Created ${slug} (${id}).`))
  },
}

const quotas: Command = {
  name: 'ops orgs quotas',
  summary: 'change the quotas of an org',
  arguments: [
    orgArgument,
    { name: 'quota=count', summary: 'such as seats=10; an empty value removes the limit', isRepeated: true },
  ],
  examples: [
    'svc ops orgs quotas acme seats=10 numbers=2',
    'svc ops orgs quotas acme minutes=',
    'svc ops orgs quotas acme chats=2000 recordings_gb=200',
  ],
  async run(invocation) {
    const client = await invocation.operator()
    const place = `${at(invocation)}/quotas`
    const before = await client.get<QuotasAndCaps>(place)
    const wanted = invocation.rest('quota=count').map(quotaIn)
    const body = { ...before.quotas, ...Object.fromEntries(wanted) }
    await client.put<object>(place, body)
    const answer = await client.get<QuotasAndCaps>(place)
    invocation.answer(answer, ({ quotas: all, caps }) => {
      const both = { ...all, ...caps }
      const shown = [...quotaNames, ...capNames].map((name) => [name, both[name] ?? 'no limit'])
      invocation.out.fields(Object.fromEntries(shown))
    })
  },
}

function quotaIn(word: string): [name: string, most: number | null] {
  const names: readonly string[] = [...quotaNames, ...capNames]
  const [, name, count] = /^(\w+)=(\d*)$/.exec(word) ?? []
  if (name === undefined || count === undefined || !names.some((known) => known === name))
    throw wrongUsage(`${word} is not a quota: write it as seats=10, with one of ${names.join(', ')}`)
  return [name, count === '' ? null : Number(count)]
}

const members: Command = {
  name: 'ops orgs members',
  summary: 'members of an org',
  arguments: [orgArgument],
  examples: ['svc ops orgs members acme'],
  async run(invocation) {
    const answer = await (await invocation.operator()).get<MemberList>(`${at(invocation)}/members`)
    invocation.answer(answer, (all) => showMembers(invocation.out, all.members))
  },
}

const invite: Command = {
  name: 'ops orgs invite',
  summary: 'invite a person to an org',
  arguments: [orgArgument, { name: 'email', summary: 'their email address' }],
  options: [
    { name: 'role', value: 'role', choices: roles, summary: 'their role' },
    { name: 'name', value: 'text', summary: 'their name' },
    { name: 'production', summary: 'give them access to production' },
    { name: 'operator', summary: 'make them a platform operator' },
  ],
  examples: ['svc ops orgs invite acme ana@example.com --role admin'],
  async run(invocation) {
    const client = await invocation.operator()
    const answer = await client.post<Invited>(`${at(invocation)}/members`, {
      email: invocation.argument('email'),
      role: invocation.option('role'),
      name: invocation.option('name'),
      production: invocation.flag('production') || undefined,
      operator: invocation.flag('operator') || undefined,
    })
    tellLink(invocation, answer)
  },
}

const key: Command = {
  name: 'ops orgs key',
  summary: 'create a server token with any scopes in an org',
  arguments: [orgArgument, { name: 'label', summary: 'what it is for' }],
  options: tokenOptions(scopes),
  examples: ['svc ops orgs key acme ci --scope app --env production > ci.key'],
  async run(invocation) {
    const client = await invocation.operator()
    tellToken(invocation, await client.post<ServerToken>(`${at(invocation)}/keys`, tokenAsked(invocation)))
  },
}

const dialling: Command = {
  name: 'ops orgs dialling',
  summary: 'show the calling limits of an org; options change them',
  arguments: [orgArgument],
  options: [
    {
      name: 'anywhere',
      value: 'yes|no',
      choices: ['yes', 'no'],
      summary: 'call numbers that never called (new contacts)',
    },
    { name: 'per-minute', value: 'count', summary: 'dials in 60 seconds' },
    { name: 'per-day', value: 'count', summary: 'accepted dials in 24 hours' },
    { name: 'longest', value: 'seconds', summary: 'maximum duration of a placed call' },
  ],
  examples: ['svc ops orgs dialling acme', 'svc ops orgs dialling acme --per-day 500'],
  async run(invocation) {
    const client = await invocation.operator()
    const anywhere = invocation.option('anywhere')
    const change = {
      dial_anywhere: anywhere === undefined ? undefined : anywhere === 'yes',
      per_minute: invocation.number('per-minute'),
      per_day: invocation.number('per-day'),
      max_duration_s: invocation.number('longest'),
    }
    const isChange = Object.values(change).some((value) => value !== undefined)
    const place = `${at(invocation)}/dialling`
    const answer = isChange
      ? await client.put<DialLimits>(place, change)
      : await client.get<DialLimits>(place)
    invocation.answer(answer, ({ dial_anywhere, per_minute, per_day, max_duration_s }) =>
      invocation.out.fields({
        anywhere: dial_anywhere,
        'per minute': per_minute,
        'per day': per_day,
        longest: `${max_duration_s} s`,
      }),
    )
  },
}

export const opsOrgCommands = [list, show, create, quotas, members, invite, key, dialling]
