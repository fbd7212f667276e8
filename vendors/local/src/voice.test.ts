import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VendorFailure } from '@switchroom/kit/failures'
import { patient, pcmOf, programsUnder, spoken, until, voice, voices } from '../testing/speech.ts'
import { entryOf } from './installed-program.ts'

const sentence = 'Please call me back tomorrow morning because I would like to change my order.'
const story = `${sentence} `.repeat(20)
const ours = () => programsUnder(process.pid, 'local-voice')

async function failureOf(speaking: AsyncIterable<unknown>): Promise<VendorFailure> {
  try {
    await Array.fromAsync(speaking)
  } catch (error) {
    return error as VendorFailure
  }
  throw new Error('it should have failed')
}

test('every word of a text is timed, in order and inside the audio', async () => {
  const long = 'pneumono'.repeat(20)
  const text = `Hello there, my friend; it costs $20,000 – ${long} really! Isn’t that 😀 fine? 你好。世界。`
  const { pcm, words } = await spoken(text)
  assert.deepEqual(
    words.map(({ word }) => word),
    text.split(' '),
  )
  let last = 0
  for (const { start, end } of words) {
    assert.ok(start >= last && end >= start, `${start} to ${end} after ${last}`)
    last = start
  }
  assert.ok(last > 1 && (words.at(-1)?.end ?? 0) <= pcm.length / 2 / voice().sampleRate)
})

test('a word comes before the audio that follows it (SD-72)', async () => {
  let samples = 0
  for await (const piece of voice().speak(sentence, patient())) {
    if (piece.type === 'audio') samples += piece.pcm.length / 2
    else assert.ok(piece.end >= samples / voice().sampleRate - 0.11, `${piece.word} comes too late`)
  }
})

test('an unknown voice is refused with the names of some that exist', async () => {
  for (const unknown of ['zorro', 'en-us+zorro', 'en-us+f9']) {
    const failure = await failureOf(voice({ voice: unknown }).speak(sentence, patient()))
    assert.equal(failure.kind, 'refused')
    assert.match(failure.message, /^local has no voice .+: it has en-us, en-gb, es/)
  }
})

test('a language picks a voice, and one that no voice speaks is refused', async () => {
  const count = '1 2 3 4 5 6 7 8 9 20 30 40 77 88 99'
  const spanish = await spoken(count, { language: 'es-MX' })
  const named = await spoken(count, { voice: 'es-419', language: 'en' })
  const english = await spoken(count)
  // espeak breathes a little differently each time
  assert.ok(Math.abs(spanish.pcm.length / named.pcm.length - 1) < 0.02)
  assert.ok(Math.abs(english.pcm.length / named.pcm.length - 1) > 0.05)
  const failure = await failureOf(voice({ language: 'tlh-x' }).speak(sentence, patient()))
  assert.equal(failure.kind, 'refused')
  assert.equal(failure.message, 'local has no voice that speaks tlh-x')
})

test('speed makes a text shorter or longer, and what is no speed is refused', async () => {
  const lengths = []
  for (const speed of [2, 1, 0.5]) lengths.push((await spoken(sentence, { speed })).pcm.length)
  const [fast = 0, usual = 0, slow = 0] = lengths
  assert.ok(fast * 1.6 < usual && usual * 1.6 < slow, lengths.join(' '))
  for (const speed of [0.2, 4.1, Number.NaN, 'fast']) {
    const failure = await failureOf(voice({ speed }).speak(sentence, patient()))
    assert.equal(failure.kind, 'refused')
    assert.equal(failure.message, 'local speaks at a speed from 0.25 to 4')
  }
})

test('a model it does not have is refused', async () => {
  const failure = await failureOf(voice({ model: 'kokoro' }).speak(sentence, patient()))
  assert.equal(failure.kind, 'refused')
  assert.equal(failure.message, 'local speaks with the model espeak only')
})

test('a short text is not made to wait for two long ones', async () => {
  const over: string[] = []
  const say = async (text: string, name: string) => {
    await Array.fromAsync(voice().speak(text, patient()))
    over.push(name)
  }
  await Promise.all([say(story, 'long'), say(story, 'long'), say(sentence, 'short')])
  assert.equal(over[0], 'short')
})

test('a cancel ends a text within a second and frees the voice for others', async () => {
  const cancel = new AbortController()
  const speaking = voice().speak(story, cancel.signal)[Symbol.asyncIterator]()
  await speaking.next()
  const startedAt = performance.now()
  cancel.abort()
  await assert.rejects(
    async () => {
      for (;;) if ((await speaking.next()).done) return
    },
    { name: 'AbortError' },
  )
  assert.ok((await spoken('Yes.')).pcm.length > 0)
  assert.ok(performance.now() - startedAt < 1_000)
})

test('a voice that is killed fails its listener, and speaks again when asked', async () => {
  const speaking = voice().speak(story, patient())
  const pieces = []
  const failure = await failureOf(
    (async function* () {
      for await (const piece of speaking) {
        if (pieces.push(piece) === 1) for (const pid of await ours()) process.kill(pid, 'SIGKILL')
        yield piece
      }
    })(),
  )
  assert.equal(failure.kind, 'silent')
  assert.equal(failure.message, 'the local voice stopped before the answer was complete (SIGKILL)')
  assert.ok(pcmOf(await Array.fromAsync(voice().speak('Yes.', patient()))).length > 0)
  await until(async () => (await ours()).length === 1, 'one program again')
})

test('a voice whose package is not installed says which package brings it', () => {
  assert.throws(() => entryOf('@switchroom/no-such-voice/program', 'the local voice'), {
    kind: 'refused',
    message: 'the package @switchroom/no-such-voice brings the local voice, and it is not installed',
  })
})

test('the voices are listed English, Spanish and Portuguese first, each once and with its seven fields', async () => {
  const listed = await voices()
  const ids = listed.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(
    listed.every(({ name }) => !/test/iu.test(name)),
    'espeak’s voices for tests are not listed',
  )
  for (const id of ['en-us', 'en-gb', 'es', 'es-419', 'pt', 'pt-br', 'fr-fr']) assert.ok(ids.includes(id), id)
  const first = listed.filter(({ language }) => /^(?:en|es|pt)/u.test(language ?? ''))
  assert.deepEqual(listed.slice(0, first.length), first)
  assert.deepEqual(listed[0], {
    id: 'en-us',
    name: 'English (America)',
    language: 'en-US',
    description: 'espeak-ng on this machine: clear, quick and robotic',
    gender: 'male',
    country: 'US',
    accent: 'America',
  })
})
