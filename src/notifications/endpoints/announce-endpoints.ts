import type { Tx } from '../../context.ts'

/** Key of the bus of changes that announces changed endpoints. */
export const endpointsKey = 'endpoints'

/** Makes those who deliver read the endpoint again, once the transaction is committed. */
export const announceEndpoints = (tx: Tx): void => tx.afterCommit(() => tx.changes.publish([endpointsKey]))
