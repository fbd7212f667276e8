import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readItems } from './requirements-documents.ts'
import { match, readTestNames } from './requirements-names.ts'
import { report } from './requirements-report.ts'

const folder = mkdtempSync(join(tmpdir(), 'requirements-'))
after(() => rmSync(folder, { recursive: true }))

const documents = {
  'README.md': '| I-900 | 1 | Not a requirements file. | |',
  'requirements-1.md': `
# Part A
## 4.1 Doors
| id | where | requirement | observe |
|---|---|---|---|
| I-001 | 4.1 r1 | A door takes a key. | none -> 401; see N-001 |
| I-002 | 4.1 r2 | A dead key opens nothing. | 401 |
## 4.10 Windows
| I-003 | 4.10 | A window opens. | 200 |
## B.1 Gaps
| ID-01 | How a key is kept | By its digest. |
## C.1 Traps
| T-01 | A key in a log | Never. | search |
| T-02 | A key in a URL | Never. | search |`,
  'requirements-2.md': `
#### SD-01 What a voice is
**Decision:** as I-001 has it.
| S-001 | 2 | A voice speaks. | audio |
| ST-001 | A silent voice | Refused. | 400 |`,
  'requirements-3.md': `
**ND-01** (4.1) Who may dial. *Decision:* whoever N-001 names.
| N-001 | 4 | A number rings. | call |
| T-01 | A number that rings twice | Once. | call |`,
}
for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text)
const items = readItems(folder)

async function reported(words: string[], source: string) {
  const { named, unclear } = match(items, await readTestNames({ 'gateway/src/doors.test.ts': source }))
  return report(words, items, named, unclear)
}

test('requirements, decisions and traps are read in the form of each document', () => {
  assert.deepEqual(
    items.map(({ id, document, section, where, text }) => [id, document, section, where, text]),
    [
      ['I-001', 1, '4.1 Doors', '4.1 r1', 'A door takes a key.'],
      ['I-002', 1, '4.1 Doors', '4.1 r2', 'A dead key opens nothing.'],
      ['I-003', 1, '4.10 Windows', '4.10', 'A window opens.'],
      ['ID-01', 1, 'B.1 Gaps', '', 'How a key is kept'],
      ['T-01', 1, 'C.1 Traps', '', 'A key in a log'],
      ['T-02', 1, 'C.1 Traps', '', 'A key in a URL'],
      ['SD-01', 2, '', '', 'What a voice is'],
      ['S-001', 2, '', '2', 'A voice speaks.'],
      ['ST-001', 2, '', '', 'A silent voice'],
      ['ND-01', 3, '', '4.1', 'Who may dial.'],
      ['N-001', 3, '', '4', 'A number rings.'],
      ['T-01', 3, '', '', 'A number that rings twice'],
    ],
  )
})

test('without words: named of all for each section, and the total', async () => {
  assert.deepEqual(await reported([], "test('a door takes a key (I-001, S-001)', () => {})"), [
    '   1 of    2  I 1  4.1 Doors',
    '   0 of    1  I 1  4.10 Windows',
    '   1 of    1  S 2  ',
    '   0 of    1  N 3  ',
    '',
    '   2 of    5 requirements are named by a test',
  ])
})

test('with a letter and a section: the ids there that no test names', async () => {
  assert.deepEqual(await reported(['i', '4.1'], "test('a door takes a key (I-001)', () => {})"), [
    'I-002  4.1 r2  A dead key opens nothing.',
  ])
  assert.deepEqual(await reported(['I', 'windows'], ''), ['I-003  4.10  A window opens.'])
  assert.deepEqual(await reported(['ND', '4.1'], ''), ['ND-01  4.1  Who may dial.'])
})

test('--all: every requirement that no test names', async () => {
  assert.deepEqual(await reported(['--all'], "test('all but one (I-001, I-002, I-003, S-001)', () => {})"), [
    'N-001  4  A number rings.',
  ])
})

test('--decisions: decisions and traps instead', async () => {
  assert.deepEqual(await reported(['--decisions'], "test('kept by its digest (ID-01, T-02)', () => {})"), [
    '   1 of    1  ID 1  B.1 Gaps',
    '   1 of    2  T 1  C.1 Traps',
    '   0 of    1  SD 2  ',
    '   0 of    1  ST 2  ',
    '   0 of    1  ND 3  ',
    '   0 of    1  T 3  ',
    '',
    '   1 of    3 decisions are named by a test',
    '   1 of    4 traps are named by a test',
  ])
  assert.deepEqual(
    await reported(['--decisions', '--all'], "test('most (ID-01, SD-01, ST-001, ND-01)', () => {})"),
    [
      'T-01  document 1  A key in a log',
      'T-02  document 1  A key in a URL',
      'T-01  document 3  A number that rings twice',
    ],
  )
})

test('a trap of documents 1 and 3 is identified by the ids beside it', async () => {
  assert.deepEqual(await reported(['T'], "test('rings once (N-001, T-01)', () => {})"), [
    'T-01  document 1  A key in a log',
    'T-02  document 1  A key in a URL',
  ])
  const alone = await reported(['--decisions'], "test('never twice (T-01)', () => {})")
  assert.deepEqual(alone?.slice(-2), [
    '   0 of    4 traps are named by a test',
    'whose trap is meant? never twice (T-01)',
  ])
})

test('only the names of tests that run count', async () => {
  const source = `
    // I-001
    const text = 'I-001'
    describe('doors (I-002)', () => {
      it(\`opens \${'x'} (I-003)\`, (t) => t.test('a part ' + '(S-001)', () => {}))
      test.only('rings (N-001)', () => 'I-001')
      test.skip('skipped (I-001)', () => {})
    })
  `
  assert.deepEqual(await reported(['--all'], source), ['I-001  4.1 r1  A door takes a key.'])
})

test('words that mean nothing are answered with how to ask', async () => {
  assert.equal(await reported(['X'], ''), null)
  assert.equal(await reported(['--everything'], ''), null)
})
