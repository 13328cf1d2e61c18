import type { Context } from '../context.ts'
import { formatDecimal, currencyDecimals } from '../../rules/values/currency.ts'
import type { PhoneRequisite } from '../../rules/phones/phone.ts'
import { ownLone, receiveMessages } from '../phones/receive-messages.ts'
import { addPhone, getPhone, listPhones, updatePhone } from '../phones/phones.ts'

/** The phone that forwards the messages of the simulated bank. */
const simulatedPhone = 'Simulated phone'

/** What it may credit in a day: the money is not real. */
const dailyLimit = 1_000_000n

/** The simulated phone, which from now on reports a requisite, and the digits by which its bank calls the account. */
export const phoneOf = async (context: Context, requisiteId: string) => {
  const known = (await listPhones(context)).find(({ name }) => name === simulatedPhone)
  const reported = known?.requisites.find((each) => each.requisiteId === requisiteId)
  if (known && reported) return { phoneId: known.id, digits: reported.digits[0] ?? '' }
  const withNext = (before: readonly PhoneRequisite[]): readonly PhoneRequisite[] => [
    ...before,
    { requisiteId, digits: [String(before.length + 1).padStart(4, '0')], sim: null },
  ]
  const settings = { app: 'other', dailyLimit, checksBalance: false, silentMinutes: null, changedBy: null } as const
  return context.transaction(async (tx) => {
    if (known) await updatePhone(tx, known.id, { changedBy: null, requisites: withNext })
    const { id: phoneId } =
      known ?? (await addPhone(tx, { ...settings, name: simulatedPhone, requisites: withNext([]) }))
    const { requisites } = await getPhone(tx, phoneId)
    return { phoneId, digits: requisites.find((each) => each.requisiteId === requisiteId)?.digits[0] ?? '' }
  })
}

/** Reports roubles by a message of a bank in its own words, on the simulated phone. */
export const reportByMessage = async (
  context: Context,
  {
    requisiteId,
    currency,
    amount,
    step,
  }: {
    readonly requisiteId: string
    readonly currency: string
    readonly amount: bigint
    readonly step: string
  },
): Promise<void> => {
  const { phoneId, digits } = await phoneOf(context, requisiteId)
  const sum = formatDecimal(amount, currencyDecimals(currency))
  await forward(context, phoneId, `СЧЁТ${digits} Перевод по СБП ${sum}р от Иван П.`, step)
}

/** Forwards an SMS of the simulated phone's bank. The same `occurrence` is the same message. */
export const forward = async (context: Context, phoneId: string, text: string, occurrence: string): Promise<void> => {
  const message = {
    ...({ channel: 'sms', sender: '900', package: null, title: null, sim: null } as const),
    ...{ text, sentAt: context.clock(), receivedAt: null, occurrence },
  }
  await receiveMessages(context, phoneId, [message], { findLone: async (tx, id) => ownLone(await getPhone(tx, id)) })
}
