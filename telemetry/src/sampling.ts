import { diag, ROOT_CONTEXT, TraceFlags, type SpanContext } from '@opentelemetry/api'
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base'

/** Whether a span is sent; `parent` is the one that it is under. */
export type IsSampled = (traceId: string, parent?: SpanContext) => boolean

const usual = 'parentbased_always_on'

/** As OpenTelemetry specifies `OTEL_TRACES_SAMPLER`: one that is based on parents judges only where a trace begins. */
export function samplerOf(environment: NodeJS.ProcessEnv): IsSampled {
  const name = environment['OTEL_TRACES_SAMPLER']?.trim() || usual
  const judge = judgeOf(name.replace('parentbased_', ''), environment['OTEL_TRACES_SAMPLER_ARG'])
  if (!judge) {
    diag.warn(`OTEL_TRACES_SAMPLER is ${name}, which is no sampler: ${usual} is used`)
    return samplerOf({})
  }
  if (!name.startsWith('parentbased_')) return judge
  return (traceId, parent) => (parent ? (parent.traceFlags & TraceFlags.SAMPLED) !== 0 : judge(traceId))
}

function judgeOf(name: string, argument: string | undefined): ((traceId: string) => boolean) | undefined {
  if (name === 'always_on') return () => true
  if (name === 'always_off') return () => false
  if (name !== 'traceidratio') return undefined
  const ratio = Number(argument?.trim() || Number.NaN)
  const isRatio = ratio >= 0 && ratio <= 1
  if (!isRatio) diag.warn('OTEL_TRACES_SAMPLER_ARG is no number from 0 to 1: every trace is sent')
  const sampler = new TraceIdRatioBasedSampler(isRatio ? ratio : 1)
  return (traceId) =>
    sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED
}
