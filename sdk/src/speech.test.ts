import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { WebSocketServer, type WebSocket } from 'ws'
import { until } from '../testing/until.ts'
import { SpeechError } from './speech-error.ts'
import { SpeechClient } from './speech.ts'

interface Came {
  request: IncomingMessage
  body: string
}

/** A voice server of which a test says every byte. */
async function voiceServer(
  t: TestContext,
  answer: (response: ServerResponse) => void,
  converse?: (socket: WebSocket) => void,
) {
  const came: Came[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.once('end', () => {
      came.push({ request, body })
      answer(response)
    })
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    came.push({ request, body: '' })
    if (converse) sockets.handleUpgrade(request, socket, head, converse)
    else
      socket.end(
        'HTTP/1.1 402 Payment Required\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n' +
          '{"error":"there is no subscription","code":"SUBSCRIPTION_REQUIRED"}',
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { came, url, client: new SpeechClient({ url, key: 'marked-key' }) }
}

const wanted = { input: 'Olá 😀.', voice: 'local/en-us' }
const failing = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof SpeechError, String(error))
  return [error.code, error.status, error.error]
}

test('a server that cannot be reached is NETWORK_ERROR with status 0 (S-454, SD-79)', async (t) => {
  const { url, client } = await voiceServer(t, (response) => void response.destroy())
  const sentence = `the voice server at ${url} cannot be reached: check its address and that it is running`
  assert.deepEqual(await failing(client.speech(wanted)), ['NETWORK_ERROR', 0, sentence])
  const unreachableClient = new SpeechClient({ url: 'http://127.0.0.1:1', key: 'x' })
  for (const work of [
    () => unreachableClient.voices(),
    () => unreachableClient.transcribe({ file: Buffer.from('x') }),
    () => unreachableClient.stream(),
  ])
    assert.deepEqual((await failing(work())).slice(0, 2), ['NETWORK_ERROR', 0])
})

test('without a key it is MISSING_KEY with status 0, and nothing is sent (S-455, SD-79)', async (t) => {
  const { url, came } = await voiceServer(t, (response) => void response.end())
  const client = new SpeechClient({ url, key: '' })
  const missing = ['MISSING_KEY', 0, 'no key: set SVC_KEY or pass `key`']
  const works = [
    client.speech(wanted),
    client.voices(),
    client.transcribe({ file: Buffer.from('x') }),
    client.stream(),
  ]
  for (const work of works) assert.deepEqual(await failing(work), missing)
  assert.equal(came.length, 0)
})

test('a refusal is thrown with its code, status and sentence, at a socket too (S-436, SD-79)', async (t) => {
  const refusal = JSON.stringify({ error: 'no more', code: 'RATE_LIMITED' })
  const { client } = await voiceServer(t, (response) => void response.writeHead(429).end(refusal))
  assert.deepEqual(await failing(client.speech(wanted)), ['RATE_LIMITED', 429, 'no more'])
  const refused = ['SUBSCRIPTION_REQUIRED', 402, 'there is no subscription']
  assert.deepEqual(await failing(client.stream()), refused)
  const proxy = await voiceServer(t, (response) => void response.writeHead(504).end('<html>'))
  const inFront = ['HTTP_504', 504, 'the voice server answered 504']
  assert.deepEqual(await failing(proxy.client.voices()), inFront)
})

test('the key is in the header and never in an address, and Accept says what is read (S-313, S-315, S-351, SD-78, SD-79)', async (t) => {
  const { client, came } = await voiceServer(
    t,
    (response) => void response.end('data: [DONE]\n\n'),
    (socket) => socket.send('{"type":"ready"}'),
  )
  await (await client.speech(wanted)).bytes()
  for await (const event of await client.speech({ ...wanted, timestamps: true })) assert.fail(event.type)
  const stream = await client.stream({ sample_rate: 8_000, encoding: 'mulaw', diarize: false })
  await stream.close()
  const accepts = came.map(({ request }) => request.headers.accept)
  assert.deepEqual(accepts.slice(0, 2), ['audio/*', 'text/event-stream'])
  assert.equal(
    came[2]?.request.url,
    '/v1/audio/transcriptions/stream?sample_rate=8000&encoding=mulaw&diarize=false',
  )
  for (const { request } of came) {
    assert.equal(request.headers.authorization, 'Bearer marked-key')
    assert.ok(!request.url?.includes('marked-key'))
  }
})

