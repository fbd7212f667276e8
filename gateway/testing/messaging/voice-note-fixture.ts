import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Manifest } from '@switchroom/kit/manifest'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { makeCertificates } from '../certificates.ts'
import { MessagingFake, type MessagingNumberFake } from './messaging-fake.ts'
import { newLine } from '../telephony/number-fixture.ts'
import { VendorFolder } from '../providers/vendor-packages.ts'
import { changeRow } from '../providers/vendors.ts'
import { until } from '../until.ts'
import { newMessageId, WebhookFixture, type WebhookLine } from './webhook-fixture.ts'

// Vendors of speech-to-text that answer what their wire says, each in one request.
const requests = pathToFileURL(join(import.meta.dirname, '../../../vendors/kit/src/requests.ts')).href
const adapter = `
import { ask, jsonOf } from '${requests}'
export default {
  transcriber: ({ class: built, keywords, credentials }) => ({
    ...(built !== 'Live' && {
      async transcribe({ bytes, mediaType }, signal) {
        const heard = await jsonOf(await ask(keywords.base_url + '/' + keywords.model, {
          body: JSON.stringify({ said: Buffer.from(bytes).toString(), mediaType, language: keywords.language, bytes: bytes.length }),
          headers: { authorization: 'Bearer ' + credentials.api_key },
          signal,
        }))
        return { language: null, duration: null, words: [], segments: [], ...heard }
      },
    }),
  }),
}
`
const transcriberNamed = (name: string, formats: string[]): Manifest => {
  const built = {
    takes: ['model', 'language', 'base_url'],
    knobs: { stt: 'model', language: 'language' },
    streams: true,
  }
  return {
    name,
    does: ['stt'],
    credentials: { fields: ['api_key'], key: 'api_key' },
    stages: {
      stt: {
        default: 'STT',
        model: `${name}-ears`,
        classes: { STT: built, Live: built },
        by_model: { live: 'Live' },
        formats,
      },
    },
  }
}

const certificates = await makeCertificates()
export const platform = await MessagingFake.start(await certificates.serverFor('127.0.0.1'))
export const asked: { model: string; authorization: string; body: Record<string, unknown> }[] = []
/** What speech-to-text answers; a test may change it. */
export const speechToText = {
  hears: async (said: string): Promise<object> => ({ text: ` ${said} `, duration: 30 }),
}
export const wire = await startWireFake({
  refusal: (words) => ({ error: words }),
  http: async ({ url, headers, body }, answer) => {
    const sent = JSON.parse(body.toString()) as { said: string }
    asked.push({
      model: url.pathname.slice(1),
      authorization: String(headers.authorization),
      body: { ...sent },
    })
    await answer.json(await speechToText.hears(sent.said))
  },
})
const folder = new VendorFolder()
  .add(transcriberNamed('keen', ['ogg', 'mp3']), adapter)
  .add(transcriberNamed('spare', ['ogg', 'aac']), adapter)
  .add(transcriberNamed('plain', ['wav']), adapter)
const rates = ['keen', 'spare', 'plain'].map((provider) => ({
  service: 'stt',
  provider,
  model: `${provider}-ears`,
  managed: true,
  tier: 'basic',
  unit: 'minute',
  credits: 4,
}))
export const settings = {
  ...platform.settings,
  SVC_MSGAPP_ACCESS_TOKEN: platform.platformToken,
  SVC_VENDOR_FOLDERS: folder.path,
  SVC_RATES: folder.write('rates.json', rates),
  SVC_PROVIDER_KEY_KEEN: 'key-of-keen-0123456789',
  SVC_PROVIDER_KEY_SPARE: 'key-of-spare-0123456789',
  SVC_PRIVATE_HOSTS: '127.0.0.1',
  SVC_CA_FILE: certificates.caFile,
}
export const fixture = await WebhookFixture.start(settings)
/** Once the file's tests are over. */
after(async () => {
  await fixture[Symbol.asyncDispose]()
  await platform.stop()
  await wire.stop()
  folder[Symbol.dispose]()
  await certificates[Symbol.asyncDispose]()
})
export const { receiver, deployment } = fixture
await changeRow(deployment, (row) => {
  row.defaults.stt = 'keen/keen-ears'
  row.fallbacks.stt = ['spare/spare-ears']
  for (const name of ['keen', 'spare', 'plain']) row.options[`stt/${name}`] = { base_url: wire.url }
})

/** Speech-to-text that answers nothing until it is released, at the latest when the test ends. */
export function slowSpeechToText() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const usual = speechToText.hears
  speechToText.hears = async (said) => {
    await promise
    return usual(said)
  }
  const release = () => {
    speechToText.hears = usual
    resolve()
  }
  return { release, [Symbol.dispose]: release }
}

/** A number at the platform that an org was given by the operator. */
export async function newNoteLine(): Promise<WebhookLine & MessagingNumberFake> {
  const number = newLine()
  const line = { ...platform.addNumber(number), number, org: await deployment.newOrg(), agent: 'desk' }
  await fixture.route(line)
  return line
}

export const noteOf = (said: string | Buffer, mime = 'audio/ogg; codecs=opus', more: object = {}) => ({
  from: '34911234567',
  id: newMessageId(),
  timestamp: String(Math.floor(Date.now() / 1000)),
  type: 'audio',
  audio: { id: platform.addMedia(Buffer.from(said), mime), mime_type: mime, voice: true },
  ...more,
})

export const creditsOf = async ({ org }: WebhookLine) =>
  (await deployment.operator.get(`/v1/ops/orgs/${org.slug}/account`)).body.credits as number

/** A voice note that the webhook has accepted. */
export async function accepted(
  line: WebhookLine,
  note: ReturnType<typeof noteOf>,
  at: WebhookFixture = fixture,
): Promise<ReturnType<typeof noteOf>> {
  const { status, body } = await at.deliver(line, { messages: [note] })
  assert.deepEqual([status, body], [200, { received: 1 }])
  return note
}

/** What was heard in it, once it is handed on. */
export const heard = ({ id }: { id: string }, at: WebhookFixture = fixture) =>
  until('the voice note is heard', () => at.receiver.received.find(({ messageId }) => messageId === id))

/** What the app is shown of one in which nothing is said. */
export const shown = ({ id }: { id: string }) =>
  until('it is shown', () => receiver.shown.find(({ messageId }) => messageId === id))

/** How often it failed, once that is so often. */
export const failed = ({ id }: { id: string }, times = 1) =>
  until('it fails', async () => {
    const { rows } = await deployment.sql(
      'select attempts from untranscribed_messages where message_id = $1 and attempts >= $2',
      [id, times],
    )
    return rows.length > 0
  })

/** Without the pause before the next attempt. */
export const retryNow = () => deployment.sql('update untranscribed_messages set retry_at = null')

/** It is not tried any more. */
export const forget = ({ id }: { id: string }) =>
  deployment.sql('delete from untranscribed_messages where message_id = $1', [id])
