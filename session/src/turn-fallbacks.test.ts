import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused, silent, VendorFailure } from '@switchroom/kit/failures'
import { never, ScriptedModel, says, Talk } from '../testing/talk.ts'
import { runTurn } from './turn.ts'

const down = refused('the key is not valid')

function talkOf(...models: ScriptedModel[]) {
  const talk = new Talk(...models)
  const turn = async () => {
    talk.hears('Hello')
    await runTurn(talk.parts(), never)
  }
  return { talk, turn }
}

const switched = (vendor: string, state: string, serves: string) => ({ stage: 'llm', vendor, state, serves })

test('a fallback that takes over and a vendor that returns are in the log once each, and each metrics names who served (S-390, S-391, S-392, S-396, SD-56)', async () => {
  const alpha = new ScriptedModel('alpha', [down], [down], says('I am back.'), says('Still here.'))
  const beta = new ScriptedModel('beta', says('For alpha.'))
  const { talk, turn } = talkOf(alpha, beta)
  await turn()
  assert.deepEqual(talk.of('vendor.switched'), [switched('alpha', 'down', 'beta')])
  await turn()
  assert.equal(talk.of('vendor.switched').length, 1)
  await turn()
  await turn()
  assert.deepEqual(talk.of('vendor.switched'), [
    switched('alpha', 'down', 'beta'),
    switched('alpha', 'back', 'alpha'),
  ])
  assert.deepEqual(
    talk.of('metrics').map(({ vendor, model }) => [vendor, model]),
    [
      ['beta', 'beta-large'],
      ['beta', 'beta-large'],
      ['alpha', 'alpha-large'],
      ['alpha', 'alpha-large'],
    ],
  )
  assert.deepEqual(talk.said, ['For alpha.', 'For alpha.', 'I am back.', 'Still here.'])
})

test('with two vendors down the log says of each when it went and when it returned (S-392)', async () => {
  const alpha = new ScriptedModel('alpha', [down])
  const beta = new ScriptedModel('beta', [down], says('From beta.'))
  const gamma = new ScriptedModel('gamma', says('From gamma.'))
  const { talk, turn } = talkOf(alpha, beta, gamma)
  await turn()
  await turn()
  assert.deepEqual(talk.of('vendor.switched'), [
    switched('alpha', 'down', 'gamma'),
    switched('beta', 'down', 'gamma'),
    switched('beta', 'back', 'beta'),
  ])
})

test('an answer that breaks off in the middle is thrown away, and the next vendor begins anew', async () => {
  const alpha = new ScriptedModel('alpha', [...says('Half a'), silent('it broke off')])
  const { talk, turn } = talkOf(alpha, new ScriptedModel('beta', says('A whole answer.')))
  await turn()
  assert.deepEqual(talk.said, ['A whole answer.'])
  assert.deepEqual(talk.of('vendor.switched'), [switched('alpha', 'down', 'beta')])
})

test('a vendor that says nothing leaves time for the next (SD-58)', async () => {
  const alpha = new ScriptedModel('alpha', ['silence'])
  const { talk, turn } = talkOf(alpha, new ScriptedModel('beta', says('I am quick.')))
  talk.instructions = { ...talk.instructions, llmTimeoutMs: 3_000 }
  await turn()
  assert.deepEqual(talk.said, ['I am quick.'])
  assert.equal(alpha.open, 0)
})

test('a vendor that falls silent in the middle of its answer has failed', async () => {
  const alpha = new ScriptedModel('alpha', [...says('Well, '), 'silence'])
  const { talk, turn } = talkOf(alpha, new ScriptedModel('beta', says('It is noon.')))
  talk.instructions = { ...talk.instructions, llmTimeoutMs: 100 }
  await turn()
  assert.deepEqual(talk.said, ['It is noon.'])
  assert.deepEqual(talk.of('error'), [])
  const alone = talkOf(new ScriptedModel('alpha', [...says('Well, '), 'silence'], says('It is noon.')))
  alone.talk.instructions = { ...talk.instructions, llmTimeoutMs: 1_500 } // the second try is after 300 of them
  await alone.turn()
  assert.deepEqual(alone.talk.said, ['It is noon.'])
})

