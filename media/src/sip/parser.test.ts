import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusedCorpus, tornCorpus, tolerated } from '../../testing/sip-corpus.ts'
import { header, headersOf, isRequest } from './message.ts'
import { MalformedMessage, parseMessage } from './parser.ts'
import { MessageStream } from './stream.ts'
import { readNameAddress, readUri, readVia } from './syntax.ts'

for (const [name, message] of Object.entries(tolerated))
  test(`a message is read ${name}`, () => {
    const read = parseMessage(Buffer.from(message))
    assert.ok(isRequest(read))
    assert.equal(read.fault, null)
    assert.deepEqual(
      [read.callId, read.from.tag, read.cseq.number, read.via.branch],
      ['torture-1', '1928', 314_159, 'z9hG4bKone'],
    )
  })

for (const [name, message] of Object.entries(refusedCorpus))
  test(`a request is answered that it is bad ${name}`, () => {
    const read = parseMessage(Buffer.from(message))
    assert.ok(isRequest(read))
    assert.notEqual(read.fault, null)
  })

for (const [name, message] of Object.entries(tornCorpus))
  test(`it is no SIP ${name}`, () => {
    assert.throws(() => parseMessage(Buffer.from(message)), MalformedMessage)
  })

test('headers in their short form, folded, and as a list are headers', () => {
  const read = parseMessage(Buffer.from(tolerated['with short forms, folded lines and blanks'] ?? ''))
  assert.deepEqual(
    headersOf(read, 'via').map((value) => readVia(value)?.host),
    ['192.0.2.2', 'spindle.example.com', '192.168.255.111'],
  )
  assert.equal(header(read, 'subject'), 'I know you are there, pick up the phone and answer')
})

test('a connection is cut into messages wherever its bytes are cut', () => {
  const message = Buffer.from(tolerated['as it is usually written'] ?? '')
  const bytes = Buffer.concat([Buffer.from('\r\n\r\n'), message, Buffer.from('\r\n'), message, message])
  for (const size of [1, 2, 3, 7, 50, bytes.length]) {
    const stream = new MessageStream()
    let [messages, pings] = [0, 0]
    for (let at = 0; at < bytes.length; at += size)
      for (const read of stream.read(bytes.subarray(at, at + size)))
        if (read === 'ping') pings++
        else if (read !== 'pong') {
          messages++
          assert.equal(read.body.length, 5)
        }
    assert.deepEqual([messages, stream.isAmid], [3, false], `in pieces of ${size}`)
    assert.ok(size < 4 || pings === 1)
  }
})

test('a connection that does not say how long its messages are is no SIP', () => {
  const message = (tolerated['as it is usually written'] ?? '').replace(/Content-Length.*\r\n/, '')
  assert.throws(() => [...new MessageStream().read(Buffer.from(message))], MalformedMessage)
  const endless = Buffer.from(`INVITE sip:a@b SIP/2.0\r\n${'X: y\r\n'.repeat(12_000)}`)
  assert.throws(() => [...new MessageStream().read(endless)], MalformedMessage)
  const vast = (tolerated['as it is usually written'] ?? '').replace(
    /Content-Length: 5/,
    'Content-Length: 900000000',
  )
  assert.throws(() => [...new MessageStream().read(Buffer.from(vast))], MalformedMessage)
})

test('addresses are read with what carriers put around them', () => {
  assert.equal(readUri('sip:+34911;phone-context=x@h.example:5070;user=phone?Subject=a')?.user, '+34911')
  assert.deepEqual(readUri('SIP:%2B34911:secret@H.example;transport=TCP')?.user, '+34911')
  assert.equal(readUri('tel:+34-911-22;phone-context=example.com')?.user, '+34-911-22')
  for (const uri of [
    'http://a',
    'sip:',
    'sip:a@',
    'sip:a@b:0',
    'sip:a@b:99999',
    'sip:a@b c',
    'sip:%zz@b',
    'sip:a@<b>',
  ])
    assert.equal(readUri(uri), null, uri)
  const named = readNameAddress(String.raw`"Ana \" <x>;tag=no, the great" <sip:ana@h;lr>;tag=9;x="a;b"`)
  assert.deepEqual([named?.uri, named?.tag, named?.params.get('x')], ['sip:ana@h;lr', '9', 'a;b'])
  assert.equal(readNameAddress('<sip:a@b'), null)
})

test('a message of blanks or of empty lines is read in no time', () => {
  const begun = performance.now()
  const head = 'OPTIONS sip:desk@example.com SIP/2.0\r\nvia: SIP/2.0/UDP host;branch=z9hG4bK1'
  const blanks = ' '.repeat(60_000)
  for (const message of [`${head}${blanks}x\r\n\r\n`, `${head}\r\nx:${blanks}y\r\n\r\n`, `${blanks}\r\n\r\n`])
    assert.throws(() => parseMessage(Buffer.from(message)), MalformedMessage)
  assert.equal(readVia(`SIP/2.0/UDP${blanks}`), null)
  assert.ok(performance.now() - begun < 2000)
})
