import { createHmac, randomUUID } from 'node:crypto'
import { reasonOf } from '../../terminal/failures.ts'
import { path } from '../../gateway/gateway-client.ts'
import { contactNumber, contactsOf, eraseAfterwards } from '../deployment/contacts.ts'
import { agentPrefix, type LoadOrg } from '../deployment/load-org.ts'
import type { Due, Place, Profile, Recorder } from './profile.ts'

const series = 'webhooks'
const agentName = `${agentPrefix}webhooks`
/** Of no country, and unknown to the messaging platform. */
const number = '+99901009999'
const phoneNumberId = 'svc-load'
const takenWithinMs = 20_000

/**
 * Deliveries of the messaging channel. No app holds the agent, so that messages are taken and wait: a reply would go
 * to the real messaging platform.
 */
export async function webhooksProfile(
  org: LoadOrg,
  recorder: Recorder,
  places: number,
  appSecret: string,
): Promise<Profile> {
  const { operator, client, env, id, leftovers } = org
  eraseAfterwards(org, contactsOf(places))
  leftovers.add(`the number ${number}`, () => client.delete(path`/v1/numbers/${number}`))
  await operator.post('/v1/ops/numbers', { org: id, number, agent: agentName, env, channel: 'msgapp' })
  return {
    name: 'webhooks',
    series: [
      {
        name: series,
        title: 'from a delivery to its answer',
        usualTargets: ['p95=500ms', 'failures=0%'],
      },
    ],
    place: (at) => new Writer(`${client.url}/v1/msgapp/webhook`, recorder, contactNumber(at), appSecret),
  }
}

class Writer implements Place {
  readonly #url: string
  readonly #recorder: Recorder
  readonly #contact: string
  readonly #appSecret: string

  constructor(url: string, recorder: Recorder, contact: string, appSecret: string) {
    this.#url = url
    this.#recorder = recorder
    this.#contact = contact
    this.#appSecret = appSecret
  }

  async perform({ atMs }: Due, signal: AbortSignal): Promise<void> {
    const line = { phone_number_id: phoneNumberId, display_phone_number: number.slice(1) }
    const { body, headers } = signedText(line, this.#contact.slice(1), 'Where is my order?', this.#appSecret)
    try {
      const answer = await fetch(this.#url, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(takenWithinMs)]),
      })
      const text = await answer.text()
      if (answer.status === 200 && text === '{"received":1}') return this.#recorder.done(series, atMs)
      const [kind, sentence] =
        answer.status === 200
          ? ['not taken', `the delivery was answered 200 ${text}: the message was not taken`]
          : [`status ${answer.status}`, `the delivery was answered ${answer.status}: ${detailIn(text)}`]
      this.#recorder.failed(series, atMs, kind, sentence)
    } catch (error) {
      if (signal.aborted) return
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      const sentence = isLate
        ? `the delivery was not answered within ${takenWithinMs / 1_000} s`
        : `the gateway could not be reached: ${reasonOf(error)}`
      this.#recorder.failed(series, atMs, isLate ? 'no answer' : 'unreachable', sentence)
    }
  }

  async leave(): Promise<void> {}
}

/** A text of a contact as the platform delivers it, signed over the bytes that are sent. */
export function signedText(
  line: { phone_number_id: string; display_phone_number: string },
  from: string,
  text: string,
  appSecret: string,
): { body: string; headers: Record<string, string> } {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const message = { from, id: `wamid.${randomUUID()}`, timestamp, type: 'text', text: { body: text } }
  const metadata = { display_phone_number: line.display_phone_number, phone_number_id: line.phone_number_id }
  const value = { messaging_product: 'whatsapp', metadata, messages: [message] }
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: 'svc-load', changes: [{ field: 'messages', value }] }],
  })
  const signature = createHmac('sha256', appSecret).update(body).digest('hex')
  return {
    body,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
  }
}

function detailIn(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (typeof detail === 'string') return detail
  } catch {
    // the answer of a proxy
  }
  return text.slice(0, 200)
}
