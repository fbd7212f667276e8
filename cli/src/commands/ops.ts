import type { AskedNetwork, AskedNetworks, FirewallList } from '@switchroom/contract/carriers'
import type { Brand } from '@switchroom/contract/discovery'
import type { OperatorIdentity } from '@switchroom/contract/identity'
import type { ApprovedNumber, WaitingNumbers } from '@switchroom/contract/numbers'
import type { RetentionRun } from '@switchroom/contract/retention'
import type { VaultRotation, VaultState } from '@switchroom/contract/vault'
import { networkStates } from '../invocation/closed-sets.ts'
import { fileOption, type Command } from '../invocation/command.ts'
import { wrongUsage } from '../terminal/failures.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'

const whoami: Command = {
  name: 'ops whoami',
  summary: 'the platform and its operator',
  examples: ['svc ops whoami'],
  async run(invocation) {
    const answer = await (await invocation.operator()).get<OperatorIdentity>('/v1/ops/whoami')
    invocation.answer(answer, ({ version, domain, name, org }) =>
      invocation.out.fields({ version, domain, name: name ?? "the platform's own key", org }),
    )
  },
}

const networks: Command = {
  name: 'ops networks',
  summary: 'networks from which orgs send calls',
  options: [
    { name: 'state', value: 'state', choices: networkStates, summary: 'the state (default waiting)' },
  ],
  examples: ['svc ops networks', 'svc ops networks --state approved'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.operator()
    const state = invocation.option('state')
    const answer = await client.get<AskedNetworks>('/v1/ops/networks', { state })
    invocation.answer(answer, (all) =>
      out.table(
        all.networks,
        [
          { title: 'id', isName: true, of: ({ id }) => id },
          { title: 'org', isName: true, of: ({ org }) => org },
          { title: 'network', of: ({ network }) => network },
          { title: 'state', of: (each) => each.state },
          { title: 'for', of: ({ account, number }) => account ?? number },
          { title: 'asked', of: ({ asked_at }) => out.time(asked_at) },
        ],
        `No ${state ?? 'waiting'} networks.`,
      ),
    )
  },
}

const judged = (['approve', 'refuse'] as const).map((verb): Command => ({
  name: `ops networks ${verb}`,
  summary: verb === 'approve' ? 'accept calls from a network' : 'refuse calls from a network',
  arguments: [{ name: 'id', summary: 'as svc ops networks lists it' }],
  examples: [`svc ops networks ${verb} net_1`],
  async run(invocation) {
    const client = await invocation.operator()
    const at = `${path`/v1/ops/networks/${invocation.argument('id')}`}/${verb}`
    const answer = await client.post<AskedNetwork>(at)
    invocation.answer(answer, ({ network, state }) => invocation.out.line(`${network} is ${state}.`))
  },
}))

const numbers: Command = {
  name: 'ops numbers',
  summary: 'hooked numbers waiting for approval',
  examples: ['svc ops numbers'],
  async run(invocation) {
    const { out } = invocation
    const answer = await (await invocation.operator()).get<WaitingNumbers>('/v1/ops/numbers')
    invocation.answer(answer, (waiting) =>
      out.table(
        waiting.numbers,
        [
          { title: 'number', isName: true, of: ({ number }) => number },
          { title: 'org', isName: true, of: ({ org }) => org },
          { title: 'agent', isName: true, of: ({ agent }) => agent },
          { title: 'environment', of: ({ env }) => env },
          { title: 'via', of: ({ via }) => via },
          { title: 'asked', of: ({ asked_at }) => out.time(asked_at) },
        ],
        'No numbers wait for approval.',
      ),
    )
  },
}

const approveNumber: Command = {
  name: 'ops numbers approve',
  summary: 'approve a hooked number',
  arguments: [{ name: 'number', summary: 'such as +34911234567' }],
  examples: ['svc ops numbers approve +34911234567'],
  async run(invocation) {
    const client = await invocation.operator()
    const at = path`/v1/ops/numbers/${invocation.argument('number')}/approve`
    const answer = await client.post<ApprovedNumber>(at)
    invocation.answer(answer, ({ number, env }) =>
      invocation.out.line(`Approved ${number} in the ${env} environment.`),
    )
  },
}

