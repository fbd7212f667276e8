import { isSameLanguage } from '@switchroom/kit/languages'
import { languageOfVoice, languagesOf } from '@switchroom/kit/manifest'
import type { BuiltClass } from './built-class.ts'
import type { Layers } from './layers.ts'

/** A longer list helps nobody to choose. */
const mostNamed = 12

type Built = Pick<BuiltClass, 'vendor' | 'model' | 'manifest'>

/** Why what is built for a stage cannot hear or speak the language; undefined if it can, or if its manifest does not say. */
export function whyUnspoken(stage: 'stt' | 'tts', built: Built, layers: Layers): string | undefined {
  const language = layers.get('language')
  if (language === undefined) return undefined
  const { vendor, model, manifest } = built
  const voice = (stage === 'tts' && layers.get('voice')) || model
  const ofVoice = languageOfVoice(manifest, voice)
  const known = ofVoice === undefined ? languagesOf(manifest, model) : [ofVoice]
  if (!known || known.some((tag) => isSameLanguage(tag, language))) return undefined
  if (ofVoice !== undefined)
    return `the voice ${voice} of ${vendor} speaks ${ofVoice}, not ${language}: choose another \`voice\``
  const [knows, know] = stage === 'stt' ? ['understands', 'understand'] : ['speaks', 'speak']
  const fault =
    known.length > mostNamed
      ? `does not ${know} ${language}`
      : `${knows} ${known.join(', ')}, not ${language}`
  return `${vendor}/${model} ${fault}: ${remedyOf(stage, built)}`
}

function remedyOf(stage: 'stt' | 'tts', { manifest }: Built): string {
  if (stage === 'stt') return 'choose another `stt`'
  return manifest.voice_language
    ? 'choose a `voice` that does, or another `tts`'
    : 'choose another `tts` or `tts_model`'
}
