import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { polite } from '@switchroom/kit/testing/realtime-conformance'
import { converse, Script, type Step } from '@switchroom/kit/testing/realtime-script'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import type { RealtimeTold } from '@switchroom/kit/vendor'
import { LiveVendor, type LiveBehaviour, type LiveConnection } from './live-vendor.ts'

export const folder = join(import.meta.dirname, '..')
export const model = 'gemini-3.8-live'

/** One conversation of the adapter with the fake. */
export class LiveTalk {
  readonly vendor: LiveVendor
  told: RealtimeTold[] = []

  constructor(behaviour: Partial<LiveBehaviour> = {}) {
    this.vendor = new LiveVendor({ ...polite, ...behaviour })
  }

  connection(nth = -1): LiveConnection {
    const connection = this.vendor.connections.at(nth)
    assert.ok(connection)
    return connection
  }

  async run(steps: readonly Step[], choice: object = {}): Promise<RealtimeTold[]> {
    const fake = await startWireFake(this.vendor.wire)
    after(() => fake.stop())
    const stage = {
      model,
      options: { base_url: fake.url },
      credentials: { api_key: 'key-of-ana' },
      ...choice,
    }
    const script = new Script(...steps)
    this.told = script.told
    return Array.fromAsync(converse(folder, script, stage, AbortSignal.timeout(15_000)))
  }

  /** Once something holds of the fake. */
  until(holds: () => boolean): Step {
    return {
      act: async () => {
        const patience = Date.now() + 10_000
        while (!holds() && Date.now() < patience) await sleep(5)
        assert.ok(holds(), String(holds))
      },
    }
  }

  /** Once the fake has another connection and saved its state. */
  reconnected(count = 2): Step {
    return this.until(
      () => this.vendor.connections.length >= count && this.connection().setup.model !== undefined,
    )
  }

  get errors(): string[] {
    return this.vendor.connections.flatMap(({ errors }) => errors)
  }
}
