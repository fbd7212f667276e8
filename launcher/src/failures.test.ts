import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asFailure, Failure } from './failures.ts'

test('a full disk is reported in one line that says to free some space', () => {
  const failure = asFailure(
    Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }),
    '/srv/data',
  )
  assert.equal(failure.message, 'the disk that holds /srv/data is full: free some space, then start again')
  assert.equal(failure.status, 1)
})

test('a file that cannot be written is named', () => {
  const error = Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/srv/data/logs' })
  assert.match(
    asFailure(error, '/srv/data').message,
    /^\/srv\/data\/logs cannot be written: make it writable/,
  )
})

test('an unexpected error is one line, never a stack trace', () => {
  const failure = asFailure(new Error('something odd\n    at somewhere'), '/srv/data')
  assert.equal(failure.message, 'Switchroom cannot start: something odd')
})

test('a failure keeps its sentence and its status', () => {
  const failure = asFailure(new Failure('SVC_DEMO must be on or off', 2), '/srv/data')
  assert.deepEqual([failure.message, failure.status], ['SVC_DEMO must be on or off', 2])
})
