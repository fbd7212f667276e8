import assert from 'node:assert/strict'
import {
  startDeployment,
  fleetKey,
  type Deployment,
  type TestOrg,
} from '@switchroom/gateway/testing/deployment'
import { startSpeechServer, type SpeechServer } from './speech-server.ts'

/** What came back, whole. */
export interface VoiceAnswer {
  status: number
  headers: Headers
  bytes: Buffer
  // Tests read fields of answers whose shape they are there to prove.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

/** A client of the voice server, with a key. */
export class VoiceCaller {
  readonly url: string
  readonly key: string | undefined

  constructor(url: string, key?: string) {
    this.url = url
    this.key = key
  }

  /** The answer as its head arrives. */
  send(
    path: string,
    { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: RequestInit['headers'] } = {},
  ) {
    const bearer = this.key === undefined ? {} : { authorization: `Bearer ${this.key}` }
    return fetch(this.url + path, {
      ...init,
      headers: { ...bearer, ...Object.fromEntries(new Headers(headers)) },
    })
  }

  speak(body: unknown, init: RequestInit = {}) {
    return this.send('/v1/audio/speech', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...init,
    })
  }

  async speech(body: unknown): Promise<VoiceAnswer> {
    return wholeOf(await this.speak(body))
  }

  async get(path: string): Promise<VoiceAnswer> {
    return wholeOf(await this.send(path))
  }
}

export async function wholeOf(response: Response): Promise<VoiceAnswer> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const body = isJson ? JSON.parse(bytes.toString()) : undefined
  return { status: response.status, headers: response.headers, bytes, body }
}

/** Every refusal of the voice server: its status, its code and its whole sentence, and nothing else. */
export function refusedWith(answer: VoiceAnswer, status: number, code: string, error: string | RegExp) {
  assert.equal(answer.status, status, answer.bytes.toString())
  assert.deepEqual(Object.keys(answer.body).toSorted(), ['code', 'error'])
  assert.equal(answer.body.code, code)
  if (typeof error === 'string') assert.equal(answer.body.error, error)
  else assert.match(answer.body.error, error)
  assert.match(answer.headers.get('x-svc-request-id') ?? '', /^req_[0-9a-f]{24}$/)
}

export interface VoiceDeployment extends AsyncDisposable {
  deployment: Deployment
  speech: SpeechServer
  url: string
  anonymous: VoiceCaller
  /** A client of this org, or of a new one. */
  caller(org?: TestOrg): Promise<VoiceCaller>
  creditsOf(org: TestOrg): Promise<number>
}

/** A gateway with its database and a voice server before it, all on loopback. */
export async function startVoiceDeployment(wanted: Record<string, string> = {}): Promise<VoiceDeployment> {
  const deployment = await startDeployment(wanted)
  const speech = await startSpeechServer(deployment.url, fleetKey, wanted)
  const { url } = speech
  return {
    deployment,
    speech,
    url,
    anonymous: new VoiceCaller(url),
    async caller(org) {
      const { key } = await (org ?? (await deployment.newOrg())).serverToken('sandbox', { scopes: ['talk'] })
      return new VoiceCaller(url, key)
    },
    async creditsOf({ slug }) {
      return (await deployment.operator.get(`/v1/ops/orgs/${slug}/account`)).body.credits as number
    },
    async [Symbol.asyncDispose]() {
      await speech[Symbol.asyncDispose]()
      await deployment[Symbol.asyncDispose]()
    },
  }
}
