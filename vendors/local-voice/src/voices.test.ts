import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Speakers, type EspeakVoice } from './voices.ts'

const voiceOf = (name: string, identifier: string, ...tags: [string, number][]): EspeakVoice => ({
  name,
  identifier,
  tags: tags.map(([tag, priority]) => ({ tag, priority })),
})

const speakers = new Speakers([
  voiceOf('English (Great Britain)', 'gmw/en', ['en-gb', 2], ['en', 2]),
  voiceOf('English (America)', 'gmw/en-US', ['en-us', 2], ['en', 3]),
  voiceOf('Spanish (Spain)', 'roa/es', ['es', 5]),
  voiceOf('Spanish (Latin America)', 'roa/es-419', ['es-419', 5], ['es-mx', 6]),
  voiceOf('Portuguese (Portugal)', 'roa/pt', ['pt', 5], ['pt-pt', 5]),
  voiceOf('Portuguese (Brazil)', 'roa/pt-BR', ['pt-br', 5], ['pt', 6]),
  voiceOf('Chinese (Cantonese)', 'sit/yue', ['yue', 5], ['zh', 8]),
  voiceOf('Chinese (Cantonese, latin as Jyutping)', 'sit/yue-Latn-jyutping', ['yue', 5], ['zh', 8]),
])

const idOf = (found: ReturnType<typeof speakers.named>) => (typeof found === 'string' ? found : found.id)

test('a language finds the voice that speaks it best', () => {
  for (const [language, id] of [
    [undefined, 'en-us'],
    ['en', 'en-us'],
    ['EN_gb', 'en-gb'],
    ['en-AU', 'en-us'],
    ['es', 'es'],
    ['es-ES', 'es'],
    ['es-MX', 'es-419'],
    ['es-AR', 'es-419'],
    ['pt', 'pt'],
    ['pt-BR', 'pt-br'],
    ['pt-AO', 'pt'],
    ['zh-HK', 'yue'],
  ] as const)
    assert.equal(idOf(speakers.speaking(language)), id, language)
  assert.equal(speakers.speaking('tlh'), 'local has no voice that speaks tlh')
})

test('a voice has a name of its own, and variants of it', () => {
  assert.equal(idOf(speakers.named(' EN-GB ')), 'en-gb')
  const female = speakers.named('en-gb+f2')
  assert.ok(typeof female !== 'string')
  assert.equal(female.identifier, 'gmw/en+f2')
  assert.equal(female.gender, 'female')
  assert.equal(idOf(speakers.named('yue-latn-jyutping')), 'yue-latn-jyutping')
})
