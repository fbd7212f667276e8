import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberInQuery, readCalled } from './called-number.ts'

const noForm = 'a number is + and its digits, calling code first, with nothing between them'

test('a number that is not E.164 cannot be dialled (N-264, N-512, ND-05)', async () => {
  const typed = [
    '2125550123',
    '+1 212 555 0123',
    '+1-212-555-0123',
    '0012125550123',
    'tel:+12125550123',
    '+02125550123',
    '+1234567890123456',
    '+1',
    '+',
    '',
    '+12125550123\n',
    '+١٢١٢٥٥٥٠١٢٣',
    'sip:+12125550123@example.com',
  ]
  for (const number of typed) assert.equal((await readCalled(number)).fault, noForm, JSON.stringify(number))
})

test('a number that begins with no country calling code cannot be dialled (N-265)', async () => {
  for (const number of ['+999123456', '+21012345678', '+9992423651234', '+38312', '+69912345678'])
    assert.equal(
      (await readCalled(number)).fault,
      number === '+38312'
        ? 'it has fewer than five digits after its calling code +383'
        : 'it begins with no country calling code',
      number,
    )
})

test('satellites and global services cannot be dialled (N-266, T-18)', async () => {
  for (const range of ['870', '878', '881', '882', '883', '888', '979'])
    assert.equal(
      (await readCalled(`+${range}1234567`)).fault,
      `+${range} is a satellite or global-service range`,
    )
})

test('fewer than five digits after the calling code cannot be dialled (N-267, T-18)', async () => {
  const short = (code: string) => `it has fewer than five digits after its calling code +${code}`
  for (const [number, code] of [
    ['+441234', '44'],
    ['+12345', '1'],
    ['+35412', '354'],
  ] as const)
    assert.equal((await readCalled(number)).fault, short(code))
})

test('a number need not be a whole one of its country (T-18)', async () => {
  for (const number of ['+4412345', '+80012345678', '+80812345678', '+123456', '+3541234567890'])
    assert.equal((await readCalled(number)).fault, null, number)
})

test('a plus sign that came through a query as a space is one again (ND-05, T-19)', () => {
  assert.equal(numberInQuery(' 12125550123'), '+12125550123')
  assert.equal(numberInQuery('+12125550123'), '+12125550123')
  assert.equal(numberInQuery('1 2125550123'), '1 2125550123')
  assert.equal(numberInQuery('  12125550123'), '+ 12125550123')
})
