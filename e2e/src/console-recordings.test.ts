import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after } from 'node:test'
import { OggOpusWriter } from '@switchroom/audio/ogg-opus'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { OggOpusMeter } from '@switchroom/gateway/calls/recordings/ogg-opus-meter'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { recordedWav } from '@switchroom/gateway/testing/calls/recorded-wav'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import { startDeployment } from '@switchroom/gateway/testing/deployment'
import type { Page } from 'playwright-core'
import { openPage, picture, test } from './browser.ts'
import { assertGood } from './good-pages.ts'

const deployment = await startDeployment({ SVC_RECORDINGS: temporaryFolder({ after }) })
after(() => deployment[Symbol.asyncDispose]())
const { url } = deployment
const org = await deployment.newOrg()
const { key } = await org.person('admin')
const spoken = await new SpokenAgent(deployment, org, 'recorded-agent').route()
await spoken.holdingApp()

const seconds = 6
const opus = () => {
  const writer = new OggOpusWriter(8000, 2)
  const tones = Int16Array.from({ length: 2 * 8000 * seconds }, (_, at) => 8000 * Math.sin(at / 5))
  return Buffer.concat([writer.head(), writer.encode(tones), writer.end()])
}
const wav = () => recordedWav(seconds * 1000)
/** Of both sides in turn: the caller speaks in the first two seconds, the agent in the last two. */
const peaks = Array.from({ length: 600 }, (_, at) =>
  (at % 2 === 0 ? at < 200 : at >= 400) ? 120 + (at % 90) : 2,
)
const [question, answer] = ['A table for two tomorrow, please.', 'At eight there is one by the window.']

async function recorded(type: 'audio/ogg' | 'audio/wav', sound: Buffer): Promise<string> {
  const call = await spoken.open()
  const entries = [
    { type: 'recording.started', data: { atMs: 1900 } },
    { type: 'user.message', data: { text: question, messageId: 'msg_1' } },
    { type: 'recording.started', data: { atMs: 4000 } },
    { type: 'bot.speaking', data: { messageId: 'msg_2', text: '' } },
    { type: 'bot.finished', data: { messageId: 'msg_2', durationMs: 1900 } },
    { type: 'agent.message', data: { text: answer, messageId: 'msg_2', source: 'model' } },
    { type: 'metrics', data: { stage: 'turn', messageId: 'msg_2', transcript_ms: 0, turn_end_ms: 0 } },
  ]
  done(await spoken.append(call, entries))
  const headers = { 'content-type': type, 'svc-peaks': Buffer.from(peaks).toString('base64') }
  const body = new Uint8Array(sound)
  done(await spoken.fleet.raw(`/v1/calls/${call}/recording`, { method: 'PUT', headers, body }))
  return call
}

