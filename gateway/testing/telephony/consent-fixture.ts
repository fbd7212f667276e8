import { done } from '../agents/test-agents.ts'
import type { Client } from '../client.ts'
import type { Deployment } from '../deployment.ts'

export const express = { kind: 'express', source: 'web form' }

let last = 0
/** A number of the United States that no other test of this process uses. */
export const newNumber = () => `+1212${String((last += 1)).padStart(7, '0')}`

export async function newOrgClient(deployment: Deployment) {
  const org = await deployment.newOrg()
  const { client } = await org.serverToken('sandbox')
  return { org, client }
}

export const at = (number: string) => `/v1/org/consents/${number}`
export const read = async (client: Client, number: string) => done(await client.get(at(number)))
export const consent = async (client: Client, number: string, more: object = {}) =>
  done(await client.post('/v1/org/consents', { number, ...express, ...more }))
export const optOut = async (client: Client, number: string) => done(await client.delete(at(number)))
export const listed = async (client: Client, query = '') => done(await client.get(`/v1/org/dnc${query}`))
export const numbersOf = ({ numbers }: { numbers: { number: string }[] }) =>
  numbers.map(({ number }) => number)
export const factsOf = ({ rows }: { rows: { fact: string }[] }) => rows.map(({ fact }) => fact)
