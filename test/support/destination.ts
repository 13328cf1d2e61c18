import { destinationRules } from '../../src/rules/money/destination.ts'
import { approveDestination, proposeDestination } from '../../src/engine/ledger/destinations/destinations.ts'
import type { TestService } from './service.ts'

/** A destination of a merchant to which settlements may be sent at once; always the same one. */
export const openDestination = (
  service: Pick<TestService, 'context'>,
  merchantId: string,
  label = 'Main wallet',
): Promise<string> =>
  service.context.transaction(async (tx) => {
    const wallet = { kind: 'tron', address: destinationRules.tron.example, label } as const
    const proposed = await proposeDestination(tx, { merchantId, ...wallet, proposedBy: 'operator:anna' })
    const { id } = proposed.destination
    const approval = { actor: 'operator:boris', mayAlone: false, coolingHours: 0 }
    await approveDestination(tx, { merchantId, id }, approval)
    return id
  })