test('after a vendor that broke off the next one has the whole time again, and no more (S-079)', async () => {
  const alpha = new ScriptedModel('alpha', [...says('Half a'), silent('it broke off')])
  const { talk, turn } = talkOf(alpha, new ScriptedModel('beta', ['silence']))
  talk.instructions = { ...talk.instructions, llmTimeoutMs: 100 }
  await turn()
  assert.deepEqual(
    talk.of('error').map(({ code, vendor }) => [code, vendor]),
    [['llm_timeout', 'beta']],
  )
})

test('a model that ignores its abort is left behind', async () => {
  const { talk, turn } = talkOf()
  let isTold = false
  const next = () => new Promise<never>(() => {})
  const leave = async () => {
    isTold = true
    return next()
  }
  const think = () => ({ [Symbol.asyncIterator]: () => ({ next, return: leave }) })
  talk.models = [{ vendor: 'alpha', model: 'deaf', key: 'lent', think }]
  talk.instructions = { ...talk.instructions, llmTimeoutMs: 30 }
  await turn()
  assert.equal(isTold, true)
})

test('a model that takes its time over an answer is not cut off while it continues', async () => {
  const beta = new ScriptedModel('beta', says('I am quicker.'))
  const { talk, turn } = talkOf()
  talk.models = [
    {
      vendor: 'alpha',
      model: 'slow',
      key: 'lent',
      async *think() {
        for (let word = 0; word < 20; word += 1) {
          await new Promise((resolve) => setTimeout(resolve, 125))
          yield { type: 'text', text: 'so ' }
        }
      },
    },
    beta,
  ]
  talk.instructions = { ...talk.instructions, llmTimeoutMs: 2_000 }
  await turn()
  assert.deepEqual(talk.said, ['so '.repeat(20).trim()])
})

test('a vendor that gave no answer is asked again, one that refused is not (S-079)', async () => {
  const alpha = new ScriptedModel('alpha', [silent('connection reset')], says('Second try.'))
  const beta = new ScriptedModel('beta', [down])
  const { talk, turn } = talkOf(alpha, beta)
  await turn()
  assert.deepEqual(talk.said, ['Second try.'])
  assert.deepEqual([alpha.asked.length, beta.asked.length], [2, 1])
  assert.deepEqual(talk.of('vendor.switched'), [switched('beta', 'down', 'alpha')])
})

test('past the deadline the user is asked to repeat in the agent’s language, and the log says which vendor was waited for (S-081, S-082, S-083, S-084, S-393, SD-58)', async () => {
  const sentences = {
    es: 'Perdona, ¿puedes repetirlo?',
    'es-MX': 'Perdona, ¿puedes repetirlo?',
    en: 'Sorry, could you say that again?',
    'pt-BR': 'Desculpe, pode repetir?',
    PT: 'Desculpe, pode repetir?',
    de: 'Sorry, could you say that again?',
    '': 'Sorry, could you say that again?',
  }
  for (const [language, sentence] of Object.entries(sentences)) {
    const talk = new Talk(new ScriptedModel('alpha', ['silence'])).hears('Hello', 'u1')
    talk.instructions = { ...talk.instructions, language: language || null, llmTimeoutMs: 30 }
    assert.deepEqual(await runTurn(talk.parts(), never), { ends: false })
    const [error, ...more] = talk.of('error')
    const { waited_s: waited, ...rest } = error ?? {}
    assert.deepEqual([rest, more], [{ code: 'llm_timeout', vendor: 'alpha' }, []])
    assert.ok(Number(waited) >= 0.029 && Number(waited) < 10, String(waited))
    assert.deepEqual(talk.of('agent.message'), [
      { text: sentence, messageId: 'm1', source: 'say', answers: 'u1' },
    ])
    assert.equal(talk.batches.length, 1)
  }
})

