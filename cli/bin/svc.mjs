#!/usr/bin/env node
// Plain JavaScript: whatever Node starts this, the program itself runs on 24 or later.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const oldest = 24
const main = new URL('../src/main.ts', import.meta.url)
const own = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url))

if (Number.parseInt(process.versions.node, 10) >= oldest) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache?.() // half of the start
  await import(main.href)
} else if (existsSync(own)) {
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(own, args, { stdio: 'inherit' })
  // A terminal's Ctrl-C reaches the child by itself.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (status, signal) => process.exit(status ?? 128 + (constants.signals[signal ?? ''] ?? 0)))
} else {
  process.stderr.write(
    `svc needs Node ${oldest} or later: run npm install in the checkout, which brings one\n`,
  )
  process.exitCode = 2
}
