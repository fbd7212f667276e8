import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'
import { root } from './launch.ts'
import type { VoiceDeployment } from './spoken-fixture.ts'

/** Runs the example agent as `npm start` does: a process of its own, with a key of the org, whose settings greet so. */
export async function runExample(
  t: Lasting,
  { deployment, key }: VoiceDeployment,
  { greeting, person }: { greeting: string; person?: string },
): Promise<void> {
  const set = { config: { greeting: { say: greeting } }, if_version: 0 }
  const greeted = await deployment.anonymous.as(key).put('/v1/agents/hello/settings', set)
  assert.ok(greeted.status === 200 || greeted.status === 409, greeted.text) // what was set before stays
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC_|NODE_TEST_)/.test(name))
  const child = spawn(process.execPath, ['examples/hello/hello.ts'], {
    cwd: root,
    env: {
      ...Object.fromEntries(inherited),
      SVC_URL: deployment.url,
      SVC_KEY: key,
      ...(person !== undefined && { HELLO_PERSON: person }),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  child.stderr?.on('data', (chunk) => (said += String(chunk)))
  const ended = once(child, 'exit')
  afterwards(t, async () => {
    child.kill('SIGTERM')
    await ended
  })
  const isReady = await Promise.race([once(child, 'message').then(() => true), ended.then(() => false)])
  if (!isReady) throw new Error(`the example did not start: ${said}`)
}
