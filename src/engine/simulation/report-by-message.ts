import type { Context, Tx } from '../context.ts'
import { formatDecimal, currencyDecimals } from '../../rules/values/currency.ts'
import { type PhoneRequisite, simulatedApp } from '../../rules/phones/phone.ts'
import { ownLone, receiveMessages } from '../phones/receive-messages.ts'
import { addPhone, getPhone, listPhones, updatePhone } from '../phones/phones.ts'

/** What it may credit in a day: the money is not real. */
const dailyLimit = 1_000_000n

/** The simulated phone, which from now on reports a requisite, and the digits by which its bank calls the account. */
export const phoneOf = async (context: Context, requisiteId: string) => {
  const known = (await listPhones(context)).find(({ app }) => app === simulatedApp)
  const reported = known?.requisites.find((each) => each.requisiteId === requisiteId)
  if (known && reported) return { phoneId: known.id, digits: reported.digits[0] ?? '' }
  const withNext = (before: readonly PhoneRequisite[]): readonly PhoneRequisite[] => [
    ...before,
    { requisiteId, digits: [String(before.length + 1).padStart(4, '0')], sim: null },
  ]
  const settings = {
    name: 'Simulated phone',
    app: simulatedApp,
    dailyLimit,
    checksBalance: false,
    silentMinutes: null,
    changedBy: null,
  } as const
  return context.transaction(async (tx) => {
    if (known) await updatePhone(tx, known.id, { changedBy: null, requisites: withNext })
    const { id: phoneId } = known ?? (await addPhone(tx, { ...settings, requisites: withNext([]) }))
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
    merchantId,
    step,
  }: {
    readonly requisiteId: string
    readonly currency: string
    readonly amount: bigint
    readonly merchantId: string
    readonly step: string
  },
): Promise<void> => {
  const { phoneId, digits } = await phoneOf(context, requisiteId)
  const sum = formatDecimal(amount, currencyDecimals(currency))
  await forward(context, phoneId, `СЧЁТ${digits} Перевод по СБП ${sum}р от Иван П.`, step, merchantId)
}

/**
 * Forwards an SMS of the simulated phone's bank, about money for one merchant's payments if that is given. The same
 * `occurrence` is the same message.
 */
export const forward = async (
  context: Context,
  phoneId: string,
  text: string,
  occurrence: string,
  onlyMerchantId?: string,
): Promise<void> => {
  const message = {
    ...({ channel: 'sms', sender: '900', package: null, title: null, sim: null } as const),
    ...{ text, sentAt: context.clock(), receivedAt: null, occurrence },
  }
  const findLone = async (tx: Tx, id: string) => ownLone(await getPhone(tx, id))
  await receiveMessages(context, phoneId, [message], {
    findLone,
    ...(onlyMerchantId !== undefined && { onlyMerchantId }),
  })
}
