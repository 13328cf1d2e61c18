import { Refusal } from '../../../rules/refusal.ts'
import { scheduledReference } from '../../../rules/money/settlement.ts'
import { formatInstant } from '../../../rules/time.ts'
import type { Context } from '../../context.ts'
import { takeDueSchedule } from '../../merchants/merchant.ts'
import { requestSettlement, scheduleActor } from './settlements.ts'

/**
 * Asks for a settlement of all that is available for a merchant whose schedule begins a new span; operators approve it as
 * any other. Nothing is asked for where nothing can be, which the log says. Returns how many merchants it looked at; safe
 * on any number of processes.
 */
export const requestScheduled = (context: Context): Promise<number> =>
  context.transaction(async (tx) => {
    const due = await takeDueSchedule(tx)
    if (!due) return 0
    const { id: merchantId, settings, scheduledAt } = due
    const { settlementTo: destinationId, quoteCurrency: currency } = settings
    // A schedule that was there from the beginning first settles at the next one.
    if (scheduledAt === null || destinationId === null) return 1
    const reference = `${scheduledReference}${formatInstant(tx.now).slice(0, 10)}`
    const wanted = { merchantId, reference, currency, amount: null, destinationId, requestedBy: scheduleActor }
    try {
      await requestSettlement(tx, wanted, { ...settings, maxSettlementPerDay: null })
    } catch (error) {
      // Refused before anything was written.
      if (!(error instanceof Refusal)) throw error
      context.log.info({ merchantId, reference, code: error.code, detail: error.message }, 'no scheduled settlement')
    }
    return 1
  })
