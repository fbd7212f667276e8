import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'

const folder = fileURLToPath(new URL('../../deploy/systemd', import.meta.url))
const units = readdirSync(folder).filter((name) => name.endsWith('.service'))
const program = '/usr/bin/systemd-analyze'
const skip = existsSync(program) ? false : 'needs systemd-analyze: apt-get install systemd'
/** Of ten points; systemd says "OK" from 5 down and "SAFE" from 2. */
const mostExposed = 2.5

test('systemd understands every unit, and finds each confined', { skip }, (t) => {
  const copies = temporaryFolder(t)
  assert.ok(units.length >= 3)
  for (const unit of units) {
    const file = join(copies, unit)
    // what it runs is not installed here
    writeFileSync(
      file,
      readFileSync(join(folder, unit), 'utf8').replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'),
    )
    const verified = spawnSync(program, ['verify', '--man=no', file], { encoding: 'utf8' })
    assert.doesNotMatch(verified.stderr, new RegExp(unit), verified.stderr)
    const judged = spawnSync(
      program,
      ['security', '--offline=true', `--threshold=${mostExposed * 10}`, '--no-pager', file],
      {
        encoding: 'utf8',
      },
    )
    assert.equal(judged.status, 0, judged.stdout + judged.stderr)
  }
})
