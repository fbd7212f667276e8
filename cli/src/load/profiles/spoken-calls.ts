import { SipRefused } from '@switchroom/media/sip/server'
import { Agent } from '@switchroom/sdk/agent'
import { reasonOf } from '../../terminal/failures.ts'
import { eraseAfterwards } from '../deployment/contacts.ts'
import { holdAgent } from '../deployment/load-app.ts'
import { agentPrefix, type LoadOrg } from '../deployment/load-org.ts'
import { CallerPhone } from '../sip/caller-phone.ts'
import { callingExtension, mostPhones, type LoadTrunk } from '../sip/load-trunk.ts'
import { refuseWithoutPlaces } from '../sip/worker-places.ts'
import { LoadRefused } from '../load-refused.ts'
import type { Due, Place, Profile, Recorder } from './profile.ts'
import { within } from './waiting.ts'

const series = 'calls'
const setup = 'calls.setup'
const agentName = `${agentPrefix}calls`
const agentExtension = '201'
const answerWithinMs = 15_000
const quietWithinMs = 60_000
const turnsOfCall = 5

/** Speech and model that ship with the product, which cost nothing, or those that the deployment's calls use. */
export type VendorChoice = 'local' | 'deployment'

const localSettings = {
  llm: 'local/demonstration',
  voice: { tts: 'local' },
  stt: 'local',
  language: 'en',
} as const

export interface SpokenWanted {
  org: LoadOrg
  recorder: Recorder
  places: number
  trunk: LoadTrunk
  /** Where the deployment takes calls, as host or host:port. */
  sipAddress: string
  speech: Int16Array
  vendors: VendorChoice
}

/** Phones call an agent over SIP, ask the same thing again and again, and hear its answers. */
export async function spokenCallsProfile(wanted: SpokenWanted): Promise<Profile> {
  const { org, places, trunk, vendors } = wanted
  if (places > mostPhones)
    throw new LoadRefused(`the generator has ${mostPhones} phones that can call: use less than that at once`)
  await refuseWithoutPlaces(org, places)
  eraseAfterwards(
    org,
    Array.from({ length: places }, (_, at) => callingExtension(at)),
  )
  await holdAgent(
    org,
    new Agent({
      name: agentName,
      prompt: 'You tell the time, in one short sentence.',
      settings: vendors === 'local' ? localSettings : { language: 'en' },
    }),
  )
  await trunk.route(org, agentExtension, agentName)
  return {
    name: 'calls',
    waitsForAgent: true,
    series: [
      {
        name: series,
        title: "from the end of the caller's words to the first sound of the answer",
        usualTargets: ['p95=2s', 'failures=1%'],
      },
      { name: setup, title: 'from INVITE to the answer of the call', usualTargets: [] },
    ],
    place: (at) => new Caller(wanted, callingExtension(at)),
  }
}

class Caller implements Place {
  readonly #wanted: SpokenWanted
  readonly #extension: string
  #phone: CallerPhone | undefined
  #turns = 0

  constructor(wanted: SpokenWanted, extension: string) {
    this.#wanted = wanted
    this.#extension = extension
  }

  async perform({ atMs }: Due, signal: AbortSignal): Promise<void> {
    const { recorder, speech } = this.#wanted
    if (this.#turns >= turnsOfCall || this.#phone?.isOver) await this.leave()
    const phone = this.#phone ?? (await this.#call(atMs, signal))
    if (!phone) return
    this.#turns += 1
    const turn = async () => {
      await phone.untilQuiet(quietWithinMs) // a caller lets the agent finish
      return phone.ask(speech, answerWithinMs)
    }
    const tookMs = await within(turn(), quietWithinMs + 2 * answerWithinMs, signal)
    if (signal.aborted) return
    const nowMs = recorder.nowMs
    if (tookMs !== undefined) return recorder.done(series, nowMs - tookMs, nowMs)
    const [kind, sentence] = phone.isOver
      ? ['ended', 'the deployment ended the call before it answered']
      : ['no answer', `the agent was not heard within ${answerWithinMs / 1_000} s of the caller's last word`]
    recorder.failed(series, atMs, kind, sentence)
    await this.leave()
  }

  async leave(): Promise<void> {
    const phone = this.#phone
    this.#phone = undefined
    this.#turns = 0
    await phone?.hangUp().catch(() => {}) // the other side was faster
  }

  async #call(dueMs: number, signal: AbortSignal): Promise<CallerPhone | undefined> {
    const { recorder, trunk, sipAddress } = this.#wanted
    const begunMs = recorder.nowMs
    const { username, password } = trunk.pair
    try {
      this.#phone = await CallerPhone.call(trunk.sip, {
        to: agentExtension,
        from: this.#extension,
        trunk: { hostname: sipAddress, auth_username: username, auth_password: password },
        signal,
      })
      recorder.done(setup, begunMs)
      return this.#phone
    } catch (error) {
      if (signal.aborted) return undefined
      const status = error instanceof SipRefused ? `SIP ${error.status}` : 'not called'
      const sentence = `the call was not answered: ${reasonOf(error)}`
      recorder.failed(setup, begunMs, status, sentence)
      recorder.failed(series, dueMs, status, sentence)
      return undefined
    }
  }
}
