import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MediaPorts } from './media-ports.ts'

test('ports for sound are even, each is taken once, and the one that was free the longest comes first', () => {
  const ports = new MediaPorts({ first: 20_001, last: 20_009 })
  const taken = [ports.allocate(), ports.allocate(), ports.allocate(), ports.allocate()]
  assert.deepEqual(
    taken.toSorted((a, b) => a - b),
    [20_002, 20_004, 20_006, 20_008],
  )
  assert.throws(() => ports.allocate(), {
    message: 'every port for sound is taken: widen SVC_MEDIA_PORTS',
  })
  const [first = 0, second = 0] = taken
  ports.release(second)
  ports.release(first)
  assert.deepEqual([ports.allocate(), ports.allocate()], [first, second])
})
