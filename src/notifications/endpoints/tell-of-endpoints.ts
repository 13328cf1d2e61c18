import type { Tx } from '../../context.ts'

/** Key of the bus of changes that tells of endpoints that have changed. */
export const endpointsKey = 'endpoints'

/** Tells those who deliver, once the transaction is committed, to read anew where and how they do. */
export const tellOfEndpoints = (tx: Tx): void => tx.afterCommit(() => tx.changes.publish([endpointsKey]))
