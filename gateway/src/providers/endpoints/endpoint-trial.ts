import { endpointVendor } from '@switchroom/contract/endpoint-names'
import { VendorFailure } from '@switchroom/kit/failures'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Credentials } from '@switchroom/kit/vendor'
import { badGateway, badRequest } from '../../foundation/refusals.ts'
import { noPlugin } from '../parsing/vendor-refusals.ts'

const question = { role: 'user', text: 'Answer with one word.' } as const

/** Asks an endpoint for one word as a call would; answers how long the first word took. */
export async function tryEndpoint(
  vendors: InstalledVendors,
  name: string,
  credentials: Credentials,
  timeoutMs: number,
): Promise<number> {
  const vendor = vendors.doing('llm', endpointVendor)
  if (!vendor) throw badRequest(noPlugin(endpointVendor))
  const begun = performance.now()
  try {
    const model = await vendor.model({ model: name, credentials, retries: 0 })
    const answer = model.think({ messages: [question] }, AbortSignal.timeout(timeoutMs))
    for await (const { type } of answer) if (type === 'text') return Math.round(performance.now() - begun)
  } catch (error) {
    if (!(error instanceof VendorFailure)) throw error
    if (error.kind === 'refused') throw badRequest(`the endpoint refused: ${error.message}`)
    throw badGateway(`the endpoint did not answer: ${error.message}`)
  }
  throw badGateway('the endpoint did not answer: it ended without a word')
}
