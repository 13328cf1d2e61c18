import type { Context, Tx } from '../../engine/context.ts'
import type { Merchant } from '../../rules/merchants/merchant.ts'
import { invalidState, refuseField } from '../../rules/refusal.ts'
import { createMerchant, setLogo, updateMerchant } from '../../engine/merchants/merchant.ts'
import { getProfile, merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import { actOnBehalf, actOnNamed } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { type MerchantFilterQuery, merchants } from '../../operations/merchants.ts'
import { holdUsable } from '../../engine/ledger/destinations/destinations.ts'
import { listReportMails } from '../../engine/ledger/reports/read-reports.ts'
import { issueUsual, withoutToken } from './tokens.ts'

const pickMerchants = async (context: Context, { name = '', mode, status }: MerchantFilterQuery): Promise<Merchant[]> =>
  (await context.catalog.get(merchantDirectory))
    .values()
    .map(({ merchant }) => merchant)
    .filter((each) => each.name.toLowerCase().includes(name.toLowerCase()))
    .filter((each) => (mode ?? each.mode) === each.mode && (status ?? each.status) === each.status)
    .toArray()

/** Refuses `invalid_state` if reports are to be sent by e-mail, and no server sends any. */
const requireMail = ({ mail }: Context, { reportEvery = null }: Partial<Merchant['settings']>): void => {
  if (reportEvery !== null && !mail)
    throw invalidState('There is no mail server: set PAYIN_SMTP_URL and restart the service.')
}

export const merchantRoutes = bindOperations(merchants.operations, {
  create: async (context, request) => {
    const { tokenName, settings: given = {}, ...rest } = request.body
    requireMail(context, given)
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
    return { ...merchant, issued }
  },
  change: async (context, request) => {
    const { id: merchantId } = request.params
    requireMail(context, request.body.settings ?? {})
    const update = async (tx: Tx) => {
      const settlementTo = request.body.settings?.settlementTo ?? null
      if (settlementTo !== null) await holdUsable(tx, { merchantId, id: settlementTo })
      return updateMerchant(tx, merchantId, request.body)
    }
    return (await actOnNamed(context, request, 'merchant.update', update, (changed) => changed)).after
  },
  list: async (context, { query }) => ({ merchants: await pickMerchants(context, query) }),
  show: async (context, request) => {
    const { merchant, limits, terms } = await getProfile(context, request.params.id)
    const reports = await listReportMails(context, merchant.id)
    return { ...merchant, limits: [...limits.values()], terms, reports }
  },
  logo: async (context, request) => {
    const { image } = request.body
    const picture = image === null ? null : Buffer.from(image, 'base64')
    if (picture && picture.toString('base64').replace(/(?<!=)=+$/, '') !== image?.replace(/(?<!=)=+$/, '')) {
      throw refuseField('image', 'is not Base64.')
    }
    const set = (tx: Tx) => setLogo(tx, request.params.id, picture)
    const hash = await actOnNamed(context, request, 'merchant.logo', set, (kept) => ({ hash: kept }))
    return { logo: hash === null ? null : `/assets/logo/${hash}` }
  },
})
