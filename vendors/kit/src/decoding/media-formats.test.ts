import assert from 'node:assert/strict'
import test from 'node:test'
import { aiff, recording, silentAmr, spokenPcm } from '../../testing/recordings.ts'
import { formatOf } from './media-formats.ts'

test('the format of a file is detected from its content (SD-74)', () => {
  const files = {
    wav: recording('fox.wav'),
    mp3: recording('fox.mp3'),
    m4a: recording('fox.m4a'),
    webm: recording('fox.webm'),
    ogg: recording('fox-vorbis.ogg'),
    flac: recording('fox.flac'),
    aac: recording('fox.aac'),
    aiff: aiff(spokenPcm(), 16_000),
    amr: silentAmr(),
  }
  for (const [form, file] of Object.entries(files)) assert.equal(formatOf(file), form)
})

test('a tag before the sound is looked behind', () => {
  const tag = Buffer.concat([Buffer.from('ID3\x04\0\0'), Buffer.of(0, 0, 0, 20), Buffer.alloc(20)])
  assert.equal(formatOf(Buffer.concat([tag, recording('fox.aac')])), 'aac')
  assert.equal(formatOf(Buffer.concat([tag, recording('fox.flac')])), 'flac')
  assert.equal(formatOf(tag), 'mp3')
})

test('what is no sound has no form, in whichever container', () => {
  const others = [
    '%PDF-1.7 and more',
    '<!doctype html>',
    'RIFF\x10\0\0\0AVI LIST',
    'FORM\0\0\0\x10ILBMBMHD',
    '\0\0\0\x18ftypheic\0\0\0\0',
    '\x89PNG\r\n\x1a\n\0\0\0\0',
    'PK\x03\x04............',
    '\xff\xd8\xff\xe0\0\x10JFIF\0\0',
    '\xff\xfe\xff\xff............',
    '',
    'R',
  ]
  for (const other of others) assert.equal(formatOf(Buffer.from(other, 'latin1')), undefined, other)
})
