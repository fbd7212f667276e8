/**
 * The lock that a gateway holds on the connection it hears the others by, and loses as it dies; the argument is SQL for
 * its id.
 */
export const gatewayLock = (gateway: string) => `hashtextextended('switchroom gateway ' || ${gateway}, 0)`
