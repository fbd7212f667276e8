import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zipSync } from 'fflate'
import type { DocumentFormat } from '@switchroom/contract/knowledge-names'
import { readInProcess, usualLimits, type ReadingLimits } from './reading-process.ts'
import { hardSize, sizeOf } from './chunking.ts'

const megabyte = 1024 * 1024
const { signal } = new AbortController()

const read = (format: DocumentFormat, content: Buffer | string, limits: Partial<ReadingLimits> = {}) =>
  readInProcess({ format, name: 'x', language: null }, Buffer.from(content), signal, {
    ...usualLimits,
    ...limits,
  })
const whyNot = (...of: Parameters<typeof read>) =>
  read(...of).then(
    (chunks) => assert.fail(`it was read into ${chunks.length} chunks`),
    (error: Error) => error.message,
  )

const docxOf = (document: string | Uint8Array, more: Record<string, Uint8Array> = {}) =>
  Buffer.from(
    zipSync({
      '[Content_Types].xml': Buffer.from(
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
      ),
      '_rels/.rels': Buffer.from(
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
      ),
      'word/document.xml': typeof document === 'string' ? Buffer.from(document) : document,
      ...more,
    }),
  )
const wordOf = (body: string, before = '') =>
  `<?xml version="1.0"?>${before}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`

test('an archive that unpacks to far more than it is is refused before it is unpacked', async () => {
  const bomb = docxOf(wordOf('<w:p/>'), { 'word/media/bomb.bin': new Uint8Array(150 * megabyte) })
  assert.ok(bomb.length < megabyte)
  assert.equal(await whyNot('docx', bomb), 'it unpacks to more than 100 MB or 5000 parts')
})

test('entities of XML that multiply are not expanded', async () => {
  const levels = Array.from({ length: 10 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join(
    '',
  )
  const before = `<!DOCTYPE d [<!ENTITY e0 "lol">${levels}<!ENTITY f SYSTEM "file:///etc/passwd">]>`
  const bomb = docxOf(wordOf('<w:p><w:r><w:t>&e10;&f;</w:t></w:r></w:p>', before))
  const text = await read('docx', bomb).then(JSON.stringify, (error: Error) => error.message)
  assert.ok(text.length < 10_000, text.slice(0, 200))
  assert.ok(!text.includes('root:'))
})

test('a page that is nested deeper than any stack is read, or ends for its time alone', async () => {
  const deep = 20_000
  const html = `<main>${'<div>'.repeat(deep)}<p>Inside.</p>${'</div>'.repeat(deep)}</main>`
  assert.deepEqual(await read('html', html), [{ heading: [], text: 'Inside.' }])
  const worse = '<div><p>'.repeat(1_000_000)
  assert.equal(await whyNot('html', worse, { timeMs: 2000 }), 'reading it took longer than 2 seconds')
})

test('a program that needs more memory than it may is ended, and the sentence says so', async () => {
  const table = `<table>${'<tr><td>a<td>b'.repeat(400_000)}</table>`
  assert.equal(await whyNot('html', table, { memoryMb: 120 }), 'reading it needed more than 120 MB of memory')
  assert.match(
    await whyNot('html', table, { heapMb: 30 }),
    /^it could not be read: it is damaged, or needs more memory than a document may$/,
  )
})

test('a CSV file with one line of 20 MB is refused', async () => {
  const why = 'row 1 has more than 20000 characters or 500 cells: is it a CSV file?'
  assert.equal(await whyNot('csv', 'a'.repeat(19 * megabyte)), why)
  assert.equal(await whyNot('csv', `"${'a'.repeat(19 * megabyte)}"`), why)
  assert.equal(await whyNot('csv', 'a,'.repeat(9 * megabyte)), why)
})

test('a text of one word of 5 MB is cut into chunks that are never over their size', async () => {
  const chunks = await read('text', 'ä'.repeat(2 * megabyte))
  assert.ok(chunks.length > 100)
  for (const { text } of chunks) assert.ok(sizeOf(text) <= hardSize)
})

test('a text of more chunks than a document may have is refused', async () => {
  const many = '# a\n\nb\n\n'.repeat(20_001)
  assert.equal(
    await whyNot('markdown', many),
    'it has more than 20000 chunks: split it into several documents',
  )
})

const pdfOf = (objects: readonly string[], trailer = '') => {
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, at) => {
    const offset = body.length
    body += `${at + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`
  const end = `trailer\n<</Size ${objects.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${body.length}\n%%EOF`
  return Buffer.from(body + table + end, 'latin1')
}
const font = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'
const pageWith = (content: string, more = '') => [
  `<</Type/Catalog/Pages 2 0 R${more}>>`,
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>',
  font,
  `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
]

test('a PDF is read; its program is not run', async () => {
  const script = '/OpenAction<</S/JavaScript/JS(app.alert\\(1\\); while\\(true\\){})>>'
  const content =
    'BT /F 24 Tf 50 700 Td (Opening) Tj 0 -40 Td /F 12 Tf (We open at nine and close at fi-) Tj 0 -14 Td (ve in the afternoon.) Tj ET'
  assert.deepEqual(await read('pdf', pdfOf(pageWith(content, script))), [
    { heading: ['Opening'], text: 'We open at nine and close at five in the afternoon.' },
  ])
})

test('a PDF with a password, that claims a million pages, in a circle, or cut off fails with a sentence', async () => {
  const id = '/ID[<00112233445566778899aabbccddeeff><00112233445566778899aabbccddeeff>]'
  const lock = `<</Filter/Standard/V 1/R 2/O<${'ab'.repeat(32)}>/U<${'cd'.repeat(32)}>/P -4>>`
  assert.equal(
    await whyNot('pdf', pdfOf([...pageWith('BT ET'), lock], `/Encrypt 6 0 R${id}`)),
    'it is encrypted with a password: save it without one',
  )
  const many = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1000000>>',
    '<</Type/Page/Parent 2 0 R>>',
  ]
  assert.equal(
    await whyNot('pdf', pdfOf(many)),
    'it holds no text: a scan has to be recognised by a program first',
  )
  const circle = ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R]/Count 1>>']
  assert.match(await whyNot('pdf', pdfOf(circle)), /^it (?:is damaged|is no PDF file|holds no text)/)
  const cut = pdfOf(pageWith('BT /F 12 Tf (Text) Tj ET'))
  assert.match(await whyNot('pdf', cut.subarray(0, 60)), /^it is (?:no PDF file|damaged)/)
})

test('what is no document of its format says so', async () => {
  assert.equal(
    await whyNot('text', Buffer.from([0x4d, 0x5a, 0, 0])),
    'it is no text: choose the format that the file has',
  )
  assert.equal(await whyNot('docx', 'plain'), 'it is no DOCX file that can be read: save it again as .docx')
  assert.equal(
    await whyNot('docx', Buffer.from('d0cf11e0a1b11ae1', 'hex')),
    'it is encrypted with a password, or an older .doc: save it as .docx without a password',
  )
})
