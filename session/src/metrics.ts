import type { NewEntry } from '@switchroom/contract/log'
import type { Answer } from './asking.ts'

/** What one generation took and cost; whoever keeps it adds the price. */
export function metricsOf(answer: Answer, more: Readonly<Record<string, unknown>> = {}): NewEntry {
  const { vendor, model, key } = answer.run
  return {
    type: 'metrics',
    data: {
      stage: 'llm',
      vendor,
      model,
      key,
      input_tokens: answer.inputTokens,
      output_tokens: answer.outputTokens,
      first_word_ms: Math.round(answer.firstWordMs),
      total_ms: Math.round(answer.totalMs),
      ...more,
    },
  }
}
