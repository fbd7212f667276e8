import assert from 'node:assert/strict'
import { until } from '@switchroom/gateway/testing/until'
import type { Fleet } from './fleet.ts'
import type { Reader } from './fleet-logs.ts'

interface KeptEntry {
  log: string
  seq: number
  type: string
  text: string | null
}

/** A call without a worker ends 30 seconds after its last sign of life, one that rings a minute later; and a slow machine. */
const endsWithinMs = 150_000
const openCalls = `
  select id, channel, direction, opened_at from calls where ended_at is null and channel <> 'msgapp'`

/** The logs of all calls, once every call has ended: each without a gap, with one end at its end. */
export class KeptLogs {
  readonly #logs: Map<string, KeptEntry[]>

  private constructor(logs: Map<string, KeptEntry[]>) {
    this.#logs = logs
  }

  static async read(fleet: Fleet): Promise<KeptLogs> {
    const open = () => fleet.rows(openCalls)
    await until('every call has ended', async () => (await open()).length === 0, endsWithinMs).catch(
      async (error: Error) => assert.fail(`${error.message}: ${JSON.stringify(await open())}`),
    )
    const entries = await fleet.rows<KeptEntry>(
      `select log, seq, type, entry::json -> 'data' ->> 'text' as text from entries
       where log in (select id from calls) order by log, seq`,
    )
    const kept = new KeptLogs(Map.groupBy(entries, ({ log }) => log))
    kept.#assertWhole()
    return kept
  }

  textsOf(call: string) {
    return (wanted: string): string[] =>
      (this.#logs.get(call) ?? []).flatMap(({ type, text }) =>
        type === wanted && text !== null ? [text] : [],
      )
  }

  /** Each had every entry, once and in order. */
  async assertRead(readers: Iterable<readonly [call: string, reader: Reader]>) {
    for (const [call, reader] of readers) await reader.assertGapless(this.#logs.get(call)?.length ?? 0)
  }

  #assertWhole() {
    for (const [call, kept] of this.#logs) {
      assert.deepEqual(
        kept.map(({ seq }) => seq),
        kept.map((_, at) => at + 1),
        `the log of ${call}`,
      )
      const types = kept.map(({ type }) => type)
      for (const once of ['call.ended', 'callback.requested'])
        assert.ok(types.filter((type) => type === once).length <= 1, `${call} has ${types.join(' ')}`)
      if (types.includes('call.ended')) assert.equal(types.at(-1), 'call.ended', `the last entry of ${call}`)
    }
  }
}
