import { roles } from '@switchroom/contract/scopes'
import type { Invited, Member, MemberList } from '@switchroom/contract/members'
import type { Argument, Command, Option } from '../invocation/command.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failures.ts'
import { path, type GatewayClient } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import type { Output } from '../terminal/output.ts'

const memberArgument: Argument = { name: 'member', summary: 'their email address or id' }
const agentOption: Option = {
  name: 'agent',
  value: 'slug',
  isRepeated: true,
  summary: 'an agent they may work on (default: all)',
}
const roleOption: Option = { name: 'role', value: 'role', choices: roles, summary: 'their role' }

export const showMembers = (out: Output, members: readonly Member[]) =>
  out.table(
    members,
    [
      { title: 'email', isName: true, of: ({ email }) => email },
      { title: 'name', of: ({ name }) => name },
      { title: 'role', of: ({ role, operator }) => (operator ? `${role}, operator` : role) },
      { title: 'status', of: ({ status }) => status },
      { title: 'production', of: ({ production }) => production },
      { title: 'agents', of: ({ agents }) => agents.join(' ') || 'all' },
      { title: 'id', isName: true, of: ({ id }) => id },
    ],
    'No members.',
  )

const list: Command = {
  name: 'members',
  summary: 'members of the org',
  examples: ['svc members', 'svc members --json'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<MemberList>('/v1/members')
    invocation.answer(answer, ({ members }) => showMembers(invocation.out, members))
  },
}

const invite: Command = {
  name: 'members invite',
  summary: 'invite a person',
  arguments: [{ name: 'email', summary: 'their email address' }],
  options: [
    roleOption,
    { name: 'name', value: 'text', summary: 'their name' },
    { name: 'production', summary: 'give them access to production' },
    agentOption,
  ],
  examples: ['svc members invite ana@example.com --role developer'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.post<Invited>('/v1/members', {
      email: invocation.argument('email'),
      role: invocation.needed('role'),
      name: invocation.option('name'),
      production: invocation.flag('production') || undefined,
      agents: invocation.list('agent'),
    })
    tellLink(invocation, answer)
  },
}

/** The link is a secret: the gateway returns it once, and it is printed once. */
export function tellLink(invocation: Invocation, answer: Invited): void {
  const { out } = invocation
  invocation.answer(answer, ({ member, mailed, link, expires_at }) => {
    if (link !== null) out.line(link)
    if (mailed) out.note(`The link was sent to ${member.email}.`)
    else if (link !== null) out.note(`Give this link to ${member.email}. It cannot be shown again.`)
    out.note(`It works once, until ${out.time(expires_at)}.`)
  })
}

const change: Command = {
  name: 'members change',
  summary: 'change a role, agents, status or production access',
  arguments: [memberArgument],
  options: [
    roleOption,
    { name: 'status', value: 'status', choices: ['active', 'disabled'], summary: 'active or disabled' },
    {
      name: 'production',
      value: 'yes|no',
      choices: ['yes', 'no'],
      summary: 'access to production',
    },
    agentOption,
    { name: 'every-agent', summary: 'let them work on all agents' },
  ],
  examples: ['svc members change ana@example.com --role admin', 'svc members change mem_1 --status disabled'],
  async run(invocation) {
    const client = await invocation.client()
    const production = invocation.option('production')
    const id = await idOf(client, invocation.argument('member'))
    const answer = await client.patch<Member>(path`/v1/members/${id}`, {
      role: invocation.option('role'),
      status: invocation.option('status'),
      production: production === undefined ? undefined : production === 'yes',
      agents: invocation.flag('every-agent') ? [] : invocation.list('agent'),
    })
    invocation.answer(answer, (member) => showMembers(invocation.out, [member]))
  },
}

const remove: Command = {
  name: 'members remove',
  summary: 'remove a member',
  arguments: [memberArgument],
  examples: ['svc members remove ana@example.com'],
  async run(invocation) {
    const client = await invocation.client()
    const member = invocation.argument('member')
    await client.delete(path`/v1/members/${await idOf(client, member)}`)
    if (!invocation.isJson) invocation.out.line(`Removed ${member}.`)
  },
}

const reset: Command = {
  name: 'members reset',
  summary: 'create a one-time link to set a new password',
  arguments: [memberArgument],
  examples: ['svc members reset ana@example.com'],
  async run(invocation) {
    const client = await invocation.client()
    const id = await idOf(client, invocation.argument('member'))
    tellLink(invocation, await client.post<Invited>(path`/v1/members/${id}/reset`))
  },
}

async function idOf(client: GatewayClient, member: string): Promise<string> {
  if (!member.includes('@')) return member
  const { members } = await client.get<MemberList>('/v1/members')
  const found = members.find(({ email }) => email.toLowerCase() === member.toLowerCase())
  if (!found)
    throw new Failure(exitCodes.refused, `${member} is not a member of this org: svc members lists them`)
  return found.id
}

export const memberCommands = [list, invite, change, remove, reset]
