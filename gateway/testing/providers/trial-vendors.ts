import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import type { Manifest } from '@switchroom/kit/manifest'
import { startWireFake, type WireFake } from '@switchroom/kit/testing/wire-fake'
import { startDeployment, type Deployment } from '../deployment.ts'
import { VendorFolder } from './vendor-packages.ts'
import { changeRow } from './vendors.ts'

const requests = pathToFileURL(join(import.meta.dirname, '../../../vendors/kit/src/requests.ts')).href

/** Says, hears, thinks and converses in one request each, to the address its row names, on the key it is given. */
const adapter = `
import { ask, jsonOf } from '${requests}'
const asked = async ({ class: built, keywords, credentials }, what, body, signal) =>
  jsonOf(await ask(keywords.base_url + '/' + what, {
    body: JSON.stringify({ built, keywords, ...body }),
    headers: { authorization: 'Bearer ' + credentials.api_key },
    signal,
  }))
export default {
  voice: (setting) => ({
    sampleRate: 16000,
    async *speak(text, signal) {
      await asked(setting, 'tts', { text }, signal)
      yield { type: 'audio', pcm: new Uint8Array(3200) }
    },
  }),
  transcriber: (setting) => ({
    ...(setting.class !== 'Whole' && {
      async *listen(audio, sampleRate, signal) {
        let bytes = 0
        let loudest = 0
        for await (const piece of audio) {
          bytes += piece.length
          loudest = Math.max(loudest, ...piece)
        }
        await asked(setting, 'stt', { bytes, loudest, sampleRate }, signal)
        yield { type: 'ready' }
      },
    }),
  }),
  model: (setting) => ({
    async *think({ messages }, signal) {
      await asked(setting, 'llm', { messages }, signal)
      yield { type: 'text', text: 'Yes' }
    },
  }),
  realtime: (setting) => ({
    sampleRate: 24000,
    async *converse(asks, signal) {
      yield { type: 'ready' }
      for await (const { type, reply, instructions } of asks) {
        await asked(setting, 'realtime', { type, instructions }, signal)
        if (keepsSilent(setting)) yield { type: 'replied', reply, failure: 'no sound today', usage: {} }
        else yield { type: 'audio', reply, item: 'item', pcm: new Uint8Array(480) }
      }
    },
  }),
}
const keepsSilent = ({ keywords }) => keywords.model === 'live-silent'
`

type Class = { takes: string[]; knobs: Record<string, string>; streams: boolean; realtime?: boolean }

/** A vendor that does all three; what differs is said. */
function vendor(
  name: string,
  transcriber: Class,
  more: { voice?: Class; temperature?: [number, number] } = {},
): Manifest {
  const voice = more.voice ?? {
    takes: ['model', 'voice', 'language', 'pitch', 'base_url'],
    knobs: { tts_model: 'model', voice: 'voice', language: 'language' },
    streams: true,
  }
  const model: Class = {
    takes: ['model', 'temperature', 'top_p', 'seed', 'base_url'],
    knobs: { llm: 'model', temperature: 'temperature' },
    streams: true,
  }
  return {
    name,
    does: ['llm', 'stt', 'tts'],
    credentials: { fields: ['api_key'], key: 'api_key' },
    stages: {
      tts: { default: 'TTS', model: `${name}-voice`, classes: { TTS: voice, 'deep.Voice': voice } },
      stt: {
        default: 'STT',
        model: `${name}-ears`,
        ends_turn: name === 'alpha',
        classes: { STT: transcriber, Whole: { ...transcriber, streams: false } },
      },
      llm: {
        default: 'LLM',
        model: `${name}-model`,
        by_model: { live: 'Live' },
        ...(more.temperature && { temperature: more.temperature }),
        classes: { LLM: model, 'extra.LLM': model, Live: { ...model, realtime: true } },
      },
    },
  }
}

const transcriberTaking = (...thresholds: string[]): Class => ({
  takes: ['model', 'language', 'words', 'tier', 'base_url', ...thresholds],
  knobs: {
    stt: 'model',
    language: 'language',
    heard: 'words',
    ...Object.fromEntries(thresholds.map((name) => [name, name])),
  },
  streams: true,
})

const rate = (
  service: 'llm' | 'stt' | 'tts',
  provider: string,
  model: string,
  managed: boolean,
  tier = 'basic',
) => ({
  service,
  provider,
  model,
  managed,
  tier,
  unit: { llm: 'token', stt: 'minute', tts: 'character' }[service],
  credits: 1,
})

export const platformKey = 'platform-mark-0123456789'

export interface TrialDeployment {
  deployment: Deployment
  fake: WireFake
  /** The stages that were asked for since the last look, in order. */
  asked: () => string[]
}

/**
 * A deployment with three made-up vendors behind one wire fake: `alpha` is lent, takes both thresholds and can
 * end a turn; `beta` is lent, takes one threshold and cannot; `gamma` runs on an org's own key alone, and its
 * voice takes no voice.
 */
export async function startTrialDeployment(
  settings: Record<string, string> = {},
): Promise<TrialDeployment & AsyncDisposable> {
  const fake = await startWireFake({
    refusal: (words) => ({ error: words }),
    http: (_request, answer) => answer.json({}),
  })
  const folder = new VendorFolder()
  const names = ['alpha', 'beta', 'gamma'] as const
  folder.add(
    vendor('alpha', transcriberTaking('eot_threshold', 'eager_eot_threshold'), { temperature: [0, 2] }),
    adapter,
  )
  folder.add(vendor('beta', transcriberTaking('eot_threshold'), { temperature: [0, 1] }), adapter)
  folder.add(
    vendor('gamma', transcriberTaking(), {
      voice: { takes: ['model', 'base_url'], knobs: { tts_model: 'model' }, streams: true },
    }),
    adapter,
  )
  const rates = names.flatMap((name) => {
    const managed = name !== 'gamma'
    return [
      rate('llm', name, `${name}-model`, managed),
      rate('llm', name, `${name}-large`, managed, 'premium'),
      rate('llm', name, 'live-1', managed),
      rate('stt', name, `${name}-ears`, managed),
      rate('tts', name, `${name}-voice`, managed),
    ]
  })
  const deployment = await startDeployment({
    SVC_VENDOR_FOLDERS: folder.path,
    SVC_RATES: folder.write('rates.json', rates),
    SVC_TRIAL_TIMEOUT_S: '2',
    ...Object.fromEntries(names.map((name) => [`SVC_PROVIDER_KEY_${name.toUpperCase()}`, platformKey])),
    ...settings,
  })
  await changeRow(deployment, (row) => {
    row.defaults = { llm: 'alpha/alpha-model', stt: 'alpha/alpha-ears', tts: 'alpha' }
    row.fallbacks = { llm: ['beta/beta-model'], stt: ['beta/beta-ears'], tts: ['beta'] }
    row.can_end_turn = ['alpha']
    row.end_of_turn = { alpha: 'stt' }
    row.judge = 'beta/beta-model'
    for (const name of names)
      for (const stage of ['llm', 'stt', 'tts']) row.options[`${stage}/${name}`] = { base_url: fake.url }
    row.lines = { en: 'An English line.', es: 'Una frase.' }
  })
  return {
    deployment,
    fake,
    asked: () => fake.seen.splice(0).map(({ url }) => url.pathname.slice(1)),
    async [Symbol.asyncDispose]() {
      await deployment[Symbol.asyncDispose]()
      await fake.stop()
      folder[Symbol.dispose]()
    },
  }
}
