import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const files = readdirSync(join(root, 'deploy'), { recursive: true, encoding: 'utf8' })
  .map((path) => join('deploy', path))
  .filter((path) => statSync(join(root, path)).isFile())
const [settings = ''] = read('docs/settings.md').split('## Reserved')
const chart = 'deploy/helm/switchroom'

interface Service {
  image: string
  command?: string[]
  read_only?: boolean
  cap_drop?: string[]
  tmpfs?: string[]
  stop_grace_period?: string
  environment?: Record<string, string>
  healthcheck?: { test: string[] }
  volumes?: string[]
}
interface Compose {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}
const compose = parse(read('deploy/compose.yaml'), { merge: true }) as Compose
const programs = ['gateway', 'voice-server', 'worker']

test('every setting that the files of deploy/ name is one that the program reads', () => {
  const known = new Set(Array.from(settings.matchAll(/^\| `(SVC_\w+)/gm), ([, name]) => name))
  const isKnown = (name: string) => known.has(name) || name.startsWith('SVC_PROVIDER_KEY_')
  const unknown = files.flatMap((path) =>
    (read(path).match(/\bSVC_\w+(?![\w*])/g) ?? [])
      .filter((name) => !isKnown(name))
      .map((name) => `${path}: ${name}`),
  )
  assert.ok(files.length > 10)
  assert.deepEqual(unknown, [])
})

test('compose runs each program of the image on a read-only file system without a capability, and asks for its health', () => {
  for (const program of programs) {
    const service = compose.services[program]
    assert.ok(service, program)
    const { command, read_only, cap_drop, tmpfs, healthcheck } = service
    assert.deepEqual(
      { command, read_only, cap_drop, tmpfs, health: healthcheck?.test },
      {
        command: [program],
        read_only: true,
        cap_drop: ['ALL'],
        tmpfs: ['/tmp'],
        health: ['CMD', 'switchroom', 'health', program],
      },
    )
  }
  assert.equal(compose.services['worker']?.stop_grace_period, '1h', 'it finishes its calls')
})

test('compose holds no secret: each comes from the environment, and one that is missing is named with how to make it', () => {
  const isSecret = /KEY$|SECRET|PASSWORD|DATABASE_URL|REDIS_URL/
  for (const [name, { environment = {} }] of Object.entries(compose.services))
    for (const [variable, value] of Object.entries(environment))
      if (isSecret.test(variable)) assert.match(value, /\$\{\w+:\?[^}]+\}/, `${name}: ${variable}`)
})

test('only gateways get the secrets of the deployment', () => {
  const ofGateway = ['SVC_VAULT_KEY', 'SVC_OPERATOR_KEY', 'SVC_DATABASE_URL', 'SVC_REDIS_URL']
  for (const program of ['voice-server', 'worker'])
    for (const secret of ofGateway) {
      assert.equal(compose.services[program]?.environment?.[secret], undefined)
      assert.doesNotMatch(read(`${chart}/templates/${program}.yaml`), new RegExp(secret))
    }
})

test('compose mounts no volume that it does not declare', () => {
  const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) =>
    volumes.map((line) => line.split(':')[0] ?? ''),
  )
  const named = mounted.filter((source) => !source.startsWith('.'))
  assert.deepEqual([...new Set(named)].toSorted(), Object.keys(compose.volumes).toSorted())
})

test("the chart's values fit their schema, which knows every one of them, and templates use no other", () => {
  const values = parse(read(`${chart}/values.yaml`)) as Record<string, unknown>
  const validate = new Ajv({ strict: false, allErrors: true }).compile(
    JSON.parse(read(`${chart}/values.schema.json`)) as object,
  )
  assert.ok(validate(values), JSON.stringify(validate.errors))
  assert.equal(validate({ ...values, gatway: {} }), false)
  assert.equal(
    validate({ ...values, secrets: { ...(values['secrets'] as object), vaultKey: { name: '', key: 'x' } } }),
    false,
  )
  const templates = files
    .filter((path) => path.startsWith(`${chart}/templates`))
    .map(read)
    .join('\n')
  const used = new Set(Array.from(templates.matchAll(/\.Values\.([\w.]+)/g), ([, path = '']) => path))
  assert.ok(used.size > 30)
  for (const path of used)
    assert.notEqual(
      path
        .split('.')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], values),
      undefined,
      `.Values.${path}`,
    )
})

test('every value of the chart has a description in its schema', () => {
  interface Schema {
    description?: string
    properties?: Record<string, Schema>
    allOf?: Schema[]
  }
  const bare = (schema: Schema, path: string): string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
      const at = path === '' ? name : `${path}.${name}`
      const isDescribed = each.description ?? each.allOf?.[0]?.description
      return each.properties ? bare(each, at) : isDescribed ? [] : [at]
    })
  assert.deepEqual(bare(JSON.parse(read(`${chart}/values.schema.json`)) as Schema, ''), [])
})

test('the image, the chart and the units agree about the user and where the programs are', () => {
  const containerfile = read('deploy/Containerfile')
  const [, uid] = /^USER (\d+):\1$/m.exec(containerfile) ?? []
  assert.match(
    read(`${chart}/templates/_helpers.tpl`),
    new RegExp(`runAsUser: ${uid}\\nrunAsGroup: ${uid}\\nfsGroup: ${uid}\\n`),
  )
  for (const unit of files.filter((path) => path.endsWith('.service')))
    assert.match(
      read(unit),
      /^ExecStart=\/opt\/switchroom\/bin\/node \/opt\/switchroom\/(gateway|speech|worker)\/src\/main\.ts$/m,
    )
})

test('a stop waits for calls wherever a worker runs: an hour or more until it is killed, and it alone gets the signal', () => {
  assert.match(read(`${chart}/values.yaml`), /^ {2}terminationGracePeriodSeconds: 7200$/m)
  const unit = read('deploy/systemd/switchroom-worker.service')
  assert.match(unit, /^TimeoutStopSec=2h$/m)
  assert.match(unit, /^KillMode=mixed$/m)
})
