import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Machine } from '../../testing/terminal.ts'

interface Came {
  path: string
  key: string
  body: string
}

/** A voice server that says every byte as the test wants it. */
async function voiceServer(t: TestContext, status: number, type: string, answer: string | Buffer) {
  const came: Came[] = []
  const server = createServer((request, response) => {
    void request.toArray().then((pieces) => {
      const body = Buffer.concat(pieces as Buffer[]).toString('latin1')
      came.push({ path: request.url ?? '', key: request.headers.authorization ?? '', body })
      return response.writeHead(status, { 'content-type': type }).end(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { came, machine: Machine.of(t, { SVC_KEY: 'marked', SVC_VOICE_URL: url }) }
}

test('speak writes the sound into a file in the format of its name, or to standard output', async (t) => {
  const sound = Buffer.alloc(44 + 32_000, 7)
  const { came, machine } = await voiceServer(t, 200, 'audio/wav', sound)
  const spoken = await machine.run([
    'speak',
    'Hello.',
    '--voice',
    'local/de',
    '--out',
    'hello.wav',
    '--speed',
    '1.5',
  ])
  assert.deepEqual([spoken.status, spoken.stdout], [0, 'hello.wav: 1.0 s\n'])
  assert.deepEqual(readFileSync(join(machine.home, 'hello.wav')), sound)
  assert.deepEqual(JSON.parse(came[0]?.body ?? ''), {
    input: 'Hello.',
    voice: 'local/de',
    response_format: 'wav',
    speed: 1.5,
  })
  assert.deepEqual([came[0]?.path, came[0]?.key], ['/v1/audio/speech', 'Bearer marked'])
  const piped = await machine.run(['speak', '--format', 'mp3'], 'From a pipe.')
  assert.deepEqual([piped.status, piped.stdout.length], [0, sound.length])
  const { input, response_format } = JSON.parse(came[1]?.body ?? '')
  assert.deepEqual([input, response_format], ['From a pipe.', 'mp3'])
  const unwritable = await machine.run(['speak', 'Hello.', '--out', 'no/such/folder.wav'])
  assert.equal(unwritable.status, 2)
  assert.match(unwritable.stderr, /^svc: no\/such\/folder\.wav could not be written: /)
  const full = await machine.run(['speak', 'Hello.', '--out', '/dev/full', '--format', 'wav'])
  assert.equal(full.status, 2)
  assert.match(full.stderr, /^svc: \/dev\/full could not be written: .+\n$/)
})

test('transcribe prints what was said, and with --json all that is known of it', async (t) => {
  const heard = {
    text: 'Hello there.',
    language: 'en',
    duration: 1,
    model: 'local/base',
    words: [],
    segments: [{ id: 0, start: 0, end: 1, text: 'Hello there.', speaker: 1 }],
  }
  const { came, machine } = await voiceServer(t, 200, 'application/json', JSON.stringify(heard))
  writeFileSync(join(machine.home, 'hello.wav'), 'RIFF-of-the-test')
  assert.equal((await machine.run(['transcribe', 'hello.wav'])).stdout, 'Hello there.\n')
  assert.match(came[0]?.body ?? '', /RIFF-of-the-test/)
  assert.deepEqual(await machine.json(['transcribe', 'hello.wav']), heard)
  assert.equal((await machine.run(['transcribe', 'hello.wav', '--diarize'])).stdout, '1: Hello there.\n')
  const missing = await machine.run(['transcribe', 'nowhere.wav'])
  assert.equal(missing.status, 2)
  assert.match(missing.stderr, /^svc: nowhere\.wav could not be read: /)
})

test('a refusal of the voice server is 1 with its sentence, and an unreachable one is 4', async (t) => {
  const refusal = JSON.stringify({ error: 'there is no voice unknown', code: 'BAD_VOICE' })
  const { machine } = await voiceServer(t, 400, 'application/json', refusal)
  const refused = await machine.run(['speak', 'Hello.', '--out', 'x.wav'])
  assert.deepEqual([refused.status, refused.stderr], [1, 'svc: there is no voice unknown\n'])
  const page = await voiceServer(t, 200, 'text/html', '<!doctype html>')
  const other = await page.machine.run(['voices'])
  assert.equal(other.status, 4)
  assert.match(
    other.stderr,
    /^svc: the voice server at http:\S+ cannot be reached \(.+\): check its address and that it is running\n$/,
  )
  const gone = await machine.run(['voices', '--voice-server', 'http://127.0.0.1:1'])
  assert.deepEqual(
    [gone.status, gone.stderr],
    [
      4,
      'svc: the voice server at http://127.0.0.1:1 cannot be reached: check its address and that it is running\n',
    ],
  )
})
