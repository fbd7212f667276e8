import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { violations } from './architecture.ts'
import { readSources, type Sources } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const manifests: Sources = {
  'package.json': JSON.stringify({ devDependencies: { typescript: '7' } }),
  'contract/package.json': JSON.stringify({ name: '@switchroom/contract', exports: { './*': './src/*.ts' } }),
  'gateway/package.json': JSON.stringify({
    name: '@switchroom/gateway',
    exports: { './*': './src/*.ts', './testing/*': './testing/*.ts' },
    dependencies: { '@switchroom/contract': '0', fastify: '5' },
    devDependencies: { 'smtp-server': '3' },
  }),
  'launcher/package.json': JSON.stringify({
    name: '@switchroom/launcher',
    dependencies: { '@switchroom/contract': '0' },
  }),
  'tools/package.json': JSON.stringify({
    name: '@switchroom/tools',
    dependencies: { '@switchroom/gateway': '0' },
  }),
}

const circleOfRecordsAndLog = [
  'gateway/src/calls/records is in a circle of folders: gateway/src/calls/records/records.ts imports gateway/src/calls/log/log.ts, gateway/src/calls/log/relay.ts imports gateway/src/calls/records/call-object.ts.',
]

async function assertViolations(files: Sources, expected: string[]) {
  assert.deepEqual(await violations({ ...manifests, ...files }), expected)
}

test('the project keeps to its architecture', async () => {
  assert.deepEqual(await violations(readSources(root)), [])
})

test('a room imports the rooms its line names', async () => {
  await assertViolations({ 'gateway/src/http/server.ts': "import '@switchroom/contract/keys'" }, [])
})

test('a room imports no room its line does not name', async () => {
  await assertViolations({ 'launcher/src/main.ts': "import { keys } from '@switchroom/contract/keys'" }, [
    'launcher/src/main.ts imports @switchroom/contract/keys, but launcher may import none of our rooms.',
  ])
})

test('a package that the table does not name is refused', async () => {
  await assertViolations({ 'attic/package.json': '{"name": "@switchroom/attic"}' }, [
    'attic is a package that the table of rooms does not name.',
  ])
})

test('a vendor needs no line of its own', async () => {
  await assertViolations({ 'vendors/acme/package.json': '{"name": "@switchroom/acme"}' }, [])
})

test('a room of the gateway imports the rooms above it', async () => {
  await assertViolations({ 'gateway/src/people/keys.ts': "import { sql } from '../database/pool.ts'" }, [])
})

test('a room of the gateway imports no room below it, not even a type', async () => {
  await assertViolations(
    { 'gateway/src/mail/letters.ts': "import type { Member } from '../people/members.ts'" },
    [
      "gateway/src/mail/letters.ts imports ../people/members.ts, but mail may import only foundation, database, http, audit of the gateway's rooms.",
    ],
  )
})

test('a room of the gateway does not import what assembles the gateway', async () => {
  await assertViolations({ 'gateway/src/foundation/clock.ts': "export * from '../services.ts'" }, [
    "gateway/src/foundation/clock.ts imports ../services.ts, but foundation may import none of the gateway's rooms.",
  ])
})

test('what assembles the gateway imports every room of it', async () => {
  await assertViolations(
    {
      'gateway/src/services.ts': "import './platform/brand.ts'",
      'gateway/src/app.ts': "import './services.ts'\nimport './people/keys.routes.ts'",
      'gateway/src/main.ts': "import './app.ts'",
    },
    [],
  )
})

test('every file of the gateway is in a room', async () => {
  await assertViolations({ 'gateway/src/billing/invoices.ts': '', 'gateway/src/start.ts': '' }, [
    'gateway/src/billing/invoices.ts is in no room of the gateway: they are foundation, database, http, audit, mail, people, providers, agents, knowledge, calls, telephony, messaging, webhooks, evals, platform.',
    'gateway/src/start.ts is in no room of the gateway: they are foundation, database, http, audit, mail, people, providers, agents, knowledge, calls, telephony, messaging, webhooks, evals, platform.',
  ])
})

test('a folder of calls imports the folders above it, and no folder below it', async () => {
  await assertViolations(
    {
      'gateway/src/calls/records/records.ts': "import '../log/log.ts'",
      'gateway/src/calls/log/relay.ts': "import type { Call } from '../records/call-object.ts'",
      'gateway/src/calls/room.ts': "import './records/records.ts'\nimport './log/relay.ts'",
    },
    [
      'gateway/src/calls/log/relay.ts imports ../records/call-object.ts, but log may import only connection-caps, contacts, metering of the folders of calls.',
    ].concat(circleOfRecordsAndLog),
  )
})

test('every file of calls is in one of its folders', async () => {
  const [sentence] = await violations({ ...manifests, 'gateway/src/calls/attic/old.ts': '' })
  assert.match(String(sentence), /^gateway\/src\/calls\/attic\/old.ts is in no folder of calls: they are /)
})

test('folders side by side form no circle, types included, and the path is said', async () => {
  await assertViolations(
    {
      'session/package.json': JSON.stringify({ name: '@switchroom/session' }),
      'session/src/spoken/turns.ts': "import '../models/models.ts'",
      'session/src/models/models.ts': '',
      'session/src/models/choice.ts': "import type { Word } from '../words/words.ts'",
      'session/src/words/words.ts': "import '../spoken/sound.ts'",
      'session/src/spoken/sound.ts': '',
    },
    [
      'session/src/spoken is in a circle of folders: session/src/spoken/turns.ts imports session/src/models/models.ts, session/src/models/choice.ts imports session/src/words/words.ts, session/src/words/words.ts imports session/src/spoken/sound.ts.',
    ],
  )
})

