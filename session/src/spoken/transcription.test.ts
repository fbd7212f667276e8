import assert from 'node:assert/strict'
import { once, EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { NewEntry } from '@switchroom/contract/log'
import { silent } from '@switchroom/kit/failures'
import type { Recording } from '@switchroom/kit/vendor'
import { sampleRate, speech } from '../../testing/scripted-sound.ts'
import { Transcription } from './transcription.ts'
import type { TranscriberRun } from './spoken-parts.ts'

/** Whole utterances, each transcribed as its turn says. */
function hearingWith(...transcribers: ((nth: number, recording: Recording) => Promise<string>)[]) {
  const heard: string[] = []
  const kept: NewEntry[] = []
  const events = new EventEmitter()
  const runs = transcribers.map((transcribe, index): TranscriberRun => {
    let asked = 0
    const whole = { language: null, duration: null, words: [], segments: [] }
    const hears = async (recording: Recording) => ({ ...whole, text: await transcribe(asked++, recording) })
    return {
      vendor: `transcriber-${index + 1}`,
      model: 'm',
      key: 'yours',
      transcriber: { transcribe: hears },
    }
  })
  const hearing = new Transcription({
    transcribers: runs,
    sampleRate,
    down: new Set(),
    keep: (entries) => void kept.push(...entries),
    heard: (one) => {
      if (one.type === 'final') heard.push(one.text)
      events.emit('heard')
    },
    deaf: (vendor, why) => events.emit('deaf', vendor, why),
  })
  hearing.start()
  const says = (ms = 700) => {
    hearing.speech(speech(ms))
    hearing.speechEnded()
  }
  const signal = AbortSignal.timeout(15_000)
  const until = (event: string) => once(events, event, { signal })
  return { hearing, says, heard, kept, until }
}

test('whole utterances are reported in the order in which they were said', async () => {
  const slow = Promise.withResolvers<string>()
  const { hearing, says, heard, until } = hearingWith(async (nth) => (nth === 0 ? slow.promise : 'for two.'))
  says()
  says()
  await new Promise((resolve) => void setImmediate(resolve))
  assert.deepEqual(heard, [])
  slow.resolve('A table')
  await until('heard')
  await until('heard')
  assert.deepEqual(heard, ['A table', 'for two.'])
  hearing.stop()
})

test('a caller who speaks without a pause is heard piece by piece, and nothing of it is lost', async () => {
  const sizes: number[] = []
  const { hearing, heard, until } = hearingWith(async (nth, { bytes }) => {
    sizes.push((bytes.length - 44) / 2 / sampleRate)
    return `piece ${nth + 1}`
  })
  for (let n = 0; n < 60; n += 1) hearing.speech(speech(1_000))
  hearing.speechEnded()
  while (heard.length < 3) await until('heard')
  assert.deepEqual(sizes, [25, 25, 10])
  assert.deepEqual(heard, ['piece 1', 'piece 2', 'piece 3'])
  hearing.stop()
})

test('an utterance that was not transcribed is tried again if no other transcriber could', async () => {
  const { hearing, says, heard, kept, until } = hearingWith(async (nth) => {
    if (nth === 0) throw silent('a hiccup')
    return 'A table.'
  })
  says()
  await until('heard')
  assert.deepEqual([heard, kept], [['A table.'], []])
  hearing.stop()
})

test('transcribers that transcribe nothing any more are deaf, and each vendor went down once', async () => {
  const fails = () => Promise.reject(silent('gone'))
  const { hearing, says, kept, until } = hearingWith(fails, fails)
  const talking = setInterval(says, 300)
  const [vendor, why] = (await until('deaf')) as [string, Error]
  clearInterval(talking)
  assert.deepEqual([vendor, why.message], ['transcriber-1', 'gone'])
  assert.deepEqual(kept, [])
  hearing.stop()

  let failures = 0
  const back = hearingWith(fails, async () => {
    failures += 1
    if (failures < 3) throw silent('gone')
    return 'A table.'
  })
  const again = setInterval(back.says, 300)
  await back.until('heard')
  clearInterval(again)
  assert.deepEqual(
    back.kept.map(({ data }) => [data['vendor'], data['state'], data['serves']]),
    [['transcriber-1', 'down', 'transcriber-2']],
  )
  back.hearing.stop()
})