test('characters and milliseconds are as the headers say, else counted (S-311, S-312, SD-79)', async (t) => {
  let headers: Record<string, string> = { 'x-svc-characters': '77', 'x-svc-audio-ms': '1234' }
  const { client } = await voiceServer(
    t,
    (response) => void response.writeHead(200, headers).end(Buffer.alloc(16_044)),
  )
  const measured = async (options: object) => {
    const audio = await client.speech({ ...wanted, ...options })
    assert.equal((await audio.bytes()).length, 16_044)
    return [audio.characters, audio.audioMs]
  }
  assert.deepEqual(await measured({}), [77, 1_234])
  headers = {}
  assert.deepEqual(await measured({}), [6, 501])
  assert.deepEqual(await measured({ sample_rate: 24_000 }), [6, 334])
  assert.deepEqual(await measured({ response_format: 'wav' }), [6, 500])
  assert.deepEqual(await measured({ response_format: 'mp3' }), [6, 0])
})

test('an answer that breaks off is an error, and a caller who stops reading cancels it (S-320, SD-79)', async (t) => {
  let left = 0
  const { client } = await voiceServer(t, (response) => {
    response.once('close', () => (left += 1))
    response.write(Buffer.alloc(100))
  })
  for await (const piece of await client.speech(wanted)) if (piece.length > 0) break
  await until('the server knows', () => left === 1)
  const broken = await voiceServer(t, (response) => {
    response.write('data: {"type":"start"}\n\n')
    setImmediate(() => response.destroy())
  })
  const brokeOff = [
    'NETWORK_ERROR',
    0,
    'the voice server closed the connection before the end of the answer: try again',
  ]
  assert.deepEqual(await failing(broken.client.speech(wanted).then((audio) => audio.bytes())), brokeOff)
  const short = await voiceServer(t, (response) => void response.end('data: {"type":"start"}\n\n'))
  const read = async () => {
    for await (const { type } of await short.client.speech({ ...wanted, timestamps: true }))
      assert.equal(type, 'start')
  }
  assert.deepEqual(await failing(read()), brokeOff)
})

test('events come with their sound decoded, and an error among them is thrown (S-407, SD-79)', async (t) => {
  const lines = [
    '{"type":"start","request_id":"req_1","format":"pcm","sample_rate":16000}',
    '{"type":"audio","data":"AAEC"}',
    '{"type":"word","word":"é","start":0,"end":0.5}',
    '{"type":"error","code":"UPSTREAM_ERROR","error":"the vendor broke"}',
  ]
  const bytes = Buffer.from(lines.map((line) => `data: ${line}\n\n`).join(''))
  const { client } = await voiceServer(t, (response) => {
    for (const byte of bytes) response.write(Buffer.from([byte])) // wherever a packet may end
    response.end()
  })
  const events: unknown[] = []
  const read = async () => {
    for await (const event of await client.speech({ ...wanted, timestamps: true })) events.push(event)
  }
  assert.deepEqual(await failing(read()), ['UPSTREAM_ERROR', 200, 'the vendor broke'])
  assert.deepEqual(events, [
    { type: 'start', request_id: 'req_1', format: 'pcm', sample_rate: 16_000 },
    { type: 'audio', data: Buffer.from([0, 1, 2]) },
    { type: 'word', word: 'é', start: 0, end: 0.5 },
  ])
})

const done = { type: 'done', request_id: 'req_1', audio_seconds: 1, billed_minutes: 0.0167 }

/** Tells what it was sent, and answers a stop. */
const listening =
  (frames: string[], atStop: (socket: WebSocket) => void) =>
  (socket: WebSocket): void => {
    socket.send(JSON.stringify({ type: 'ready', request_id: 'req_1', model: 'a/b', sample_rate: 16_000 }))
    socket.on('message', (data: Buffer, isBinary) => {
      frames.push(isBinary ? `${data.length} bytes` : data.toString())
      if (!isBinary && data.toString().includes('stop')) atStop(socket)
    })
  }

