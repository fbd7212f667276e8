import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { KnowledgeDeployment } from '@switchroom/gateway/testing/knowledge/knowledge-deployment'
import { until } from '@switchroom/gateway/testing/until'
import { Machine } from '../../testing/terminal.ts'

const knowledge = await KnowledgeDeployment.start()
after(() => knowledge[Symbol.asyncDispose]())
const { deployment } = knowledge

test('a base is created, filled from a folder by what changed, searched, and deleted', async (t) => {
  const { key, client } = await (await deployment.newOrg()).person('admin')
  const machine = Machine.of(t, { SVC_GATEWAY_URL: deployment.url, SVC_KEY: key })
  const run = async (...typed: string[]) => {
    const { status, stdout, stderr } = await machine.run(['bases', ...typed])
    assert.equal(status, 0, stderr)
    return stdout
  }
  const folder = await mkdtemp(join(tmpdir(), 'switchroom-svc-bases-'))
  t.after(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'help'))
  await writeFile(join(folder, 'help', 'opening.md'), '# Opening\n\nWe open at nine.')
  await writeFile(join(folder, 'prices.txt'), 'Washing costs 5 euro.')
  await writeFile(join(folder, 'tool.exe'), 'left alone')

  assert.equal(await run('create', 'faq', '--language', 'en'), 'Created faq.\n')
  assert.equal(
    await run('add', 'faq', folder),
    'Added help/opening.md.\nAdded prices.txt.\n2 added, 0 replaced, 0 deleted, 0 as before.\n',
  )
  await writeFile(join(folder, 'prices.txt'), 'Washing costs 6 euro.')
  await rm(join(folder, 'help'), { recursive: true })
  assert.equal(
    await run('add', 'faq', folder, '--delete'),
    'Replaced prices.txt.\nDeleted help/opening.md.\n0 added, 1 replaced, 1 deleted, 0 as before.\n',
  )
  assert.equal(await run('add', 'faq', folder), '0 added, 0 replaced, 0 deleted, 1 as before.\n')
  await until('it is read', async () => (await run('documents', 'faq')).includes('\tready\t'))
  assert.match(
    await run('search', 'faq', 'what does washing cost'),
    /^\d\.\d\d {2}prices\.txt\nWashing costs 6 euro\.\n$/,
  )
  assert.match(await run(), /^faq\t1\t1\tall\t\t/m)
  assert.equal(await run('change', 'faq', '--agents', 'desk'), 'Changed faq.\n')
  assert.deepEqual(await machine.json(['bases', 'show', 'faq']), done(await client.get('/v1/bases/faq')))
  assert.equal(await run('remove', 'faq', 'prices.txt'), 'Deleted prices.txt.\n')
  assert.equal(await run('delete', 'faq'), 'Deleted faq.\n')
})
