import assert from 'node:assert/strict'
import type { ProviderRow } from '@switchroom/contract/providers'
import { WireFake, type HttpAnswer, type Seen } from '@switchroom/kit/testing/wire-fake'
import type { Deployment } from '../deployment.ts'

/** Changes the platform's providers row as its operator would. */
export async function changeRow({ operator }: Deployment, change: (row: ProviderRow) => void) {
  const { body: row } = await operator.get('/v1/ops/providers')
  change(row)
  const answer = await operator.put('/v1/ops/providers', row)
  assert.equal(answer.status, 200, answer.text)
}

/** OpenAI's voice at this address, by the model that speaks over HTTP and not over the Realtime API. */
export function speakOverHttp(row: ProviderRow, url: string) {
  row.models['tts/openai'] = ['gpt-4o-mini-tts']
  row.options['tts/openai'] = { base_url: url }
}

/** A vendor's speech endpoint in the shape that several share: one POST, raw samples back. */
export async function startSpeechFake(
  say: (request: Seen, answer: HttpAnswer) => Promise<void> = sayThreePieces,
): Promise<WireFake> {
  const wire = { refusal: (words: string) => ({ error: { message: words } }), http: say }
  return new WireFake(wire).start()
}

async function sayThreePieces(_request: Seen, answer: HttpAnswer) {
  answer.start({ 'content-type': 'audio/pcm' })
  for (const level of [1, 2, 3]) await answer.piece(Buffer.alloc(4_800, level))
  answer.end()
}
