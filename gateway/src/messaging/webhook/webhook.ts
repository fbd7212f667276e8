import type { WebhookHandshake, WebhookTaken } from '@switchroom/contract/messaging'
import type { Logger } from 'pino'
import { forbidden, Refusal, unavailable } from '../../foundation/refusals.ts'
import { isSameSecret } from '../../foundation/secrets.ts'
import type { Settings } from '../../foundation/settings.ts'
import { readDelivery, type DeliveredMessage } from './deliveries.ts'
import type { Outcome, MessageReceiver } from './message-receiver.ts'
import { isSignedBy, signatureIn } from './signature.ts'

type Credentials = { appSecret: string; verifyToken: string }

/** Takes what contacts write from the messaging platform: any caller may post, and the signature decides. */
export class Webhook {
  readonly #settings: Settings['messaging']
  readonly #receiver: MessageReceiver
  readonly #logger: Logger

  constructor(settings: Settings['messaging'], receiver: MessageReceiver, logger: Logger) {
    this.#settings = settings
    this.#receiver = receiver
    this.#logger = logger
  }

  /** Before anything else is looked at. */
  refuseClosed(): Credentials {
    const { appSecret, verifyToken } = this.#settings
    if (appSecret === undefined || verifyToken === undefined)
      throw unavailable(
        'this deployment has no messaging credentials: set SVC_MSGAPP_APP_SECRET and SVC_MSGAPP_VERIFY_TOKEN',
      )
    return { appSecret, verifyToken }
  }

  /** Answers the challenge. */
  handshake({ 'hub.mode': mode, 'hub.verify_token': word, 'hub.challenge': challenge }: WebhookHandshake) {
    const { verifyToken } = this.refuseClosed()
    const isWhole = mode === 'subscribe' && typeof word === 'string' && typeof challenge === 'string'
    if (!isWhole || !isSameSecret(word, verifyToken))
      throw forbidden(
        'a handshake is hub.mode=subscribe, hub.verify_token with the right word and hub.challenge',
      )
    return challenge
  }

  /** Refuses a delivery without a signature, before any of the body is read. */
  signature(header: string | readonly string[] | undefined): Buffer {
    const signature = signatureIn(header)
    if (!signature) throw notSigned()
    return signature
  }

  async take(bytes: Buffer, header: string | readonly string[] | undefined): Promise<WebhookTaken> {
    const { appSecret } = this.refuseClosed()
    if (!isSignedBy(appSecret, bytes, this.signature(header))) throw notSigned()
    const { messages, receipts, rest } = readDelivery(bytes)
    if (rest.length > 0) this.#logger.info({ rest }, 'a delivery held what is not read')
    const outcomes = await this.#readAll(messages)
    for (const receipt of receipts) await this.#receiver.receipt(receipt)
    if (outcomes.includes('failed')) throw new Refusal(500, 'a message could not be read: deliver it again')
    if (outcomes.includes('elsewhere'))
      throw unavailable('another delivery of a message is being read: deliver it again')
    return { received: outcomes.filter((one) => one === 'received').length }
  }

  async #readAll(messages: readonly DeliveredMessage[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const message of messages) outcomes.push(await this.#receiver.read(message))
    return outcomes
  }
}

const notSigned = () => forbidden('X-Hub-Signature-256 does not sign these bytes')
