import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'

const chart = fileURLToPath(new URL('../../deploy/helm/switchroom', import.meta.url))
const program = process.env['SVC_TEST_HELM']
const skip = program ? false : 'needs Helm 3: set SVC_TEST_HELM to the program'

const helm = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(program ?? '', words, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

interface Resource {
  kind: string
  metadata: { name: string }
  spec: {
    template?: { spec: { hostNetwork?: boolean; containers: { env: { name: string }[] }[] } }
    metrics?: { pods: { metric: { name: string }; target: { averageValue: string } } }[]
  }
}

function rendered(...settings: string[]): Resource[] {
  const { status, stdout, stderr } = helm(
    'template',
    'a',
    chart,
    ...settings.flatMap((each) => ['--set', each]),
  )
  assert.equal(status, 0, stderr)
  return parseAllDocuments(stdout).map((document) => document.toJS() as Resource)
}

const named = (resources: Resource[], kind: string) =>
  resources.filter((resource) => resource.kind === kind).map(({ metadata }) => metadata.name)

test('Helm finds no fault in the chart, and refuses a value that it does not know', { skip }, () => {
  const { status, stdout } = helm('lint', '--strict', chart)
  assert.equal(status, 0, stdout)
  const wrong = helm('template', 'a', chart, '--set', 'gatway.replicas=3')
  assert.match(wrong.stderr, /gatway/)
})

test(
  'the chart renders with and without LiveKit, autoscaling and ingress; no setting is given twice',
  { skip },
  () => {
    const plain = rendered()
    assert.deepEqual(named(plain, 'Deployment').toSorted(), [
      'a-switchroom-gateway',
      'a-switchroom-voice-server',
      'a-switchroom-worker',
    ])
    assert.equal(named(plain, 'PodDisruptionBudget').length, 3)
    assert.equal(named(plain, 'NetworkPolicy').length, 3)
    const full = rendered(
      'media.livekitUrl=wss://media.example.com',
      'secrets.mediaKey.name=s',
      'secrets.mediaSecret.name=s',
      'worker.autoscaling.enabled=true',
      'ingress.enabled=true',
      'voiceUrl=https://voice.example.com',
    )
    const worker = (resources: Resource[]) =>
      resources.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-worker'))
    assert.equal(worker(plain)?.spec.template?.spec.hostNetwork, true)
    assert.equal(worker(full)?.spec.template?.spec.hostNetwork, undefined)
    const scaled = full.find(({ kind }) => kind === 'HorizontalPodAutoscaler')?.spec.metrics?.[0]?.pods
    assert.deepEqual([scaled?.metric.name, scaled?.target.averageValue], ['switchroom_worker_calls', '28'])
    assert.equal(named(full, 'Ingress').length, 1)
    for (const { kind, metadata, spec } of [...plain, ...full])
      for (const { env } of kind === 'Deployment' ? (spec.template?.spec.containers ?? []) : []) {
        const names = env.map(({ name }) => name)
        assert.deepEqual(names, [...new Set(names)], metadata.name)
      }
  },
)
