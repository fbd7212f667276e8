import { path } from '../../gateway/gateway-client.ts'
import { Failure } from '../../terminal/failures.ts'
import type { LoadOrg } from './load-org.ts'

const contactsOfRun = 100

/** 999 is the code of no country: these numbers are nobody's. */
export const contactNumber = (at: number): string => `+9990100${String(at % contactsOfRun).padStart(4, '0')}`

/** Those of so many places. */
export const contactsOf = (places: number): string[] =>
  Array.from({ length: Math.min(places, contactsOfRun) }, (_, at) => contactNumber(at))

/** Ends what still runs with these contacts and erases what was said, when the run is over. */
export function eraseAfterwards({ client, leftovers }: LoadOrg, contacts: readonly string[]): void {
  leftovers.add('what was said with the contacts of the run', async () => {
    for (const contact of contacts)
      await client.delete(path`/v1/contacts/${contact}`).catch((error: unknown) => {
        if (!(error instanceof Failure && error.status === 404)) throw error // nothing is known of them
      })
  })
}
