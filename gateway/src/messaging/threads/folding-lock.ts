/** Locked while touches are folded into threads, and while a contact's are erased. */
export const foldingLock = 0x5377_6974_6864
