import type { SimulationBody } from '../../operations/sandbox.ts'
import { currencyDecimals, parseDecimal } from '../../rules/values/currency.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { refuseField } from '../../rules/refusal.ts'
import { mostSimulated } from '../../rules/sandbox/simulation.ts'
import type { Simulation } from '../../engine/sandbox/simulate-payments.ts'
import { numberSource } from '../routes/json-body.ts'

const readAmount = (body: SimulationBody, payment: Payment): bigint | undefined => {
  if (body.amount === undefined) return undefined
  const amount = parseDecimal(numberSource(body, 'amount'), currencyDecimals(payment.currency))
  if (amount === 'range') throw refuseField('amount_above_max', 'amount', 'is too large.')
  if (amount === 'precision') throw refuseField('amount_precision', 'amount', 'has too many decimals.')
  if (amount > mostSimulated(payment.amount))
    throw refuseField('amount_above_max', 'amount', 'is more than ten times the amount of the payment.')
  return amount
}

/** What a body asks to simulate. Refuses `amount_above_max` and `amount_precision`. */
export const readSimulation = (body: SimulationBody, payment: Payment): Simulation => {
  const { event, delayMs = 0, reportedBy = 'feed' } = body
  return { event, amount: readAmount(body, payment), delayMs, reportedBy }
}
