import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { TraceFlags, type SpanContext } from '@opentelemetry/api'
import { traceHere } from '../testing/traced.ts'
import { samplerOf } from './sampling.ts'
import { newCallTrace } from './tracing.ts'

const traceIds = Array.from({ length: 400 }, () => randomBytes(16).toString('hex'))
const under = (traceFlags: TraceFlags): SpanContext => ({ traceId: '', spanId: '', traceFlags })
const [taken, leftOut] = [under(TraceFlags.SAMPLED), under(TraceFlags.NONE)]

function sampled(name: string, argument?: string) {
  const judge = samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument })
  const share = (parent?: SpanContext) =>
    traceIds.filter((traceId) => judge(traceId, parent)).length / traceIds.length
  return { alone: share(), underTaken: share(taken), underLeftOut: share(leftOut) }
}

test('a sampler that is based on parents judges where a trace begins, and any other judges every span', () => {
  assert.deepEqual(sampled(''), { alone: 1, underTaken: 1, underLeftOut: 0 })
  assert.deepEqual(sampled('always_on'), { alone: 1, underTaken: 1, underLeftOut: 1 })
  assert.deepEqual(sampled('always_off'), { alone: 0, underTaken: 0, underLeftOut: 0 })
  assert.deepEqual(sampled('parentbased_always_off'), { alone: 0, underTaken: 1, underLeftOut: 0 })
  const { alone, ...based } = sampled('parentbased_traceidratio', '0.25')
  assert.ok(alone > 0.1 && alone < 0.4, `${alone} of the traces`)
  assert.deepEqual(based, { underTaken: 1, underLeftOut: 0 })
  assert.equal(sampled('traceidratio', '0.25').underTaken, alone)
})

test('a sampler that does not exist, or a ratio that is none, is complained about, and every trace is sent', async () => {
  for (const settings of [
    { OTEL_TRACES_SAMPLER: 'sometimes' },
    { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' },
  ]) {
    const traced = await traceHere(settings)
    assert.notEqual(newCallTrace(), null)
    assert.equal(traced.complaints.length, 1)
    await traced[Symbol.asyncDispose]()
  }
})

test('a call that the sampler leaves out has no trace', async () => {
  const traced = await traceHere({ OTEL_TRACES_SAMPLER: 'always_off' })
  assert.equal(newCallTrace(), null)
  await traced[Symbol.asyncDispose]()
})
