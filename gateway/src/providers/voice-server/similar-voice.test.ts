import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAiVoices } from '@switchroom/contract/openai-names'
import { similarVoice } from './similar-voice.ts'

const voice = (id: string, gender: string | null, ...languages: string[]) => ({ id, gender, languages })
const voices = [
  voice('gb-man', 'male', 'en-GB'),
  voice('us-man', 'male', 'en-US'),
  voice('us-man-2', 'male', 'en-US'),
  voice('us-woman', 'female', 'en-US'),
  voice('br-woman', 'female', 'pt-BR'),
  voice('pt-man', 'male', 'pt-PT'),
]
const idOf = (name: string, language: string | null = null, among = voices) =>
  similarVoice(name, among, language)?.id

test('a voice of OpenAI is one of the language, with its usual accent and of the same gender', () => {
  assert.deepEqual([idOf('ash'), idOf('coral'), idOf('coral', 'pt')], ['us-man', 'us-woman', 'br-woman'])
  assert.equal(idOf('ash', 'pt'), 'br-woman', 'the accent weighs more than the gender')
  assert.equal(idOf('ash', 'fr'), 'gb-man', 'without a voice of the language, any that is there')
})

test('the same name is always the same voice, and other names are others while there are enough', () => {
  assert.deepEqual(
    [idOf('ash'), idOf('ballad'), idOf('cedar'), idOf('ash')],
    ['us-man', 'us-man-2', 'us-man', 'us-man'],
  )
})

test('every name finds a voice wherever there is one, and none where there is none', () => {
  for (const name of Object.keys(openAiVoices)) {
    assert.equal(idOf(name, 'xx', [voice('only', null)]), 'only')
    assert.equal(idOf(name, null, []), undefined)
  }
})
