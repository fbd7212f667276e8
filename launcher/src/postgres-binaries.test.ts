import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPostgres } from './postgres-binaries.ts'
import { postgresAccount } from './postgres-account.ts'

test('on musl the start says in one line that the embedded database is not supported, and what to set instead', async () => {
  await assert.rejects(findPostgres(undefined, 'musl'), {
    message:
      'the embedded PostgreSQL needs glibc, and this machine has musl, as Alpine does: set SVC_DATABASE_URL to a PostgreSQL 15 or later',
  })
})

test('on this machine the embedded database is found', async () => {
  assert.match((await findPostgres(postgresAccount(import.meta.dirname))).version, /^\d+/)
})