async function openRecorded(type: 'audio/ogg' | 'audio/wav' = 'audio/wav', sound = wav()) {
  const call = await recorded(type, sound)
  const opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/calls/${call}`)
  const player = page.getByRole('region', { name: 'Recording' })
  await player.getByText(`0:00 / 0:0${seconds}`).waitFor()
  return { ...opened, call, player }
}

const soundOf = <Answer>(page: Page, of: 'currentTime' | 'playbackRate' | 'paused') =>
  page.locator('audio').evaluate((audio, name) => (audio as unknown as Record<string, Answer>)[name], of)
const turn = (page: Page, words: string) =>
  page.getByRole('list', { name: 'Conversation' }).getByRole('listitem').filter({ hasText: words })
const isHeard = (page: Page, words: string) => turn(page, words).locator('[aria-current=true]')

test('the recording of a call is seen and heard on its page, in Opus and in WAV, from where one points', async () => {
  for (const [type, sound] of [
    ['audio/ogg', opus()],
    ['audio/wav', wav()],
  ] as const) {
    await using opened = await openRecorded(type, sound)
    const { page, player } = opened
    await player.getByRole('slider', { name: 'Position' }).fill('4.5')
    await player.getByRole('button', { name: 'Play', exact: true }).click()
    await player.getByRole('button', { name: 'Pause' }).waitFor()
    assert.ok(
      ((await soundOf<number>(page, 'currentTime')) ?? 0) >= 4.5,
      'it plays from where the slider was put',
    )
    await player.getByText(`0:0${seconds} / 0:0${seconds}`).waitFor()
    await player.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await picture(page, `recording-${type.slice(6)}`)
    assert.deepEqual(opened.broken, [], type)
  }
})

test('a click on a word plays it; the turn and the word that are heard are marked, and no other', async () => {
  await using opened = await openRecorded()
  const { page, player } = opened
  await turn(page, question).getByText('tomorrow,', { exact: true }).click()
  await isHeard(page, question).waitFor()
  const at = (await soundOf<number>(page, 'currentTime')) ?? 0
  assert.ok(at > 0.5 && at < 1.9, `${at} s is where the word is`)
  assert.equal(await isHeard(page, answer).count(), 0)
  await isHeard(page, answer).locator('.word.is-heard').waitFor()
  assert.equal(await isHeard(page, question).count(), 0)
  await player.getByRole('button', { name: 'Play', exact: true }).waitFor()
  await until(
    'nothing is marked at the end',
    async () => (await page.locator('[aria-current=true]').count()) === 0,
  )
  assert.deepEqual(opened.broken, [])
})

test('the player is used with the keyboard alone: turns, space and arrows', async () => {
  await using opened = await openRecorded()
  const { page, player } = opened
  const ofAnswer = turn(page, answer).getByRole('button', { name: 'Play from' })
  await ofAnswer.focus()
  await page.keyboard.press('Enter')
  await isHeard(page, answer).waitFor()
  await page.keyboard.press('Enter')
  await player.getByRole('button', { name: 'Play', exact: true }).waitFor()
  await picture(page, 'recording-heard')
  await page.keyboard.press('ArrowLeft')
  await player.getByText(`0:00 / 0:0${seconds}`).waitFor()
  await player.getByRole('slider', { name: 'Position' }).focus()
  await page.keyboard.press('ArrowRight')
  await player.getByText(`0:05 / 0:0${seconds}`).waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Space')
  await player.getByRole('button', { name: 'Pause' }).waitFor()
  await page.keyboard.press('Space')
  await player.getByRole('button', { name: 'Play', exact: true }).waitFor()
  // what is written elsewhere stays text
  await page.goto('/calls')
  await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('a b')
  assert.equal(await page.getByRole('searchbox', { name: 'Search' }).inputValue(), 'a b')
})

test('a recording plays slower or faster, and skips what nobody says anything in', async () => {
  await using opened = await openRecorded()
  const { page, player } = opened
  await player.getByLabel('Speed').selectOption({ label: '2×' })
  await player.getByRole('checkbox', { name: 'Skip silence' }).check()
  const jumps = page.locator('audio').evaluate(
    (audio) =>
      new Promise<number[]>((resolve) => {
        const sound = audio as unknown as EventTarget & { currentTime: number }
        const seen: number[] = []
        const look = () => seen.push(sound.currentTime)
        sound.addEventListener('timeupdate', look)
        sound.addEventListener('ended', () => resolve(seen))
      }),
  )
  await player.getByRole('button', { name: 'Play', exact: true }).click()
  const heard = await jumps
  assert.equal(await soundOf<number>(page, 'playbackRate'), 2)
  const inSilence = heard.filter((at) => at > 2.6 && at < 3.7)
  assert.deepEqual(inSilence, [], `of ${heard.join(' ')}`)
  await player.getByLabel('Speed').selectOption({ label: '0.75×' })
  assert.equal(await soundOf<number>(page, 'playbackRate'), 0.75)
})

test('a recording is downloaded as WAV and as Opus, whichever is kept', async () => {
  for (const [type, sound] of [
    ['audio/ogg', opus()],
    ['audio/wav', wav()],
  ] as const) {
    await using opened = await openRecorded(type, sound)
    const { page, player, call } = opened
    const download = async (format: 'WAV' | 'Opus') => {
      const started = page.waitForEvent('download')
      await player.getByRole('button', { name: `Download ${format}` }).click()
      const file = await started
      return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
    }
    const asWav = await download('WAV')
    assert.equal(asWav.name, `${call}.wav`)
    assert.equal(asWav.bytes.toString('latin1', 0, 4), 'RIFF')
    assert.deepEqual([asWav.bytes.readUInt16LE(22), asWav.bytes.readUInt32LE(24)], [2, 8000])
    const lengthS = (asWav.bytes.length - 44) / 4 / 8000
    assert.ok(Math.abs(lengthS - seconds) < 0.1, `${lengthS} s of WAV from ${type}`)
    const asOpus = await download('Opus')
    assert.equal(asOpus.name, `${call}.ogg`)
    const meter = new OggOpusMeter()
    meter.take(asOpus.bytes)
    assert.ok(
      Math.abs((meter.durationMs ?? 0) - seconds * 1000) < 100,
      `${meter.durationMs} ms of Opus from ${type}`,
    )
    if (type === 'audio/wav') {
      assert.notDeepEqual(asOpus.bytes, sound)
      const decodedS = await page.evaluate<number>(
        `new OfflineAudioContext(2, 1, 8000).decodeAudioData(Uint8Array.fromBase64(${JSON.stringify(asOpus.bytes.toString('base64'))}).buffer).then(({ duration }) => duration)`,
      )
      assert.ok(Math.abs(decodedS - seconds) < 0.1, `${decodedS} s are decoded`)
    }
    assert.deepEqual(opened.broken, [], type)
  }
})

test('a page with a recording is usable by everybody; a recording that is gone is said so', async () => {
  const call = await recorded('audio/ogg', opus())
  const ready = (page: Page) => page.getByRole('slider').waitFor()
  await assertGood({ url, key }, { path: `/calls/${call}`, name: 'recording', ready })
  await deployment.sql('delete from recordings where call = $1', [call])
  await using opened = await openPage({ url, key })
  await opened.page.goto(`/calls/${call}`)
  await opened.page.getByText(`call ${call} has no recording`).waitFor()
})
