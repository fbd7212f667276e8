export interface EspeakVoice {
  name: string
  identifier: string
  /** The languages it speaks; the lower the priority, the better it is for one. */
  tags: { tag: string; priority: number }[]
}

/** A voice that can be asked for. */
export interface Speaker {
  id: string
  voice: EspeakVoice
  identifier: string
  gender: 'male' | 'female'
}

const usual = 'en-us'
/** For a language that several accents speak equally well. */
const usualOf: Readonly<Record<string, string>> = { en: usual }
const firstLanguages = ['en', 'es', 'pt']
const female = 'f2'
const variants = /^[^+]+\+(?:f[1-5]|m[1-8])$/u

/** Country and tag if the id alone does not say them: espeak's own second parts are often no region. */
const tagOf: Readonly<Record<string, string>> = {
  'en-029': 'en-029',
  'en-gb': 'en-GB',
  'en-gb-scotland': 'en-GB',
  'en-gb-x-gbclan': 'en-GB',
  'en-gb-x-gbcwmd': 'en-GB',
  'en-gb-x-rp': 'en-GB',
  'en-us': 'en-US',
  'en-us-nyc': 'en-US',
  es: 'es-ES',
  'es-419': 'es-419',
  'fr-be': 'fr-BE',
  'fr-ch': 'fr-CH',
  'fr-fr': 'fr-FR',
  pt: 'pt-PT',
  'pt-br': 'pt-BR',
}

/** Which of espeak's voices answers to a name or to a language. */
export class Speakers {
  readonly #voices = new Map<string, EspeakVoice>()

  constructor(voices: readonly EspeakVoice[]) {
    for (const voice of voices) {
      const id = voice.tags[0]?.tag ?? ''
      this.#voices.set(this.#voices.has(id) ? fileOf(voice) : id, voice)
    }
  }

  /** A sentence if there is none of that name. */
  named(name: string): Speaker | string {
    const id = name.trim().toLowerCase()
    const [plain = ''] = id.split('+')
    const voice = this.#voices.get(plain)
    if (!voice || (id !== plain && !variants.test(id)))
      return `local has no voice ${name.trim()}: it has en-us, en-gb, es, es-419, pt, pt-br, en-us+f2 and others that its list of voices names`
    return speakerOf(id, voice)
  }

  /** The default voice without a language; a sentence if no voice speaks it. */
  speaking(language: string | undefined): Speaker | string {
    const wanted = (language ?? usual).trim().toLowerCase().replaceAll('_', '-')
    const [primary = ''] = wanted.split('-')
    const id = usualOf[wanted] ?? this.#exactly(wanted) ?? latinAmerican(wanted) ?? usualOf[primary]
    const found = id ?? this.#exactly(primary)
    return found === undefined ? `local has no voice that speaks ${language}` : this.named(found)
  }

  #exactly(tag: string): string | undefined {
    const able = [...this.#voices].flatMap(([id, { tags }]) =>
      tags.filter((one) => one.tag === tag).map(({ priority }) => ({ id, priority })),
    )
    return able.toSorted((a, b) => a.priority - b.priority)[0]?.id
  }

  /** As people choose among them: the languages of the house first, then as espeak lists them. */
  listed() {
    const plain = [...this.#voices].map(([id, voice]) => speakerOf(id, voice))
    const first = firstLanguages.flatMap((language) =>
      plain.filter(({ id }) => primaryOf(id) === language).toSorted((a, b) => rank(a.id) - rank(b.id)),
    )
    const both = first.flatMap((speaker) => [speaker, speakerOf(`${speaker.id}+${female}`, speaker.voice)])
    return [...both, ...plain.filter(({ id }) => !firstLanguages.includes(primaryOf(id)))].map(entryOf)
  }
}

const rank = (id: string) => (id === usual ? 0 : 1)
const primaryOf = (id: string) => id.split(/[-+]/u)[0] ?? id
const fileOf = ({ identifier }: EspeakVoice) =>
  identifier.slice(identifier.lastIndexOf('/') + 1).toLowerCase()
const latinAmerican = (tag: string) => (/^es-(?!es$)/u.test(tag) ? 'es-419' : undefined)

function speakerOf(id: string, voice: EspeakVoice): Speaker {
  const variant = id.split('+')[1]
  return {
    id,
    voice,
    identifier: variant === undefined ? voice.identifier : `${voice.identifier}+${variant}`,
    gender: variant?.startsWith('f') ? 'female' : 'male',
  }
}

function entryOf({ id, voice, gender }: Speaker) {
  const accent = /\(([^()]+)\)/u.exec(voice.name)?.[1] ?? null
  const language = tagOf[id.split('+')[0] ?? id] ?? primaryOf(id)
  return {
    id,
    name: gender === 'female' ? `${voice.name}, female` : voice.name,
    language,
    description: 'espeak-ng on this machine: clear, quick and robotic',
    gender,
    country: /-([A-Z]{2})$/u.exec(language)?.[1] ?? null,
    accent,
  }
}
