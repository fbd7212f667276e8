import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './test-files.ts'

test('every test that the threat model names exists, and every attacker has one', () => {
  const page = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('.test.ts'))
  const named = rows.map((row) => [...row.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = '']) => file))
  assert.ok(rows.length >= 15)
  assert.deepEqual(
    named.flat().filter((file) => !existsSync(join(root, file))),
    [],
  )
  const attackers = ['Stranger', 'Tenant', 'Member', 'Narrowed member', 'Vendor', 'Caller', 'Somebody on']
  for (const attacker of attackers)
    assert.ok(
      rows.some((row) => row.startsWith(`| **${attacker}`)),
      attacker,
    )
})
