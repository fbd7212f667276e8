import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { nobody } = deployment

test('the pages behind links are the same whatever the address holds, and run no script of another (ID-83)', async () => {
  const pages = ['/', '/?login=lc_x', '/?refused=no', '/cli?c=cli_x&login=lc_x', '/invitations/x']
  for (const path of pages) {
    const { status, headers, text } = await nobody.get(path)
    assert.equal(status, 200, path)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self';/)
    assert.deepEqual(
      [headers.get('referrer-policy'), headers.get('cache-control')],
      ['no-referrer', 'no-store'],
    )
    assert.doesNotMatch(text, /lc_x|cli_x|<script>|onclick/)
    for (const [, asset] of text.matchAll(/(?:src|href)="(\/pages\/[^"]+)"/g))
      assert.equal((await nobody.get(String(asset))).status, 200, asset)
  }
  assert.equal((await nobody.get('/')).text, (await nobody.get('/?refused=no')).text)
})
