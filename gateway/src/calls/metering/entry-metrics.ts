import type { NewEntry } from '@switchroom/contract/log'
import { turnSteps } from '@switchroom/contract/metrics/call-metrics'
import type { Environment } from '@switchroom/contract/scopes'
import type { GatewayMeters } from '../../database/room.ts'
import { observeLookUp } from './look-up-metrics.ts'
import { observeLine, within } from './line-metrics.ts'

/** Longer than any turn or vendor may take: what is above is no latency. */
const longestMs = 600_000

/** Whose entries they are. */
interface MeteredCall {
  env: Environment
  isTest: boolean
}

/**
 * Counts what the entries say that this gateway has stored: one gateway stores each entry, so that the sum over all
 * gateways counts it once. Labels never name an org, agent or call.
 */
export class EntryMeter {
  readonly #meters: GatewayMeters

  constructor(meters: GatewayMeters) {
    this.#meters = meters
  }

  /** Facts of calls, from every writer; a test is no call. */
  stored({ env, isTest }: MeteredCall, entries: readonly NewEntry[]) {
    const meters = this.#meters
    meters.count('switchroom_log_entries_total', [], entries.length)
    if (isTest) return
    for (const { type, data } of entries)
      if (type === 'user.message') meters.count('switchroom_turns_total', [env, 'caller'])
      else if (type === 'agent.message') meters.count('switchroom_turns_total', [env, 'agent'])
      else if (type === 'bot.interrupted') meters.count('switchroom_interruptions_total', [env])
      else if (type === 'error') meters.count('switchroom_call_errors_total', [env, textOf(data['code'])])
      else if (type === 'call.ended')
        meters.count('switchroom_calls_ended_total', [env, textOf(data['reason'])])
  }

  /** Measurements by the platform's own gateways and workers: what an org's own worker says is its own affair. */
  measured(env: Environment, entries: readonly NewEntry[]) {
    for (const { type, data } of entries)
      if (type === 'metrics') this.#metrics(env, data)
      else if (type === 'knowledge.found') observeLookUp(this.#meters, env, data)
      else if (type === 'error') this.#vendorError(data)
      else if (type === 'vendor.switched') {
        const [stage, vendor, state] = [textOf(data['stage']), textOf(data['vendor']), textOf(data['state'])]
        this.#meters.count('switchroom_vendor_switches_total', [stage, vendor, state])
      }
  }

  /** From the moment that a write was to be made. */
  appended(ms: number) {
    this.#meters.observe('switchroom_log_append_seconds', ms / 1000)
  }

  #metrics(env: Environment, data: NewEntry['data']) {
    const { stage } = data
    if (stage === 'turn')
      for (const step of turnSteps)
        within(data[`${step}_ms`], 0, longestMs, (ms) =>
          this.#meters.observe('switchroom_turn_latency_seconds', ms / 1000, [env, step]),
        )
    else if (stage === 'line') observeLine(this.#meters, data)
    else if (stage === 'llm' || stage === 'tts')
      within(data[stage === 'llm' ? 'first_word_ms' : 'first_audio_ms'], 0, longestMs, (ms) =>
        this.#meters.observe('switchroom_vendor_latency_seconds', ms / 1000, [stage, textOf(data['vendor'])]),
      )
  }

  /** `llm_timeout`, `stt_failed` and the like begin with the stage. */
  #vendorError({ code, vendor }: NewEntry['data']) {
    const stage = /^(llm|stt|tts)_/.exec(textOf(code))?.[1]
    if (stage !== undefined && typeof vendor === 'string')
      this.#meters.count('switchroom_vendor_errors_total', [stage, vendor])
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
