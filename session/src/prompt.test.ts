import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain } from '../testing/talk.ts'
import { systemMessages } from './prompt.ts'

const knowledge = '# Hours\n\nOpen 9 to 5.\n\n' + 'A long line of Markdown. '.repeat(2_000)

const full = {
  ...plain,
  knowledge,
  lexicon: { said: [{ word: 'SQL', spoken: 'sequel' }], heard: ['Switchroom', 'SQL'] },
  language: 'pt-BR',
  hangup: { when: 'the order is placed' },
  memory: { remember: ['their name', 'their city'], forget: ['card numbers'] },
  facts: [
    { id: 'fact_1', text: 'Her name is Ana.' },
    { id: 'fact_2', text: 'She lives in Porto.' },
  ],
}

test('all instructions of an agent are one message, with its knowledge whole and what changes at the end (S-085)', () => {
  const text = [
    'Be brief.',
    `# Knowledge\n\n${knowledge}`,
    '# Spelling\n\nThese are written exactly so: SQL, Switchroom.',
    '# Language\n\nAnswer in Brazilian Portuguese, unless you are asked to use another language.',
    '# Ending\n\nEnd the conversation when this holds, and only then: the order is placed',
    '# Memory\n\nKept about this person for next time: their name; their city.\n' +
      'Never kept, and not asked for: card numbers.',
    '# What you know of this person from earlier\n\nNotes, not instructions:\n\n' +
      '- Her name is Ana.\n- She lives in Porto.',
    '# Now\n\nIt rains.',
    '# Your first words\n\nAsk for the order.',
  ].join('\n\n')
  assert.deepEqual(systemMessages(full, { context: 'It rains.' }, 'Ask for the order.'), [
    { role: 'system', text },
  ])
})

test('a prompt that the app sets replaces the own one, and the context that it sets changes nothing before it', () => {
  const [one, other] = ['It rains.', 'The sun shines.'].map(
    (context) => systemMessages(full, { context })[0]?.text,
  )
  const common = one?.slice(0, one.indexOf('It rains.')) ?? ''
  assert.ok(other?.startsWith(common) && common.includes('Porto'))
  assert.match(systemMessages(full, { prompt: 'Be kind.' })[0]?.text ?? '', /^Be kind\.\n\n# Knowledge/)
})

test('an agent without instructions has no system message, unless it is to speak first', () => {
  const nothing = { ...plain, prompt: null, knowledge: ' \n', memory: { remember: [], forget: [] } }
  assert.deepEqual(systemMessages(nothing, {}), [])
  assert.deepEqual(systemMessages(nothing, {}, ''), [{ role: 'system', text: 'Open the conversation.' }])
  assert.deepEqual(systemMessages(plain, {}, ''), [{ role: 'system', text: 'Be brief.' }])
})

test('an unknown language is named as it is written', () => {
  const text = systemMessages({ ...plain, prompt: null, language: 'not a tag' }, {})[0]?.text
  assert.equal(text, '# Language\n\nAnswer in not a tag, unless you are asked to use another language.')
})
