import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'

const page = readFileSync(new URL('../../../../docs/extending.md', import.meta.url), 'utf8')
const [, recipe = ''] = page.split('## A vendor\n')
const codeIn = (language: string) => recipe.split('```' + language + '\n')[1]?.split('\n```')[0] ?? ''

/** Does what the recipe says, in a folder outside the checkout. */
const folder = mkdtempSync(join(tmpdir(), 'vendors-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'beep'))
writeFileSync(join(folder, 'beep', 'package.json'), codeIn('json'))
writeFileSync(join(folder, 'beep', 'adapter.js'), codeIn('js'))

test('a vendor made by the recipe in docs/extending.md is listed, and speaks', async () => {
  await using deployment = await startDeployment({ SVC_VENDOR_FOLDERS: folder })
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const { body } = await client.get('/v1/providers')
  assert.match(JSON.stringify(body), /"beep"/)
  const sample = await client.post('/v1/voices/sample', { tts: 'beep', voice: 'any', text: 'Hello' })
  assert.equal(sample.status, 200, sample.text)
  const { bytes } = sample
  assert.deepEqual([bytes.toString('latin1', 0, 4), bytes.length], ['RIFF', 44 + 16_000])
  assert.deepEqual([bytes.readInt16LE(44), bytes.readInt16LE(44 + 36)], [0x1010, -0x0f10])
})
