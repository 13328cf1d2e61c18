import { type DestinationKind, destinationRules } from '../../src/rules/money/destination.ts'
import { approveDestination, proposeDestination } from '../../src/engine/ledger/destinations/destinations.ts'
import type { TestService } from './service.ts'

/** A destination of a merchant to which settlements may be sent at once; always the same one of a kind. */
export const openDestination = (
  service: Pick<TestService, 'context'>,
  merchantId: string,
  label = 'Main wallet',
  kind: DestinationKind = 'tron',
): Promise<string> =>
  service.context.transaction(async (tx) => {
    const to = { kind, address: destinationRules[kind].example, label }
    const proposed = await proposeDestination(tx, { merchantId, ...to, requestedBy: null, proposedBy: 'operator:anna' })
    const { id } = proposed.destination
    const approval = { actor: 'operator:boris', mayAlone: false, coolingHours: 0 }
    await approveDestination(tx, { merchantId, id }, approval)
    return id
  })
