import assert from 'node:assert/strict'
import { after } from 'node:test'
import { OggOpusWriter } from '@switchroom/audio/ogg-opus'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { recordedWav } from '@switchroom/gateway/testing/calls/recorded-wav'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import { startDeployment } from '@switchroom/gateway/testing/deployment'
import { openPage, picture, test } from './browser.ts'
import { assertGood } from './good-pages.ts'

const deployment = await startDeployment({ SVC_RECORDINGS: temporaryFolder({ after }) })
after(() => deployment[Symbol.asyncDispose]())
const { url } = deployment
const org = await deployment.newOrg()
const { key } = await org.person('admin')
const spoken = await new SpokenAgent(deployment, org, 'recorded-agent').route()
await spoken.holdingApp()

const seconds = 4
const opus = () => {
  const writer = new OggOpusWriter(8000, 2)
  const tones = Int16Array.from({ length: 2 * 8000 * seconds }, (_, at) => 8000 * Math.sin(at / 5))
  return Buffer.concat([writer.head(), writer.encode(tones), writer.end()])
}
/** Of both sides in turn: the caller speaks in the first half, the agent in the second. */
const peaks = Array.from({ length: 400 }, (_, at) =>
  (at % 2 === 0 ? at < 200 : at >= 200) ? 120 + (at % 90) : 2,
)

async function recorded(type: string, sound: Buffer): Promise<string> {
  const call = await spoken.open()
  const headers = { 'content-type': type, 'svc-peaks': Buffer.from(peaks).toString('base64') }
  const body = new Uint8Array(sound)
  done(await spoken.fleet.raw(`/v1/calls/${call}/recording`, { method: 'PUT', headers, body }))
  return call
}

test('the recording of a call is seen and heard on its page, in Opus and in WAV, from where one points', async () => {
  for (const [type, sound] of [
    ['audio/ogg', opus()],
    ['audio/wav', recordedWav(seconds * 1000)],
  ] as const) {
    const call = await recorded(type, sound)
    await using opened = await openPage({ url, key })
    const { page } = opened
    await page.goto(`/calls/${call}`)
    const player = page.getByRole('region', { name: 'Recording' })
    await player.getByText('0:00 / 0:04').waitFor()
    await player.getByRole('slider', { name: 'Position' }).fill('2')
    await player.getByRole('button', { name: 'Play' }).click()
    await player.getByRole('button', { name: 'Pause' }).waitFor()
    const at = () =>
      page.locator('audio').evaluate((audio) => (audio as unknown as { currentTime: number }).currentTime)
    assert.ok((await at()) >= 2, 'it plays from where the slider was put')
    await player.getByText('0:04 / 0:04').waitFor()
    await player.getByRole('button', { name: 'Play' }).waitFor()
    assert.equal(
      await player.getByRole('link', { name: 'Download' }).getAttribute('download'),
      `${call}.${type.slice(6)}`,
    )
    await picture(page, `recording-${type.slice(6)}`)
    assert.deepEqual(opened.broken, [], type)
  }
})

test('a page with a recording is usable by everybody; a recording that is gone is said so', async () => {
  const call = await recorded('audio/ogg', opus())
  const ready = (page: { getByRole: (role: 'slider') => { waitFor: () => Promise<void> } }) =>
    page.getByRole('slider').waitFor()
  await assertGood({ url, key }, { path: `/calls/${call}`, name: 'recording', ready })
  await deployment.sql('delete from recordings where call = $1', [call])
  await using opened = await openPage({ url, key })
  await opened.page.goto(`/calls/${call}`)
  await opened.page.getByText(`call ${call} has no recording`).waitFor()
})
