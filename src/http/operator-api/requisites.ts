import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { paymentMethods } from '../../domain/payment-method.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Requisite } from '../../domain/requisite.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { failUnshownPayments } from '../../payments/fail-unshown-payments.ts'
import { endPause } from '../../requisites/health/pause-failing-requisites.ts'
import { addRequisites, checkRequisites } from '../../requisites/add-requisites.ts'
import { requisitePool } from '../../requisites/requisite-pool.ts'
import { updateRequisite } from '../../requisites/update-requisite.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { Context, Tx } from '../../context.ts'
import {
  BankCode,
  Currency,
  Exact,
  Id,
  IdParams,
  OneOf,
  PrintableText,
  Scope,
  Titled,
  TitledExact,
  wireFields,
} from '../fields.ts'
import { pageOf, PageQuery, type PageSpan, readPage } from '../paging.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'
import { Holder, RecipientFields, recipientFields, toRecipientFields } from './recipient.ts'
import { Limits, readLimits, toLimits, WantedLimits } from './requisite-limits.ts'
import { ofAnyMerchant, Reason } from './operator-fields.ts'

/** Most requisites that one request adds. */
const maxRequisitesAtOnce = 1000
/** 1000 requisites with all their limits take about 500 kB. */
const maxListBytes = 1024 * 1024

const statuses: readonly Requisite['status'][] = ['active', 'paused', 'retired']

const Label = PrintableText(60, { description: 'What operators call it.', examples: ['Main account'] })

const NewRequisite = TitledExact('NewRequisite', {
  method: OneOf(paymentMethods),
  currency: Currency,
  bankIssuer: BankCode,
  holder: Type.Optional(Holder),
  recipient: Type.Optional(RecipientFields),
  number: Type.String({
    pattern: '^[0-9]{4,34}$',
    description: 'Card, account or phone number, digits only.',
    examples: ['79991234567'],
  }),
  transferScope: Type.Optional(Scope),
  label: Type.Optional(Label),
  merchantId: Type.Optional({ ...Id, description: 'Owner. Absent: the pool that all merchants share.' }),
  mode: Type.Optional(
    OneOf(['live', 'sandbox'], { description: "Which merchants it serves. Default: the owner's mode, else `live`." }),
  ),
  limits: Type.Optional(WantedLimits),
})

const RequisiteAnswer = Titled('Requisite', {
  id: Id,
  ...ofAnyMerchant(),
  mode: OneOf(['live', 'sandbox']),
  method: OneOf(paymentMethods),
  currency: Type.String(),
  transferScope: Type.Optional(Type.String()),
  bankIssuer: Type.String(),
  label: Type.Optional(Type.String()),
  holder: Type.String(),
  ...recipientFields,
  number: Type.String({ description: 'Masked.', examples: ['•••• 4821'] }),
  limits: Limits,
  status: OneOf(statuses),
})

/** A requisite; its number is masked. */
export type RequisiteAnswer = Static<typeof RequisiteAnswer>

/** A requisite in the words of the wire. */
export const toRequisiteAnswer = (vault: Vault, requisite: Requisite): RequisiteAnswer => {
  const { numberSealed: _number, recipientSealed: _recipient, numberMasked, ...shown } = requisite
  return wireFields({
    ...shown,
    ...toRecipientFields(vault, requisite),
    number: numberMasked,
    limits: toLimits(requisite.limits, requisite.currency),
  })
}

const wantedFields = ['id', 'merchantId', 'mode', 'method', 'currency', 'bankIssuer'] as const

type Wanted = { readonly [Key in (typeof wantedFields)[number]]?: Requisite[Key] | undefined }

/** A span of the requisites that have one of these statuses and the wanted properties, in the order of their ids. */
export const pickRequisites = async (
  context: Context,
  shown: readonly Requisite['status'][],
  wanted: Wanted,
  { before, limit }: PageSpan,
): Promise<Requisite[]> =>
  (await context.catalog.get(requisitePool)).byId
    .values()
    .filter((each) => (before === null || each.id > before) && shown.includes(each.status))
    .filter((each) => wantedFields.every((field) => wanted[field] === undefined || each[field] === wanted[field]))
    .take(limit)
    .toArray()

/** Requisites. */
export const requisiteRoutes = routesForOperators()

