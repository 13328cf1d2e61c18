import type { Context, Tx } from '../context.ts'
import { claimServiceState } from '../service-state.ts'
import { scopes } from '../../rules/members/access.ts'
import { withAccountKey } from '../../rules/money/bank-details.ts'
import { isPaymentOrder } from '../../rules/requisites/recipient.ts'
import { methodRules, type PaymentMethod, paymentMethods } from '../../rules/values/payment-method.ts'
import { demoRateSource } from '../../rules/money/rate.ts'
import { createMerchant, setLimits } from '../merchants/merchant.ts'
import { isTokenKnown } from '../merchants/read.ts'
import { issueToken } from '../merchants/tokens.ts'
import { merchantDirectory } from '../merchants/merchant-directory.ts'
import { setRate } from '../merchants/rates/rate.ts'
import { addRequisites, type NewRequisite } from '../requisites/add-requisites.ts'
import { setBankGuide, setBankIssuers } from '../requisites/bank-issuers.ts'
import { type RandomSource, generateAccessToken } from '../../secrets/access-token.ts'
import { demoData } from './demo-data.ts'

// The demo's token is derived from the service's key, so that every start can print it although only its hash is
// stored.
const demoSource = ({ vault }: Pick<Context, 'vault'>): RandomSource => {
  let part = 0
  return () => vault.subkey(`demo-token-${part++}`)
}

const bankByCode = new Map(demoData.banks.map((bank) => [bank.code, bank]))

/** A made-up number at a bank: a phone of its country, or an account with the check digit of its BIC. */
const numberAt = (method: PaymentMethod, bankIssuer: string, index: number): string => {
  const { country = '', bic } = bankByCode.get(bankIssuer) ?? {}
  const number = methodRules[method].madeUpNumber(index)
  const prefix = demoData.phonePrefixes[country]
  if (methodRules[method].transferScope !== null && prefix) return prefix + number.slice(-7)
  return methodRules[method].numberKind === 'account' && bic ? withAccountKey(number, bic) : number
}

const demoRequisites = (): NewRequisite[] => {
  const { currencies, banksAbroad, people, company } = demoData
  let index = 0
  return currencies.flatMap(({ currency, banks, perMethod }) =>
    paymentMethods.flatMap((method) => {
      const isAbroad = methodRules[method].transferScope !== null
      const offered = isAbroad && currency === 'rub' ? banksAbroad : banks
      return Array.from({ length: perMethod }, (_, position): NewRequisite => {
        const bankIssuer = offered[position % offered.length] as string
        const person = { holder: people[position % people.length] as string }
        return {
          ...{ merchantId: null, mode: 'sandbox', method, currency, bankIssuer, limits: {} },
          ...(isPaymentOrder(method, currency) ? company : person),
          transferScope: methodRules[method].transferScope,
          number: numberAt(method, bankIssuer, index++),
        }
      })
    }),
  )
}

const seed = async (tx: Tx, source: RandomSource): Promise<void> => {
  const merchant = await createMerchant(tx, {
    name: 'Demo Shop',
    mode: 'sandbox',
    settings: { returnHosts: ['localhost:3000'] },
  })
  const name = 'Demo token'
  await issueToken(tx, { merchantId: merchant.id, name, scopes, allowList: [], expiresAt: null }, source)
  await setBankIssuers(tx, demoData.banks)
  for (const { code, guide } of demoData.guides) await setBankGuide(tx, code, guide)
  for (const { currency, min, max, price } of demoData.currencies) {
    await setLimits(tx, null, { currency, min, max })
    await setRate(tx, { currency, price, source: demoRateSource, validUntil: null })
  }
  const requisites = demoRequisites()
  for (let from = 0; from < requisites.length; from += 1000)
    await addRequisites(tx, requisites.slice(from, from + 1000))
}

/**
 * Seeds the sandbox merchant "Demo Shop" on a first start without any merchant, only once however many processes start,
 * and returns its token; `undefined` if the demo is off, a live merchant exists, or the merchants are not the demo's.
 */
export const seedDemo = async (context: Context): Promise<string | undefined> => {
  if (!context.settings.demo) return undefined
  if ((await context.catalog.get(merchantDirectory)).size === 0) {
    const claim = context.newId()
    await context.transaction(async (tx) => {
      const isOurs = (await claimServiceState(tx, 'demo', claim)) === claim
      if (isOurs) await seed(tx, demoSource(context))
    })
    context.catalog.invalidate()
  }
  const { token, hash } = generateAccessToken('test', demoSource(context))
  const profiles = [...(await context.catalog.get(merchantDirectory)).values()]
  const live = profiles.some((profile) => profile.merchant.mode === 'live')
  return !live && (await isTokenKnown(context, hash)) ? token : undefined
}
