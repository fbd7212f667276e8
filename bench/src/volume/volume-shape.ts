/** The size of a filled database: the rest follows from its calls, as on a platform that was measured. */
export interface VolumeShape {
  calls: number
  orgs: number
  agentsOfOrg: number
  /** Of the large org's agent `a1`. */
  contacts: number
  optOuts: number
  dials: number
  callbacks: number
}

export const usualCalls = 400_000

/** Of a server that is large enough for it. */
export const volumeMemory = ['shared_buffers=1GB', 'max_wal_size=16GB', 'effective_cache_size=4GB']

export const entriesOfCall = 10
/** Of them, said by one side or the other. */
export const turnsOfCall = 5
/** Every fifth call is the large org's, and every second of these its agent a1's. */
export const largeOrg = 'org_1'
export const smallOrg = 'org_2'
export const largeAgent = 'a1'
export const callsOfSmallOrg = 750
/** Dials of the large org in a day, at any size. */
export const dialsOfDay = 50_000

export const shapeOf = (calls: number): VolumeShape => ({
  calls,
  orgs: Math.max(20, Math.round(calls / 1000)),
  agentsOfOrg: 10,
  contacts: 10_000,
  optOuts: Math.min(50_000, Math.round(calls / 8)),
  dials: Math.round(calls * 2.5),
  callbacks: Math.round(calls / 10),
})

export const keyOf = (org: string) => `svc_bench_${org}`