test('a folder and one inside it may import each other, and tests may close a circle', async () => {
  await assertViolations(
    {
      'session/package.json': JSON.stringify({ name: '@switchroom/session' }),
      'session/src/turn.ts': "import './spoken/sound.ts'",
      'session/src/spoken/speech.ts': "import '../words.ts'",
      'session/src/words.ts': '',
      'session/src/spoken/sound.ts': '',
      'session/src/models/models.ts': "import '../spoken/sound.ts'",
      'session/src/spoken/speech.test.ts': "import '../models/models.ts'",
    },
    [],
  )
})

test('tests, testing folders and tools import every room', async () => {
  await assertViolations(
    {
      'gateway/src/mail/letters.test.ts': "import '../people/members.ts'\nimport '../../testing/org.ts'",
      'gateway/testing/org.ts': "import '../src/people/members.routes.ts'",
      'tools/src/check.ts': "import '@switchroom/gateway/testing/org'",
    },
    [],
  )
})

test('the program imports nothing made for tests', async () => {
  await assertViolations({ 'gateway/src/http/server.ts': "import '../../testing/org.ts'" }, [
    'gateway/src/http/server.ts imports ../../testing/org.ts, but the program imports nothing that is made for tests.',
  ])
})

test('another package is imported by its name', async () => {
  await assertViolations({ 'gateway/src/http/server.ts': "import '../../../contract/src/keys.ts'" }, [
    'gateway/src/http/server.ts imports ../../../contract/src/keys.ts, but another package is imported by its name.',
  ])
})

test('a package imports only what its own package.json declares', async () => {
  await assertViolations(
    { 'gateway/src/http/server.ts': "import 'fastify'\nimport 'node:http'\nimport '@fastify/static/types'" },
    [
      'gateway/src/http/server.ts imports @fastify/static/types, but gateway/package.json does not declare @fastify/static for it.',
    ],
  )
})

test('only tests and tools use what is declared for development', async () => {
  await assertViolations(
    {
      'gateway/src/mail/post.ts': "import 'smtp-server'",
      'gateway/src/mail/post.test.ts': "import 'smtp-server'",
      'tools/src/check.ts': "import 'typescript'",
    },
    [
      'gateway/src/mail/post.ts imports smtp-server, but gateway/package.json does not declare smtp-server for it.',
    ],
  )
})

test('a store is imported only from its own folder, by tests too', async () => {
  await assertViolations(
    {
      'gateway/src/people/members/members.ts': "import * as store from './members.store.ts'",
      'gateway/src/people/keys/keys.ts': "import * as members from '../members/members.store.ts'",
      'tools/src/check.ts': "import '@switchroom/gateway/people/members/members.store'",
      'bench/src/members.ts': "import '@switchroom/gateway/people/members/members.store'",
    },
    [
      'gateway/src/people/keys/keys.ts imports ../members/members.store.ts, but a store is imported only from its own folder.',
      'tools/src/check.ts imports @switchroom/gateway/people/members/members.store, but a store is imported only from its own folder.',
    ],
  )
})

test('routes are imported only by app.ts', async () => {
  await assertViolations({ 'gateway/src/people/members.ts': "import './members.routes.ts'" }, [
    'gateway/src/people/members.ts imports ./members.routes.ts, but routes are imported only by app.ts.',
  ])
})

test('imports form no circle, types included', async () => {
  await assertViolations(
    {
      'contract/src/keys.ts': "import './orgs.ts'",
      'contract/src/members.ts': "import type { Key } from './keys.ts'",
      'contract/src/orgs.ts': "export { type Member } from './members.ts'",
    },
    [
      'contract/src/members.ts imports ./keys.ts, but imports form no circle: contract/src/keys.ts → contract/src/orgs.ts → contract/src/members.ts → contract/src/keys.ts.',
    ],
  )
})

test('two ways to one file are no circle', async () => {
  await assertViolations(
    {
      'contract/src/keys.ts': "import './members.ts'\nimport './orgs.ts'",
      'contract/src/members.ts': "import './scopes.ts'",
      'contract/src/orgs.ts': "import './scopes.ts'",
    },
    [],
  )
})

test('files and folders have names that say something', async () => {
  await assertViolations(
    {
      'contract/src/index.ts': '',
      'contract/src/members.helpers.ts': '',
      'contract/src/utils/base-url.ts': '',
    },
    [
      'contract/src/index.ts is called index, which says nothing: name it after what it holds.',
      'contract/src/members.helpers.ts is called helpers, which says nothing: name it after what it holds.',
      'contract/src/utils/base-url.ts is called utils, which says nothing: name it after what it holds.',
    ],
  )
})

test('every way to import is seen, and nothing that only looks like one', async () => {
  const source = `
    import zod from 'default'
    import * as all from 'namespace'
    import { type A } from 'named'
    import type B from 'typed'
    export { c } from 'exported'
    export type * from 'all-types'
    const loaded = await import('dynamic')
    type D = import('inline').D
    // import 'comment'
    const text = \`import 'template'\`
    const pattern = /import 'pattern'/
  `
  const says = await violations({ ...manifests, 'contract/src/keys.ts': source })
  const named = says.map((sentence) => sentence.split(/[ ,]+/)[2])
  const real = ['default', 'namespace', 'named', 'typed', 'exported', 'all-types', 'dynamic', 'inline']
  assert.deepEqual(new Set(named), new Set(real))
})
