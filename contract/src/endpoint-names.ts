/** The vendor of an org's own endpoints: `custom/<name>` in `llm` and `judge`. */
export const endpointVendor = 'custom'

export const endpointWires = ['chat', 'responses'] as const
export type EndpointWire = (typeof endpointWires)[number]

/** How many an org may have in one environment. */
export const mostEndpoints = 50
