import type { Answer, Client } from '../client.ts'
import { done } from '../agents/test-agents.ts'

/** What a browser offers, as far as anybody but a worker looks into it. */
export const offeredSdp = 'v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\n'
export const answeredSdp = 'v=0\r\no=- 2 2 IN IP4 0.0.0.0\r\n'

/** A page with a microphone that was handed a token, and the worker that may answer it. */
export class Browser {
  readonly call: string
  readonly token: string
  readonly #anonymous: Client

  constructor(anonymous: Client, { call, participant_token }: { call: string; participant_token: string }) {
    this.#anonymous = anonymous
    this.call = call
    this.token = participant_token
  }

  offer(sdp = offeredSdp, anonymous = this.#anonymous): Promise<Answer> {
    return anonymous.as(this.token).post('/v1/rtc', { sdp })
  }
}

/** What a worker takes from the long poll. */
export const takeOffer = async (fleet: Client, worker: string, wait_s = 10) =>
  done(await fleet.post('/v1/worker/placements', { worker, wait_s })).offer

export const answerOffer = (
  fleet: Client,
  call: string,
  worker: string,
  told: object = { sdp: answeredSdp },
) => fleet.post(`/v1/worker/offers/${call}`, { worker, ...told })
