import type { Entry, NewEntry } from '@switchroom/contract/log'

export type Stage = 'llm' | 'stt' | 'tts'

/** Which vendors of a stage went down in this call and did not come back. */
export function vendorsDown(
  entries: readonly Pick<Entry, 'type' | 'data'>[],
  stage: Stage = 'llm',
): Set<string> {
  const down = new Set<string>()
  for (const { type, data } of entries) {
    if (type !== 'vendor.switched' || data['stage'] !== stage) continue
    if (data['state'] === 'down') down.add(String(data['vendor']))
    else down.delete(String(data['vendor']))
  }
  return down
}

/** The log entries when `serves` answered after the others failed; `down` is brought up to date. */
export function switches(
  down: Set<string>,
  failed: readonly string[],
  serves: string,
  stage: Stage = 'llm',
): NewEntry[] {
  const switched = (vendor: string, state: 'down' | 'back'): NewEntry => {
    return { type: 'vendor.switched', data: { stage, vendor, state, serves } }
  }
  // a vendor that failed and then answered after all has not gone away
  const gone = failed.filter((vendor) => vendor !== serves && !down.has(vendor))
  for (const vendor of gone) down.add(vendor)
  const isBack = down.delete(serves)
  return [...gone.map((vendor) => switched(vendor, 'down')), ...(isBack ? [switched(serves, 'back')] : [])]
}
