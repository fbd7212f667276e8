import type { NewEntry } from '@switchroom/contract/log'
import type { Answer } from './ask-models.ts'

type Cost = Pick<
  Answer,
  'inputTokens' | 'outputTokens' | 'inputAudioTokens' | 'outputAudioTokens' | 'firstWordMs' | 'totalMs'
> & { run: Pick<Answer['run'], 'vendor' | 'model' | 'key'> }

/** The latency and usage of one generation; `keep` adds the price. */
export function metricsOf(answer: Cost, more: Readonly<Record<string, unknown>> = {}): NewEntry {
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
      ...(answer.inputAudioTokens !== undefined && { input_audio_tokens: answer.inputAudioTokens }),
      ...(answer.outputAudioTokens !== undefined && { output_audio_tokens: answer.outputAudioTokens }),
      first_word_ms: Math.round(answer.firstWordMs),
      total_ms: Math.round(answer.totalMs),
      ...more,
    },
  }
}
