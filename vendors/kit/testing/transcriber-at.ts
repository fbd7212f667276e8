import assert from 'node:assert/strict'
import { vendorIn, type StageChoice } from '../src/installed.ts'
import type { Transcriber, LiveAudio } from '../src/vendor.ts'
import type { WireFake } from './wire-fake.ts'

/** The transcriber of the vendor in this folder, on a wire of the test's own. */
export async function transcriberAt(
  folder: string,
  fake: WireFake,
  choice: Omit<StageChoice, 'credentials' | 'options'> = {},
): Promise<Required<Transcriber>> {
  const vendor = vendorIn(folder)
  assert.ok(vendor, `${folder} is no vendor`)
  const options = { base_url: fake.url }
  return (await vendor.transcriber({
    ...choice,
    options,
    credentials: { api_key: 'a-key' },
  })) as Required<Transcriber>
}

export async function* audioOf(...pieces: LiveAudio[]): AsyncIterable<LiveAudio> {
  yield* pieces
}
