import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/vendors.md'), 'utf8')
const rows = page.split('\n').filter((line) => line.startsWith('| `'))

interface Declared {
  devDependencies?: Record<string, string>
  svcVendor?: {
    name: string
    does: string[]
    stages: Record<string, { model: string; retires?: Record<string, string> }>
  }
}

const packages = readdirSync(join(root, 'vendors'))
  .map((name) => JSON.parse(readFileSync(join(root, 'vendors', name, 'package.json'), 'utf8')) as Declared)
  .flatMap(({ svcVendor, devDependencies = {} }) => (svcVendor ? [{ ...svcVendor, devDependencies }] : []))

test('the page of vendors names each with its models by default and the client that checked its fake', () => {
  const first = new Map(rows.map((row) => [/`([^`]+)`/.exec(row)?.[1], row] as const).toReversed())
  for (const { name, does, stages, devDependencies } of packages) {
    const row = first.get(name)
    assert.ok(row, `docs/vendors.md has no row for ${name}`)
    for (const stage of does) assert.ok(row.includes(stage), `${name} does ${stage}`)
    for (const { model } of Object.values(stages))
      if (model !== '') assert.ok(row.includes(`\`${model}\``), `${name} runs ${model} by default`)
    for (const [client, version] of Object.entries(devDependencies))
      if (!client.startsWith('@switchroom/'))
        assert.ok(row.includes(`\`${client}\` ${version}`), `${name} is checked by ${client} ${version}`)
  }
})

test('the page of vendors names every model that a vendor switches off, with its day', () => {
  for (const { name, stages } of packages)
    for (const { retires = {} } of Object.values(stages))
      for (const [model, day] of Object.entries(retires))
        assert.ok(
          rows.some((row) => [`| \`${name}\``, `\`${model}\``, day].every((part) => row.includes(part))),
          `docs/vendors.md does not say that ${name} switches ${model} off on ${day}`,
        )
})