test('a stream sends audio and reads what is heard, to the end (SD-79)', async (t) => {
  const frames: string[] = []
  const heard = [{ type: 'partial', text: 'he' }, { type: 'final', text: 'hello' }, done]
  const converse = listening(frames, (socket) => {
    for (const frame of heard) socket.send(JSON.stringify(frame))
    socket.close(1000)
  })
  const { client } = await voiceServer(t, () => {}, converse)
  const stream = await client.stream()
  assert.equal(stream.ready.model, 'a/b')
  await stream.send(Buffer.alloc(320))
  stream.finalize()
  assert.deepEqual(await stream.stop(), done)
  assert.deepEqual(frames, ['320 bytes', '{"type":"finalize"}', '{"type":"stop"}'])
  const read: unknown[] = []
  for await (const frame of stream) read.push(frame)
  assert.deepEqual(read, heard)
})

test('a stream is opened at the address that is set for sockets, unless another voice server is named (S-003, SD-01)', async (t) => {
  const ready = {
    type: 'ready',
    request_id: 'r',
    model: 'm',
    sample_rate: 16_000,
    encoding: 'linear16',
    diarize: false,
  }
  const live = await voiceServer(
    t,
    (response) => void response.end('{"voices":[]}'),
    (socket) => socket.send(JSON.stringify(ready)),
  )
  const elsewhere = await voiceServer(t, (response) => void response.end('{"voices":[]}'))
  process.env['SVC_WS_URL'] = `${live.url.replace('http', 'ws')}/`
  process.env['SVC_VOICE_URL'] = elsewhere.url
  t.after(() => {
    delete process.env['SVC_WS_URL']
    delete process.env['SVC_VOICE_URL']
  })
  const opened = async (client: SpeechClient) => {
    const stream = await client.stream()
    await stream.close()
    return stream.ready.model
  }
  const client = new SpeechClient({ key: 'x' })
  assert.equal(await opened(client), 'm')
  await client.voices()
  assert.deepEqual([live.came.length, elsewhere.came.length], [1, 1])
  const given = new SpeechClient({ url: elsewhere.url, wsUrl: live.url, key: 'x' })
  assert.equal(await opened(given), 'm')
  const named = new SpeechClient({ url: elsewhere.url, key: 'x' })
  assert.equal((await failing(named.stream()))[1], 402, 'which the other one answers')
})

test('a clean close before done is CLOSED, unless the caller closed it; one without a word is NETWORK_ERROR (S-456, SD-79)', async (t) => {
  const endings: [(socket: WebSocket) => void, string][] = [
    [(socket) => socket.close(1000), 'CLOSED'],
    [(socket) => socket.terminate(), 'NETWORK_ERROR'],
    [
      (socket) => {
        socket.send('{"type":"error","code":"UPSTREAM_ERROR","error":"the vendor broke"}')
        socket.close(1011)
      },
      'UPSTREAM_ERROR',
    ],
  ]
  for (const [end, code] of endings) {
    const { client } = await voiceServer(t, () => {}, listening([], end))
    const stream = await client.stream()
    assert.deepEqual((await failing(stream.stop())).slice(0, 2), [code, 0])
    const read = async () => {
      for await (const frame of stream) assert.fail(JSON.stringify(frame))
    }
    assert.deepEqual((await failing(read())).slice(0, 2), [code, 0])
  }
  const { client } = await voiceServer(
    t,
    () => {},
    listening([], () => {}),
  )
  const stream = await client.stream()
  await stream.close()
  for await (const frame of stream) assert.fail(JSON.stringify(frame))
})

test('what is no frame of a voice server fails the stream and leaves the process (SD-79)', async (t) => {
  const { client } = await voiceServer(
    t,
    () => {},
    listening([], (socket) => socket.send('<html>')),
  )
  const stream = await client.stream()
  const brokeOff = [
    'NETWORK_ERROR',
    0,
    'the voice server closed the connection before the end of the answer: try again',
  ]
  assert.deepEqual(await failing(stream.stop()), brokeOff)
})
