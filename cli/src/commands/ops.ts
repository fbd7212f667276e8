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
  summary: 'who runs the platform',
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
  summary: 'networks that orgs send calls from',
  options: [{ name: 'state', value: 'state', choices: networkStates, summary: 'waiting where unsaid' }],
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
        `There is no ${state ?? 'waiting'} network.`,
      ),
    )
  },
}

const judged = (['approve', 'refuse'] as const).map((verb): Command => ({
  name: `ops networks ${verb}`,
  summary: verb === 'approve' ? 'let an org send calls from a network' : 'let no calls in from a network',
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
  summary: 'hooked numbers that wait for approval',
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
        'No number waits.',
      ),
    )
  },
}

const approveNumber: Command = {
  name: 'ops numbers approve',
  summary: 'let a hooked number ring',
  arguments: [{ name: 'number', summary: 'as +34911234567' }],
  examples: ['svc ops numbers approve +34911234567'],
  async run(invocation) {
    const client = await invocation.operator()
    const at = path`/v1/ops/numbers/${invocation.argument('number')}/approve`
    const answer = await client.post<ApprovedNumber>(at)
    invocation.answer(answer, ({ number, env }) =>
      invocation.out.line(`${number} rings in the ${env} environment.`),
    )
  },
}

const firewall: Command = {
  name: 'ops firewall',
  summary: 'who may reach the port of phone calls',
  examples: ['svc ops firewall'],
  async run(invocation) {
    const answer = await (await invocation.operator()).get<FirewallList>('/v1/ops/firewall')
    invocation.answer(answer, (list) => {
      invocation.out.note(`Port ${list.port} is for:`)
      for (const network of list.networks) invocation.out.line(network)
    })
  },
}

const brand: Command = {
  name: 'ops brand',
  summary: 'how the deployment calls itself; options change it',
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
  summary: "the platform's providers row; with --file it is replaced whole",
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
  summary: 'forget now what the nightly run would',
  options: [{ name: 'yes', summary: 'say that you mean it' }],
  examples: ['svc ops retention --yes'],
  async run(invocation) {
    if (!invocation.flag('yes')) throw wrongUsage('what is forgotten is gone: say --yes')
    const answer = await (await invocation.operator()).post<RetentionRun>('/v1/ops/retention')
    invocation.answer(answer, (run) => tellRun(invocation, run))
  },
}

const tellRun = ({ out }: Invocation, { entries, claims, audit }: RetentionRun) =>
  out.line(`${entries} entries, ${claims} claims and ${audit} entries of the audit log are forgotten.`)

const vault: Command = {
  name: 'ops vault',
  summary: 'how far the change of the vault key is',
  examples: ['svc ops vault'],
  async run(invocation) {
    const answer = await (await invocation.operator()).get<VaultState>('/v1/ops/vault')
    invocation.answer(answer, (state) => tellVault(invocation, state))
  },
}

const rotateVault: Command = {
  name: 'ops vault rotate',
  summary: 'seal every stored secret again, under the newest vault key',
  examples: ['svc ops vault rotate'],
  async run(invocation) {
    const client = await invocation.operator()
    const rotate = () => client.post<VaultRotation>('/v1/ops/vault/rotate')
    let answer = await rotate()
    while (!answer.finished && answer.resealed > 0) answer = await rotate()
    invocation.answer(answer, (state) => tellVault(invocation, state))
    for (const column of answer.unreadable)
      invocation.out.note(`${column} has values that none of the keys opens: delete them, or give their key.`)
  },
}

function tellVault({ out }: Invocation, { key, finished, left, gateways }: VaultState) {
  out.fields({ key, 'sealed otherwise': left, 'gateways with another key': gateways })
  if (finished) out.line('Everything is sealed under this key: SVC_VAULT_KEY may be this key alone.')
  else if (gateways > 0) out.line('Restart the other gateways with SVC_VAULT_KEY=new,old, then rotate again.')
  else out.line('Not finished: svc ops vault rotate seals the rest again.')
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