requisiteRoutes.post('/requisites', {
  id: 'addRequisites',
  duty: 'configure',
  summary: 'Add requisites',
  description: 'All or none; the ids are in the order of the request.',
  bodyLimit: maxListBytes,
  body: {
    requisites: Type.Array(NewRequisite, { minItems: 1, maxItems: maxRequisitesAtOnce }),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Check them all and add none; the ids are not kept. Default: false.' }),
    ),
  },
  status: 201,
  answer: { ids: Type.Array(Id) },
  refusals: ['already_exists', 'amount_above_max', 'amount_precision'],
  handle: async (context, request) => {
    const { requisites } = request.body
    const merchants = await context.catalog.get(merchantDirectory)
    const wanted = readBody((read) =>
      requisites.map((each, index) => {
        const { merchantId = null, transferScope = null, label = null, limits = {} } = each
        const owner = merchantId === null ? undefined : merchants.get(merchantId)?.merchant
        if (merchantId !== null && !owner) read.wrong(`requisites.${index}.merchantId`, 'is not a known merchant.')
        const mode = each.mode ?? owner?.mode ?? 'live'
        if (owner && mode !== owner.mode) read.wrong(`requisites.${index}.mode`, "must be the owner's mode.")
        const minor = readLimits(read, limits, each.currency, `requisites.${index}.limits`)
        const { givenName, familyName } = each.recipient ?? {}
        const holder = each.holder ?? (givenName && familyName ? `${familyName} ${givenName}` : '')
        if (holder === '') read.wrong(`requisites.${index}.holder`, 'is required, or both names of the recipient.')
        return { ...each, holder, merchantId, mode, transferScope, label, limits: minor }
      }),
    )
    if (request.body.dryRun) return { ids: await checkRequisites(context, wanted) }
    const ids = await actOnBehalf(context, request, (tx) => addRequisites(tx, wanted), {
      action: 'requisites.add',
      subject: (added) => (added.length === 1 ? `requisite:${added[0]}` : 'requisites'),
      details: (added) => ({ ids: added }),
    })
    return { ids }
  },
})

/** Changes a requisite for an operator, with its audit entry. Refuses as `updateRequisite` does. */
export const changeRequisite = async (
  context: Context,
  request: FastifyRequest,
  id: string,
  wanted: Parameters<typeof updateRequisite>[2],
  reason?: string,
): Promise<Requisite> => {
  const update = async (tx: Tx) => {
    const changed = await updateRequisite(tx, id, wanted)
    if (changed.after.status === 'retired') await failUnshownPayments(tx, id)
    if (changed.after.status !== 'paused') await endPause(tx, id)
    return changed
  }
  const kept = (each: Requisite) => ({ status: each.status, label: each.label, limits: each.limits })
  const { after } = await actOnBehalf(context, request, update, {
    action: 'requisite.update',
    subject: `requisite:${id}`,
    details: (changed) => ({ before: kept(changed.before), after: kept(changed.after), ...(reason && { reason }) }),
  })
  return after
}

requisiteRoutes.patch('/requisites/:id', {
  id: 'updateRequisite',
  duty: 'decide',
  summary: 'Pause, resume or retire a requisite, or change its label or limits',
  description: 'What is left out stays as it is. A paused requisite gets no new payments; those that it has go on.',
  params: IdParams,
  body: Exact(
    {
      status: Type.Optional(OneOf(statuses)),
      label: Type.Optional(Type.Union([Label, Type.Null()])),
      limits: Type.Optional(WantedLimits),
      reason: Type.Optional({ ...Reason, description: 'Why, for the audit.' }),
    },
    { minProperties: 1, examples: [{ status: 'paused' }] },
  ),
  answer: RequisiteAnswer,
  refusals: ['amount_above_max', 'amount_precision', 'invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const { status, label, limits = {}, reason } = request.body
    const requisite = (await context.catalog.get(requisitePool)).byId.get(id)
    if (!requisite) throw new Refusal('resource_not_found', 'There is no such requisite.')
    const wanted = readBody((read) => ({
      status,
      label,
      limits: readLimits(read, limits, requisite.currency, 'limits'),
    }))
    const after = await changeRequisite(context, request, id, wanted, reason)
    return toRequisiteAnswer(context.vault, after)
  },
})

requisiteRoutes.get('/requisites', {
  id: 'listRequisites',
  duty: 'read',
  summary: 'List requisites',
  description: 'Oldest first; numbers are masked.',
  query: {
    ...PageQuery,
    mode: Type.Optional(OneOf(['live', 'sandbox'], { description: 'Only those for real, or for simulated money.' })),
    method: Type.Optional(OneOf(paymentMethods, { description: 'Only of this payment method.' })),
    currency: Type.Optional(Currency),
    status: Type.Optional(OneOf(statuses, { description: 'Only those with this status.' })),
  },
  answer: pageOf('requisites', RequisiteAnswer),
  handle: (context, { query: { mode, method, currency, status, ...query } }) => {
    const shown = status === undefined ? statuses : [status]
    const wanted = { mode, method, currency }
    return readPage(
      'requisites',
      query,
      (span) => pickRequisites(context, shown, wanted, span),
      (each) => toRequisiteAnswer(context.vault, each),
    )
  },
})