const firewall: Command = {
  name: 'ops firewall',
  summary: 'addresses that may reach the SIP port',
  examples: ['svc ops firewall'],
  async run(invocation) {
    const answer = await (await invocation.operator()).get<FirewallList>('/v1/ops/firewall')
    invocation.answer(answer, (list) => {
      invocation.out.note(`Addresses that may reach port ${list.port}:`)
      for (const network of list.networks) invocation.out.line(network)
    })
  },
}

const brand: Command = {
  name: 'ops brand',
  summary: 'show the brand of the deployment; options change it',
  options: [
    { name: 'name', value: 'text', summary: 'its name' },
    { name: 'logo', value: 'url', summary: 'an https address' },
    { name: 'accent', value: '#rrggbb', summary: 'its colour' },
  ],
  examples: ['svc ops brand', 'svc ops brand --name "Casa Voice" --accent "#335577"'],
  async run(invocation) {
    const client = await invocation.operator()
    const change = {
      name: invocation.option('name'),
      logo_url: invocation.option('logo'),
      accent: invocation.option('accent'),
    }
    const isChange = Object.values(change).some((value) => value !== undefined)
    const answer = isChange
      ? await client.put<Brand>('/v1/ops/brand', change)
      : await client.get<Brand>('/v1/ops/brand')
    invocation.answer(answer, ({ name, logo_url, accent }) =>
      invocation.out.fields({ name, logo: logo_url, accent }),
    )
  },
}

const providers: Command = {
  name: 'ops providers',
  summary: "show the platform's providers row; --file replaces it",
  options: [fileOption('the row as JSON')],
  examples: ['svc ops providers > row.json', 'svc ops providers --file row.json'],
  async run(invocation) {
    const client = await invocation.operator()
    const file = invocation.option('file')
    const answer =
      file === undefined
        ? await client.get<object>('/v1/ops/providers')
        : await client.put<object>('/v1/ops/providers', await invocation.jsonOf(file))
    invocation.out.json(answer)
  },
}

const retention: Command = {
  name: 'ops retention',
  summary: 'purge expired data now',
  options: [{ name: 'yes', summary: 'confirm' }],
  examples: ['svc ops retention --yes'],
  async run(invocation) {
    if (!invocation.flag('yes')) throw wrongUsage('purged data cannot be restored: confirm with --yes')
    const answer = await (await invocation.operator()).post<RetentionRun>('/v1/ops/retention')
    invocation.answer(answer, (run) => tellRun(invocation, run))
  },
}

const tellRun = ({ out }: Invocation, { entries, calls, dials, keys, claims, audit }: RetentionRun) =>
  out.line(
    `Purged ${entries} entries, ${calls} calls, ${dials} dials, ${keys} revoked keys, ${claims} claims and ${audit} entries of the audit log.`,
  )

const vault: Command = {
  name: 'ops vault',
  summary: 'progress of a vault key rotation',
  examples: ['svc ops vault'],
  async run(invocation) {
    const answer = await (await invocation.operator()).get<VaultState>('/v1/ops/vault')
    invocation.answer(answer, (state) => tellVault(invocation, state))
  },
}

const rotateVault: Command = {
  name: 'ops vault rotate',
  summary: 'encrypt every stored secret again with the newest vault key',
  examples: ['svc ops vault rotate'],
  async run(invocation) {
    const client = await invocation.operator()
    const rotate = () => client.post<VaultRotation>('/v1/ops/vault/rotate')
    let answer = await rotate()
    while (!answer.finished && answer.resealed > 0) answer = await rotate()
    invocation.answer(answer, (state) => tellVault(invocation, state))
    for (const column of answer.unreadable)
      invocation.out.note(
        `${column} has values that no key decrypts: delete them, or add their key to SVC_VAULT_KEY.`,
      )
  },
}

function tellVault({ out }: Invocation, { key, finished, left, gateways }: VaultState) {
  out.fields({ key, 'under other keys': left, 'gateways with another key': gateways })
  if (finished) out.line('Finished: SVC_VAULT_KEY may be this key alone.')
  else if (gateways > 0)
    out.line(
      'Not finished: restart the other gateways with SVC_VAULT_KEY=new,old, then run svc ops vault rotate again.',
    )
  else out.line('Not finished: run svc ops vault rotate again.')
}

export const opsCommands = [
  whoami,
  networks,
  ...judged,
  numbers,
  approveNumber,
  firewall,
  brand,
  providers,
  retention,
  vault,
  rotateVault,
]
