import assert from 'node:assert/strict'
import type {
  AskGrant,
  AskStreams,
  Entered,
  Grant,
  Granted,
  Settle,
  SpeechVoice,
  StreamsJudged,
  VoiceDoing,
} from '@switchroom/contract/voice-server'
import type { Manifest } from '@switchroom/kit/manifest'
import type { Stage } from '@switchroom/contract/stages'
import type { Answer } from '../client.ts'
import { fleetKey, type Deployment, type TestOrg } from '../deployment.ts'

type Asked = Partial<AskGrant> & Pick<AskGrant, 'doing'>

/** Asks a gateway as a voice server does. */
export class VoiceServer {
  readonly client
  readonly #deployment: Deployment

  constructor(deployment: Deployment) {
    this.#deployment = deployment
    this.client = deployment.anonymous.as(fleetKey)
  }

  enter = (doing: VoiceDoing, key: string | null) => this.#post<Entered>('/v1/voice/entries', { doing, key })

  ask = (asked: Asked) => this.#post<Granted>('/v1/voice/grants', { model: null, language: null, ...asked })

  grant = async (asked: Asked): Promise<Grant> => {
    const { grant, refusal } = await this.ask(asked)
    assert.ok(grant, JSON.stringify(refusal))
    return grant
  }

  settle = async (id: string, settled: Settle) =>
    this.#post<object>(`/v1/voice/grants/${id}/settlement`, settled)

  judge = async (streams: AskStreams['streams']) =>
    (await this.#post<StreamsJudged>('/v1/voice/streams', { streams })).refused

  async voices(org: TestOrg, query: Record<string, string> = {}): Promise<SpeechVoice[]> {
    const search = new URLSearchParams({ org: org.id, ...query })
    return answered(await this.client.get(`/v1/voice/voices?${search.toString()}`)).voices
  }

  credits = async (org: TestOrg): Promise<number> => {
    return (await this.#deployment.operator.get(`/v1/ops/orgs/${org.id}/account`)).body.credits
  }

  async account(org: TestOrg, change: object) {
    const path = `/v1/ops/orgs/${org.id}/account`
    const { body } = await this.#deployment.operator.get(path)
    answered(await this.#deployment.operator.put(path, { ...body, ...change }))
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the contract says what each path answers
  async #post<Body>(path: string, body: object): Promise<Body> {
    return answered(await this.client.post(path, body))
  }
}

function answered(answer: Answer): Answer['body'] {
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** A vendor that speaks and listens as far as a grant goes: nothing of it is run. */
export function speechManifest(name: string, stages: Partial<Manifest['stages']> = {}): Manifest {
  const voice = { voice: 'voice', tts_model: 'model', language: 'language', speed: 'speed' }
  const transcriber = { stt: 'model', language: 'language', diarize: 'diarize' }
  const classOf = (knobs: Record<string, string>) => ({
    takes: [...Object.values(knobs), 'base_url'],
    knobs,
    streams: true,
  })
  const all: Manifest['stages'] = {
    tts: { default: 'TTS', model: `${name}-tts-1`, classes: { TTS: classOf(voice) } },
    stt: { default: 'STT', model: `${name}-stt-1`, batch: true, classes: { STT: classOf(transcriber) } },
  }
  return {
    name,
    does: ['stt', 'tts'] satisfies Stage[],
    credentials: { fields: ['api_key'], key: 'api_key' },
    stages: {
      tts: { ...all.tts, ...stages.tts } as Manifest['stages']['tts'] & {},
      stt: { ...all.stt, ...stages.stt } as Manifest['stages']['stt'] & {},
    },
  }
}

export const voiceEntry = (id: string, name: string, language: string | null = null) => ({
  id,
  name,
  language,
  description: null,
  gender: null,
  country: null,
  accent: null,
})

/** Asks the address its row names, with the key it was given. */
export const listingAdapter = `
export default {
  voice() {},
  transcriber() {},
  async voices({ keywords, credentials }, signal) {
    const headers = { authorization: 'Bearer ' + credentials.api_key }
    const answer = await fetch(keywords.base_url, { headers, signal })
    if (!answer.ok) throw new Error((await answer.json()).message)
    return answer.json()
  },
}
`
