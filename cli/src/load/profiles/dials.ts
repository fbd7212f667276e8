import { setTimeout as sleep } from 'node:timers/promises'
import type { DialledCall } from '@switchroom/contract/placing'
import { RtpLeg } from '@switchroom/media/rtp/rtp-leg'
import type { IncomingInvite, SipDialog } from '@switchroom/media/sip/server'
import { Agent } from '@switchroom/sdk/agent'
import { path } from '../../gateway/gateway-client.ts'
import { reasonOf } from '../../terminal/failures.ts'
import { eraseAfterwards } from '../deployment/contacts.ts'
import { holdAgent } from '../deployment/load-app.ts'
import { agentPrefix, type LoadOrg } from '../deployment/load-org.ts'
import { dialledExtension, mostPhones, trunkAccount, type LoadTrunk } from '../sip/load-trunk.ts'
import { refuseWithoutPlaces } from '../sip/worker-places.ts'
import { LoadRefused } from '../load-refused.ts'
import type { Due, Place, Profile, Recorder } from './profile.ts'
import { within } from './waiting.ts'

const series = 'dials'
const taken = 'dials.taken'
const agentName = `${agentPrefix}dials`
const ringsWithinMs = 30_000
const endsWithinMs = 5_000
/** A phone that is answered listens for so long, and hangs up. */
const listensMs = 1_000

/** An agent dials phones of the generator, which answer, listen for a second and hang up. */
export async function dialsProfile(
  org: LoadOrg,
  recorder: Recorder,
  places: number,
  trunk: LoadTrunk,
): Promise<Profile> {
  if (places > mostPhones)
    throw new LoadRefused(
      `the generator has ${mostPhones} phones that can be dialled: use less than that at once`,
    )
  await refuseWithoutPlaces(org, places)
  eraseAfterwards(
    org,
    Array.from({ length: places }, (_, at) => `${dialledExtension(at)}@${trunkAccount}`),
  )
  await holdAgent(
    org,
    new Agent({
      name: agentName,
      prompt: 'You listen.',
      settings: { llm: 'local/demonstration', voice: { tts: 'local' }, stt: 'local', language: 'en' },
    }),
  )
  await trunk.route(org, '202', agentName)
  return {
    name: 'dials',
    series: [
      {
        name: series,
        title: 'from a dial to the ring of the phone',
        usualTargets: ['p95=2s', 'failures=1%'],
      },
      { name: taken, title: 'from a dial to its answer 202', usualTargets: [] },
    ],
    place: (at) => new DialledPhone(org, recorder, trunk, dialledExtension(at)),
  }
}

class DialledPhone implements Place {
  readonly #org: LoadOrg
  readonly #recorder: Recorder
  readonly #trunk: LoadTrunk
  readonly #extension: string

  constructor(org: LoadOrg, recorder: Recorder, trunk: LoadTrunk, extension: string) {
    this.#org = org
    this.#recorder = recorder
    this.#trunk = trunk
    this.#extension = extension
  }

  async perform({ atMs }: Due, signal: AbortSignal): Promise<void> {
    const rang = Promise.withResolvers<{ invite: IncomingInvite; rangMs: number }>()
    this.#trunk.rings.set(this.#extension, (invite) => rang.resolve({ invite, rangMs: this.#recorder.nowMs }))
    try {
      const call = await this.#dial(atMs)
      if (call === undefined) return
      const rung = await within(rang.promise, ringsWithinMs, signal)
      if (signal.aborted) return rung?.invite.reject(486)
      if (!rung)
        return this.#recorder.failed(
          series,
          atMs,
          'did not ring',
          `no phone rang within ${ringsWithinMs / 1_000} s: ${await this.#whyNot(call)}`,
        )
      this.#recorder.done(series, atMs, rung.rangMs)
      await this.#listen(rung.invite, signal)
    } finally {
      this.#trunk.rings.delete(this.#extension)
    }
  }

  async leave(): Promise<void> {}

  async #dial(dueMs: number): Promise<string | undefined> {
    try {
      const { call } = await this.#org.client.post<DialledCall>(path`/v1/agents/${agentName}/dial`, {
        extension: this.#extension,
        account: trunkAccount,
      })
      this.#recorder.done(taken, dueMs)
      return call
    } catch (error) {
      this.#recorder.failed(series, dueMs, 'refused', `the dial was refused: ${reasonOf(error)}`)
      return undefined
    }
  }

  /** Answers, listens and hangs up; the call is over when the deployment knows it. */
  async #listen(invite: IncomingInvite, signal: AbortSignal): Promise<void> {
    try {
      invite.ring()
      const dialog: SipDialog = await invite.accept()
      await RtpLeg.open(dialog.terms, {
        hangUp: () => dialog.bye(),
        transfer: () => Promise.reject(new Error('this phone is not transferred')),
        ended: dialog.ended,
      })
      await sleep(listensMs, undefined, { signal }).catch(() => {})
      await dialog.bye()
      await within(dialog.ended, endsWithinMs, signal)
    } catch {
      // The deployment gave up meanwhile; that it rang is what was measured.
    }
  }

  async #whyNot(call: string): Promise<string> {
    const { entries } = await this.#org.client
      .get<{ entries: { type: string; data: { why?: string; reason?: string } }[] }>(
        path`/v1/calls/${call}/events`,
        { limit: 100 },
      )
      .catch(() => ({ entries: [] }))
    const ended = entries.find(({ type }) => type === 'call.ended')?.data
    return ended?.why ?? ended?.reason ?? 'the call has not ended'
  }
}
