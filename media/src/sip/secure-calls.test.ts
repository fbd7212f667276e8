import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hears, legOf, securedCall, speak } from '../../testing/secure-call.ts'
import { SipRefused } from './server.ts'

// Real sockets on loopback: two of our own ends, with each choice of each.

const choices = [undefined, 'off', 'offered', 'required'] as const

for (const dialling of choices)
  for (const answering of choices) {
    const isRequired = dialling === 'required' || answering === 'required'
    const isPlain = (dialling ?? 'off') === 'off'
    const isRefused = isPlain ? answering === 'required' : dialling === 'required' && answering === 'off'
    const isSecure = isRequired || (dialling === 'offered' && answering === 'offered')
    const name = `dialled with ${dialling ?? 'nothing said'}, answered with ${answering ?? 'nothing said'}`
    test(`${name}: ${isRefused ? 'refused' : isSecure ? 'encrypted' : 'in the clear'}`, async (t) => {
      const call = securedCall(t, dialling, answering)
      if (isRefused)
        return assert.rejects(call, (error) => error instanceof SipRefused && error.status === 488)
      const { near, far } = await call
      assert.equal(near.terms.security?.kind, isSecure ? 'sdes' : undefined)
      assert.equal(far.terms.security?.kind, isSecure ? 'sdes' : undefined)
    })
  }

test('sound goes both ways under keys that were told in SDP', async (t) => {
  const { near, far } = await securedCall(t, 'required', 'required')
  const [one, other] = [await legOf(t, near), await legOf(t, far)]
  speak(t, one)
  speak(t, other)
  await Promise.all([hears(one), hears(other)])
})
