import type { Context, Tx } from '../../engine/context.ts'
import type { Merchant } from '../../rules/merchants/merchant.ts'
import { paymentMethods } from '../../rules/values/payment-method.ts'
import { refuseField } from '../../rules/refusal.ts'
import { createMerchant, setLogo, updateMerchant } from '../../engine/merchants/merchant.ts'
import { getProfile, merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import { wire } from '../../operations/fields.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import { type MerchantAnswer, type MerchantFilterQuery, merchants } from '../../operations/merchants.ts'
import { toTermsAnswer } from './terms.ts'
import { issueUsual, toIssued, withoutToken } from './tokens.ts'

const toAnswer = ({ settings: { returnHosts, frameHosts, ...others }, ...merchant }: Merchant): MerchantAnswer => ({
  ...merchant,
  settings: { returnHosts: [...returnHosts], frameHosts: [...frameHosts], ...others },
  createdAt: wire.time(merchant.createdAt),
})

const pickMerchants = async (context: Context, { name = '', mode, status }: MerchantFilterQuery): Promise<Merchant[]> =>
  (await context.catalog.get(merchantDirectory))
    .values()
    .map(({ merchant }) => merchant)
    .filter((each) => each.name.toLowerCase().includes(name.toLowerCase()))
    .filter((each) => (mode ?? each.mode) === each.mode && (status ?? each.status) === each.status)
    .toArray()

export const merchantRoutes = bindNoun(merchants, {
  create: async (context, request) => {
    const { tokenName, settings: given = {}, ...rest } = request.body
    const wanted = { ...rest, settings: given }
    const create = async (tx: Tx) => {
      const merchant = await createMerchant(tx, wanted)
      if (tokenName === undefined) return { merchant, issued: undefined }
      const token = { merchantId: merchant.id, name: tokenName, allowList: [], expiresAt: null }
      return { merchant, issued: await issueUsual(tx, token) }
    }
    const { merchant, issued } = await actOnBehalf(context, request, create, {
      action: 'merchant.create',
      subject: (created) => `merchant:${created.merchant.id}`,
      details: wanted,
      also: ({ issued: made }) =>
        made === undefined ? [] : [{ action: 'token.issue', subject: `token:${made.id}`, details: withoutToken(made) }],
    })
    return { ...toAnswer(merchant), ...(issued === undefined ? {} : { issued: toIssued(issued) }) }
  },
  change: async (context, request) => {
    const { id } = request.params
    const { after } = await actOnBehalf(context, request, (tx) => updateMerchant(tx, id, request.body), {
      action: 'merchant.update',
      subject: `merchant:${id}`,
      details: (changed) => changed,
    })
    return toAnswer(after)
  },
  list: async (context, { query }) => ({ merchants: (await pickMerchants(context, query)).map(toAnswer) }),
  show: async (context, request) => {
    const profile = await getProfile(context, request.params.id)
    const limits = [...profile.limits.values()]
    return {
      ...toAnswer(profile.merchant),
      limits: limits.map(({ currency, min, max }) => ({
        currency,
        min: wire.amount(min, currency),
        max: wire.amount(max, currency),
      })),
      terms: Object.fromEntries(paymentMethods.map((method) => [method, toTermsAnswer(profile.terms[method])])),
    }
  },
  logo: async (context, request) => {
    const { id } = request.params
    const { image } = request.body
    const picture = image === null ? null : Buffer.from(image, 'base64')
    if (picture && picture.toString('base64').replace(/(?<!=)=+$/, '') !== image?.replace(/(?<!=)=+$/, '')) {
      throw refuseField('validation_failed', 'image', 'is not Base64.')
    }
    const hash = await actOnBehalf(context, request, (tx) => setLogo(tx, id, picture), {
      action: 'merchant.logo',
      subject: `merchant:${id}`,
      details: (kept) => ({ hash: kept }),
    })
    return { logo: hash === null ? null : `/assets/logo/${hash}` }
  },
})
