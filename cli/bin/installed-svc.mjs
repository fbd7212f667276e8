#!/usr/bin/env node
// The command as npm installs it: a built program, which runs on Node 20 and later.
import * as module from 'node:module'

const oldest = 20

if (Number.parseInt(process.versions.node, 10) >= oldest) {
  module.enableCompileCache?.() // half of the start, where Node has it
  await import('../dist/svc.js')
} else {
  process.stderr.write(
    `svc needs Node ${oldest} or later, and this is ${process.versions.node}: install a newer Node\n`,
  )
  process.exitCode = 2
}
