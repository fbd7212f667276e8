import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { answerChallenge, digest, DigestServer, isStale } from './digest.ts'

const pair = { username: 'peer', password: 'Circle of "Life"' }
const uri = 'sip:+34911222333@127.0.0.1'
const source = '198.51.100.7'

const proven = (server: DigestServer, answer: string | null, from = source, asked = uri) =>
  server.prove(answer ?? undefined, 'INVITE', asked, from, pair)

test('digests are those of RFC 7616', () => {
  const asked = {
    realm: 'http-auth@example.org',
    nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    method: 'GET',
    uri: '/dir/index.html',
    counted: { nc: '00000001', cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ' },
  }
  const mufasa = { username: 'Mufasa', password: 'Circle of Life' }
  assert.equal(digest({ ...asked, algorithm: 'MD5' }, mufasa), '8ca523f5e9506fed4657c9700eebdbec')
  assert.equal(
    digest({ ...asked, algorithm: 'SHA-256' }, mufasa),
    '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
  )
})

test('a pair is proven by SHA-256, by MD5, and in the old form without a count', () => {
  const server = new DigestServer()
  const challenges = server.challenges(source, false)
  assert.deepEqual(
    challenges.map((challenge) => /algorithm=([\w-]+)/.exec(challenge)?.[1]),
    ['MD5', 'SHA-256'],
  )
  for (const [at, form] of [
    [0, (challenge: string) => challenge],
    [1, (challenge: string) => challenge],
    [1, (challenge: string) => challenge.replace(', qop="auth"', '')],
  ] as const) {
    const own = new DigestServer()
    const answer = answerChallenge([form(own.challenges(source, false)[at] ?? '')], 'INVITE', uri, pair)
    assert.equal(proven(own, answer), 'proven')
    assert.equal(proven(own, answer), 'stale', 'what was sent once opens nothing twice')
  }
})

test('a proof holds for its pair, its method, its number and its sender alone', () => {
  const server = new DigestServer()
  const challenges = server.challenges(source, false)
  const answer = answerChallenge(challenges, 'INVITE', uri, pair)
  assert.equal(proven(server, answer, '198.51.100.8'), 'stale')
  assert.equal(proven(server, answer, source, 'sip:+34911222334@127.0.0.1'), 'wrong')
  assert.equal(server.prove(answer ?? '', 'BYE', uri, source, pair), 'wrong')
  assert.equal(server.prove(answer ?? '', 'INVITE', uri, source, { ...pair, password: 'no' }), 'wrong')
  assert.equal(server.prove(answer ?? '', 'INVITE', uri, source, { ...pair, username: 'other' }), 'wrong')
  assert.equal(
    server.prove(answer?.replace('qop=auth', 'qop=auth-int'), 'INVITE', uri, source, pair),
    'wrong',
  )
  for (const said of [undefined, 'Basic cGVlcg==', 'Digest', answer?.replace('switchroom', 'elsewhere')])
    assert.equal(server.prove(said, 'INVITE', uri, source, pair), 'missing')
  assert.equal(proven(server, answer), 'proven')
})

test('two calls of one instant each prove themselves', () => {
  mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  try {
    const server = new DigestServer()
    const answers = [1, 2].map(() => answerChallenge(server.challenges(source, false), 'INVITE', uri, pair))
    assert.deepEqual(
      answers.map((answer) => proven(server, answer)),
      ['proven', 'proven'],
    )
  } finally {
    mock.timers.reset()
  }
})

test('a nonce is stale after a minute, and one that is counted up serves within it', () => {
  mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  try {
    const server = new DigestServer()
    const nonce = /nonce="(\w+)"/.exec(server.challenges(source, false)[0] ?? '')?.[1] ?? ''
    const counted = (count: string) => {
      const asked = { algorithm: 'MD5', realm: 'switchroom', nonce, method: 'INVITE', uri } as const
      const response = digest({ ...asked, counted: { nc: count, cnonce: 'c' } }, pair)
      return `Digest username="peer", realm="switchroom", nonce="${nonce}", uri="${uri}", response="${response}", qop=auth, nc=${count}, cnonce="c"`
    }
    assert.equal(proven(server, counted('00000001')), 'proven')
    assert.equal(proven(server, counted('00000002')), 'proven')
    assert.equal(proven(server, counted('00000001')), 'stale')
    mock.timers.setTime(1_060_001)
    assert.equal(proven(server, counted('00000003')), 'stale')
    assert.ok(isStale(server.challenges(source, true)))
  } finally {
    mock.timers.reset()
  }
})

test('of the nonces that were counted the oldest are forgotten, so that there are never too many', () => {
  mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  try {
    const server = new DigestServer()
    const proof = () => answerChallenge(server.challenges(source, false), 'INVITE', uri, pair)
    const first = proof()
    assert.equal(proven(server, first), 'proven')
    let last = first
    for (let more = 0; more < 20_000; more += 1) proven(server, (last = proof()))
    assert.equal(proven(server, last), 'stale')
    assert.equal(proven(server, first), 'proven', 'it is not known any more')
  } finally {
    mock.timers.reset()
  }
})

test('the stronger of two challenges is answered', () => {
  const server = new DigestServer()
  const answer = answerChallenge(server.challenges(source, false), 'INVITE', uri, pair)
  assert.match(answer ?? '', /algorithm=SHA-256/)
  assert.equal(proven(server, answer), 'proven')
})

test('an unknown challenge is skipped for the next, if there is one', () => {
  const known = 'Digest realm="r", nonce="n", opaque="o\\"p"'
  const answer = answerChallenge(
    ['Basic x', 'Digest realm="r", nonce="n", algorithm=AKAv1-MD5', known],
    'BYE',
    uri,
    pair,
  )
  assert.match(answer ?? '', /opaque="o\\"p"/)
  assert.doesNotMatch(answer ?? '', /qop/)
  assert.equal(answerChallenge(['Digest realm="r", nonce="n", qop="auth-int"'], 'BYE', uri, pair), null)
  assert.equal(answerChallenge([], 'BYE', uri, pair), null)
})
