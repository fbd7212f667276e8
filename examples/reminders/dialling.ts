/** Somebody with an appointment, and where they agreed to be called about it. */
export interface Person {
  name: string
  phone: string
  appointment: string
  /** Absent if they never agreed: then they are not called. */
  consent?: { kind: 'express' | 'written'; source: string }
}

export type Dialled = { call: string } | { refused: string }

const url = (process.env['SVC_URL'] ?? 'http://127.0.0.1:8080').replace(/\/$/, '')

/** Places the call with the consent that the person gave; the gateway keeps it and judges by it. */
export async function dial(agent: string, { phone, consent }: Person): Promise<Dialled> {
  if (!consent) return { refused: 'they did not agree to be called' }
  const response = await fetch(`${url}/v1/agents/${agent}/dial`, {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env['SVC_KEY']}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: phone, consent }),
  })
  const said = (await response.json()) as { call?: string; detail?: string }
  if (response.ok && said.call !== undefined) return { call: said.call }
  return { refused: said.detail ?? `the gateway answered ${response.status}` }
}
