import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placesAhead } from './places-ahead.ts'

const gb = 2 ** 30

test('processes wait for ten calls at once, or for as many as the worker runs, the cores load and the memory holds', () => {
  const table = [
    [{ capacity: 40, callsPerProcess: 5 }, { cores: 2, memoryBytes: 16 * gb }, 10],
    [{ capacity: 2, callsPerProcess: 5 }, { cores: 2, memoryBytes: 16 * gb }, 2],
    [{ capacity: 40, callsPerProcess: 1 }, { cores: 2, memoryBytes: 16 * gb }, 4],
    [{ capacity: 40, callsPerProcess: 5 }, { cores: 2, memoryBytes: 2 * gb }, 10],
    [{ capacity: 40, callsPerProcess: 5 }, { cores: 2, memoryBytes: gb }, 5],
    [{ capacity: 40, callsPerProcess: 5 }, { cores: 2, memoryBytes: 0 }, 5],
    [{ capacity: 400, callsPerProcess: 20 }, { cores: 64, memoryBytes: 64 * gb }, 10],
  ] as const
  for (const [worker, machine, places] of table) assert.equal(placesAhead(worker, machine), places)
})