test('one deadline covers every vendor and every retry, and the turn gives up when it is over (S-079, SD-58)', async () => {
  const alpha = new ScriptedModel('alpha', [silent('connection reset')])
  const beta = new ScriptedModel('beta', ['silence'])
  const { talk, turn } = talkOf(alpha, beta)
  talk.instructions = { ...talk.instructions, llmTimeoutMs: 500 }
  const startedMs = performance.now()
  await turn()
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs >= 499 && tookMs < 10_000, `${tookMs} ms`)
  assert.deepEqual(
    talk.of('error').map(({ code, vendor }) => [code, vendor]),
    [['llm_timeout', 'beta']],
  )
  assert.equal(beta.open, 0)
})

test('a deadline of more than a timer can wait is none that is over at once (S-079)', async () => {
  const { talk, turn } = talkOf()
  talk.instructions = { ...talk.instructions, llmTimeoutMs: 1e12 }
  const { think, ...alpha } = new ScriptedModel('alpha', says('Here.'))
  talk.models = [
    {
      ...alpha,
      async *think(conversation, signal) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        yield* think(conversation, signal)
      },
    },
  ]
  await turn()
  assert.deepEqual(talk.said, ['Here.'])
})

test('white space is no first word (S-079)', async () => {
  const { talk, turn } = talkOf(new ScriptedModel('alpha', [...says(' ', '\n'), 'silence']))
  talk.instructions = { ...talk.instructions, llmTimeoutMs: 30 }
  await turn()
  assert.equal(talk.of('error')[0]?.['code'], 'llm_timeout')
})

test('when every model failed the log has their reasons, and the user hears the same sentence (ND-108)', async () => {
  const alpha = new ScriptedModel('alpha', [down])
  const { talk, turn } = talkOf(alpha, new ScriptedModel('beta', [refused('no credit left')]))
  await turn()
  assert.deepEqual(talk.of('error'), [
    { code: 'llm_failed', detail: 'alpha: the key is not valid; beta: no credit left', vendor: 'alpha' },
  ])
  assert.deepEqual(talk.said, ['Sorry, could you say that again?'])
  assert.deepEqual(talk.of('vendor.switched'), [])
  assert.equal(alpha.asked.length, 1)
})

test('a model that fails outside its promise is only a model that failed', async () => {
  const { talk, turn } = talkOf(new ScriptedModel('beta', says('Fine.')))
  const thrown = { vendor: 'alpha', model: 'odd', key: 'none' } as const
  talk.models.unshift({
    ...thrown,
    think() {
      throw new TypeError('no such method')
    },
  })
  await turn()
  assert.deepEqual(talk.said, ['Fine.'])
})

test('a vendor that stays too busy leaves the turn to the fallback, and alone it is asked when it says', async () => {
  const busyFor = (ms: number) => new VendorFailure('refused', 'slow down', ms)
  const crowded = new ScriptedModel('alpha', [busyFor(60_000)])
  const beta = new ScriptedModel('beta', says('For alpha.'))
  const { talk, turn } = talkOf(crowded, beta)
  await turn()
  assert.deepEqual([talk.said, talk.of('error')], [['For alpha.'], []])

  const alone = talkOf(new ScriptedModel('alpha', [busyFor(50)], says('At last.')))
  await alone.turn()
  assert.deepEqual([alone.talk.said, alone.talk.of('error')], [['At last.'], []])

  const late = talkOf(new ScriptedModel('alpha', [busyFor(60_000)], says('Too late.')))
  late.talk.instructions = { ...late.talk.instructions, llmTimeoutMs: 500 }
  await late.turn()
  assert.deepEqual(late.talk.of('error')[0], {
    code: 'llm_failed',
    detail: 'alpha: slow down',
    vendor: 'alpha',
  })
})
