import type { Admission, Fence, MediaPlane } from '../src/plane.ts'

const carrier = '198.51.100.0/24'
export const [one, two, three] = ['+15550000001', '+15550000002', '+15550000003'] as const

/** Fences are named within the org and environment: `sip/peer`. */
export const admission = (env: 'production' | 'sandbox', fences: Fence[], org = 'org_a'): Admission => ({
  org,
  env,
  fleet: `fleet-of-${env}`,
  fences: fences.map((each) => ({ ...each, name: `${org}/${env}/${each.name}` })),
})

export const fence = (name: string, numbers: string[], networks = [carrier]): Fence => ({
  name,
  numbers,
  networks,
})

export const stands = (wanted: Admission) => new Map(wanted.fences.map(({ name }) => [name, 'stands']))

/** Fences as they are listed, in an order that can be compared. */
export const sorted = (fences: readonly Fence[]) =>
  fences
    .map(({ networks, numbers, ...rest }) => ({
      ...rest,
      networks: networks.toSorted(),
      numbers: numbers.toSorted(),
    }))
    .toSorted((some, other) => some.name.localeCompare(other.name))

const admitTwo = (plane: MediaPlane) =>
  plane.admit(admission('production', [fence('apicarrier', [one, two]), fence('sip/peer', [three])]))

/** Changes that take several writes: what there is before, and what is done. */
export const changes: Record<string, Record<'before' | 'after', (plane: MediaPlane) => Promise<unknown>>> = {
  'a first admission': { before: async () => {}, after: admitTwo },
  'a swap of numbers': {
    before: admitTwo,
    after: (plane) =>
      plane.admit(admission('production', [fence('apicarrier', [three]), fence('sip/peer', [one, two])])),
  },
  'a move into the other environment': {
    before: admitTwo,
    after: (plane) => plane.admit(admission('sandbox', [fence('apicarrier', [two, three])])),
  },
  'a shrinking': {
    before: admitTwo,
    after: (plane) => plane.admit(admission('production', [fence('apicarrier', [two])])),
  },
  'an emptying': { before: admitTwo, after: (plane) => plane.admit(admission('production', [])) },
  'a withdrawal': { before: admitTwo, after: (plane) => plane.withdraw('org_a', three) },
  'the last withdrawal': {
    before: (plane) => plane.admit(admission('production', [fence('apicarrier', [one])])),
    after: (plane) => plane.withdraw('org_a', one),
  },
}
