import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { startTranscriberWire, type TranscriberWire } from '../../testing/transcriber-wire.ts'
import { transcribe } from '../../testing/form-caller.ts'
import { recording, wavSaying } from '@switchroom/kit/testing/recordings'
import { startWithFakeGateway } from '../../testing/speech-server.ts'
import { refusedWith } from '../../testing/voice-deployment.ts'
import { HeldBytes } from './held-bytes.ts'

const most = 26_214_400
const tooLarge = '`file` is larger than 26214400 bytes (25 MB)'

let speech: Awaited<ReturnType<typeof startWithFakeGateway>>
let wire: TranscriberWire

before(async () => {
  wire = await startTranscriberWire()
  speech = await startWithFakeGateway()
  speech.gateway.grant = () => ({
    vendor: 'deepgram',
    model: 'nova-3',
    options: { base_url: wire.fake.url },
    credentials: { api_key: 'their key' },
  })
})
after(async () => {
  await speech[Symbol.asyncDispose]()
  await wire.fake.stop()
})

const wavOfBytes = (bytes: number) => Buffer.concat([wavSaying({}), Buffer.alloc(bytes - 44)])

test('a file of 25 MB is taken, and one byte more is not (S-328, S-449, S-460, SD-74)', async () => {
  const taken = await transcribe(speech.url, { file: { bytes: wavOfBytes(most) } })
  assert.equal(taken.status, 200)
  assert.equal(wire.fake.seen.at(-1)?.body.length, most)
  const refused = await transcribe(speech.url, { file: { bytes: wavOfBytes(most + 1) } })
  refusedWith(refused, 413, 'FILE_TOO_LARGE', tooLarge)
})

test('an endless file is refused as soon as it is too large (S-328, SD-74)', async () => {
  const { answer, sentBytes } = await endlessUpload(wavSaying({}), 'file')
  assert.match(answer, /^HTTP\/1.1 413 /)
  assert.ok(answer.includes(JSON.stringify({ error: tooLarge, code: 'FILE_TOO_LARGE' })), answer)
  assert.ok(sentBytes < 4 * most, `${sentBytes} bytes were taken`)
})

test('an endless file that is no sound is refused at its first bytes (S-450)', async () => {
  const { answer, sentBytes } = await endlessUpload(Buffer.from('<html><body>not a sound'), 'file')
  assert.match(answer, /^HTTP\/1.1 415 /)
  assert.ok(sentBytes < most, `${sentBytes} bytes were taken`)
})

test('an endless file of another name is refused as well', async () => {
  const { answer } = await endlessUpload(Buffer.from('anything'), 'attachment')
  assert.match(answer, /^HTTP\/1.1 413 /)
})

test('a form with a part whose head does not end is refused at once (SD-74)', async () => {
  const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"'
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const form = `${file}\r\nContent-Type: audio/wav\r\n.\nRIFF\r\n--x--\r\n`
  const answer = await transcribe(speech.url, form, { headers, signal: AbortSignal.timeout(10_000) })
  refusedWith(answer, 400, 'BAD_REQUEST', 'body: must be whole multipart/form-data')
})

test('the connection stays open after a refusal whose sender had finished', async () => {
  const refused = await transcribe(speech.url, { file: { bytes: Buffer.alloc(3_000_000, 'text ') } })
  assert.equal(refused.status, 415)
  const { status } = await transcribe(speech.url, { file: { bytes: recording('fox.wav') } })
  assert.equal(status, 200)
})

test('all files together hold only so much of the memory', () => {
  const held = new HeldBytes(100)
  const [one, two] = [held.hold(), held.hold()]
  one.take(60)
  assert.throws(() => two.take(41), { status: 429, code: 'RATE_LIMITED' })
  two.take(40)
  one.release()
  two.take(60)
  two.release()
  two.release()
  assert.equal(held.held, 0)
})

/** Sends until it is answered, and says how much that took. */
function endlessUpload(start: Buffer, field: string): Promise<{ answer: string; sentBytes: number }> {
  const { port } = new URL(speech.url)
  const { promise, resolve } = Promise.withResolvers<{ answer: string; sentBytes: number }>()
  const socket = connect(Number(port), '127.0.0.1')
  const head = [
    'POST /v1/audio/transcriptions HTTP/1.1',
    'Host: voice',
    'Authorization: Bearer any',
    'Content-Type: multipart/form-data; boundary=x',
    `Content-Length: ${1024 ** 3}`,
  ]
  const part = `--x\r\nContent-Disposition: form-data; name="${field}"; filename="a"\r\n\r\n`
  socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n${part}`), start]))
  const piece = Buffer.alloc(64 * 1024)
  let sentBytes = start.length
  let isAnswered = false
  const send = () => {
    if (isAnswered || socket.destroyed) return
    sentBytes += piece.length
    socket.write(piece, () => setImmediate(send))
  }
  send()
  socket.on('error', () => {})
  socket.once('data', (data: Buffer) => {
    isAnswered = true
    resolve({ answer: data.toString(), sentBytes })
    socket.destroy()
  })
  return promise
}
