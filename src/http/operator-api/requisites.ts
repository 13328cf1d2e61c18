import { type Static, Type } from '../../operations/schema.ts'
import type { FastifyRequest } from 'fastify'
import { merchantModes } from '../../rules/merchants/merchant.ts'
import { termsBounds } from '../../rules/merchants/merchant.ts'
import { paymentMethods } from '../../rules/values/payment-method.ts'
import { Refusal } from '../../rules/refusal.ts'
import {
  limitAmounts,
  type Requisite,
  type RequisiteLimits,
  requisiteStatuses,
  type Windows,
} from '../../rules/requisites/requisite.ts'
import { merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import { failUnshownPayments } from '../../engine/payments/close-payments.ts'
import { endPause } from '../../engine/requisites/health/automatic-pauses.ts'
import { addRequisites, checkRequisites } from '../../engine/requisites/add-requisites.ts'
import { requisitePool } from '../../engine/requisites/requisite-pool.ts'
import { updateRequisite } from '../../engine/requisites/update-requisite.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { BankCode, Currency, Id, IdParams, TransferScope, Time, wire } from '../../operations/fields.ts'
import { type PageSpan, readPage } from '../lists.ts'
import { pageOf, PageQuery } from '../../operations/lists.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { type BodyReader, readBody } from '../read-body.ts'
import { amountRefusals } from '../../operations/operator-fields.ts'
import { routesForOperators } from '../routes.ts'
import { Holder, RecipientFields, recipientFields, toRecipientFields } from './recipient.ts'
import { ofAnyMerchant, ofRequisite, Reason } from '../../operations/operator-fields.ts'

const money = (description: string) =>
  Type.OrNull(Type.Number({ minimum: 0 }), `${description}; \`null\` for no limit.`)
const count = (description: string) =>
  Type.OrNull(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), `${description}; \`null\` for no limit.`)

const windowOf = (name: keyof Windows, description: string) => {
  const [minimum, maximum] = termsBounds[name]
  const inMs = `${description}, in milliseconds; \`null\` for the merchant's terms.`
  return Type.OrNull(Type.Integer({ minimum, maximum }), inMs)
}

const WorkingMinutes = Type.Unsafe<[number, number]>({
  type: 'array',
  items: { type: 'integer', minimum: 0, maximum: 1440 },
  minItems: 2,
  maxItems: 2,
  examples: [[540, 1260]],
})

/** Schema of a requisite's limits; amounts are in its currency. */
export const Limits = Type.Titled('RequisiteLimits', {
  minAmount: money('Smallest transfer'),
  maxAmount: money('Largest transfer'),
  dayAmount: money('Sum per day'),
  dayCount: count('Payments per day'),
  monthAmount: money('Sum per month'),
  monthCount: count('Payments per month'),
  openPayments: count('Payments open at the same time'),
  workingMinutes: Type.OrNull(WorkingMinutes, 'Minutes of the day in which it is allocated; `null` for the whole day.'),
  pauseAfter: Type.OrNull(
    Type.Integer({ minimum: 1, maximum: 100 }),
    'Number of consecutive expired payments (while others of its kind are paid), or of consecutive unmatched transfers, after which it is paused automatically; `null` for never.',
  ),
  lateWindowMs: windowOf('lateWindowMs', 'How long the exact amount still pays an unpaid payment after its grace'),
  coolDownMs: windowOf('coolDownMs', 'How long the slot of a credited payment stays closed to other payments'),
  utcOffsetMinutes: Type.Integer({
    minimum: -720,
    maximum: 840,
    description: 'Offset of its time zone from UTC.',
    examples: [180],
  }),
})

/** Schema of the limits that a request sets. */
const WantedLimits = Type.Partial(Limits, { additionalProperties: false })

/** Reads the limits of a request, with amounts in minor units. `field` is their name in refusals. */
const readLimits = (
  read: BodyReader,
  wanted: Static<typeof WantedLimits>,
  currency: string,
  field: string,
): Partial<RequisiteLimits> => {
  const amounts = limitAmounts.flatMap((name) =>
    typeof wanted[name] === 'number' ? [[name, read.amount(wanted, name, currency, `${field}.${name}`)] as const] : [],
  )
  return { ...wanted, ...Object.fromEntries(amounts) } as Partial<RequisiteLimits>
}

/** The wire form of a requisite's limits. */
const toLimits = (limits: RequisiteLimits, currency: string): Static<typeof Limits> => {
  const amount = (minor: bigint | null): number | null => (minor === null ? null : wire.amount(minor, currency))
  return {
    ...limits,
    minAmount: amount(limits.minAmount),
    maxAmount: amount(limits.maxAmount),
    dayAmount: amount(limits.dayAmount),
    monthAmount: amount(limits.monthAmount),
    workingMinutes: limits.workingMinutes === null ? null : [...limits.workingMinutes],
  }
}

/** Most requisites that one request adds. */
const maxRequisitesAtOnce = 1000
/** 1000 requisites with all their limits take about 500 kB. */
const maxListBytes = 1024 * 1024

const Label = Type.Printable(60, { description: 'What operators call it.', examples: ['Main account'] })

const NewRequisite = Type.TitledExact('NewRequisite', {
  method: Type.OneOf(paymentMethods),
  currency: Currency,
  bankIssuer: BankCode,
  holder: Type.Optional(Holder),
  recipient: Type.Optional(RecipientFields),
  number: Type.String({
    pattern: '^[0-9]{4,34}$',
    description: 'Card, account or phone number, digits only.',
    examples: ['79991234567'],
  }),
  transferScope: Type.Optional(TransferScope),
  label: Type.Optional(Label),
  merchantId: Type.Optional(Id, 'The merchant that owns it; absent for the pool that all merchants share.'),
  mode: Type.Optional(Type.OneOf(merchantModes, "Which merchants it serves. Default: the owner's mode, else `live`.")),
  limits: Type.Optional(WantedLimits),
})

const CreditingHeld = Type.Object(
  { reason: Type.String(), since: Time, statementId: Type.Optional(Id, 'The statement that does not add up.') },
  {
    description:
      'Why only persons credit its money: its last statement does not add up, or an operator decided so. All money on it waits in the inbox.',
  },
)

/** What every answer says about a requisite. */
export const requisiteFields = {
  mode: Type.OneOf(merchantModes),
  method: Type.OneOf(paymentMethods),
  currency: Type.String(),
  transferScope: Type.Optional(Type.String()),
  bankIssuer: Type.String(),
  label: Type.Optional(Type.String()),
  holder: Type.String(),
  ...recipientFields,
  creditingHeld: Type.Optional(CreditingHeld),
}

const RequisiteAnswer = Type.Titled('Requisite', {
  id: Id,
  ...ofAnyMerchant(),
  ...requisiteFields,
  number: Type.Text('Masked.', '•••• 4821'),
  limits: Limits,
  status: Type.OneOf(requisiteStatuses),
})

/** A requisite; its number is masked. */
export type RequisiteAnswer = Static<typeof RequisiteAnswer>

/** The wire form of a requisite. */
export const toRequisiteAnswer = (vault: Vault, requisite: Requisite): RequisiteAnswer => {
  const { numberSealed: _number, recipientSealed: _recipient, numberMasked, ...shown } = requisite
  return wire.fields({
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

export const requisiteRoutes = routesForOperators()

requisiteRoutes.post('/requisites', 'configure', {
  id: 'addRequisites',
  summary: 'Add requisites',
  description: 'Adds all or none. The ids are in the order of the request.',
  bodyLimit: maxListBytes,
  body: {
    requisites: Type.Array(NewRequisite, { minItems: 1, maxItems: maxRequisitesAtOnce }),
    dryRun: Type.Optional(Type.Flag('Only check them and add none; the ids are not kept. Default: false.')),
  },
  status: 201,
  answer: { ids: Type.Array(Id) },
  refusals: ['already_exists', ...amountRefusals],
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
    const ids = await actOnBehalf(context, request, (tx) => addRequisites(tx, wanted, actorOf(request)), {
      action: 'requisites.add',
      subject: (added) => (added.length === 1 ? `requisite:${added[0]}` : 'requisites'),
      details: (added) => ({ ids: added }),
    })
    return { ids }
  },
})

/** Changes a requisite for an operator, with its audit entry. Refuses as `updateRequisite` does. */
const changeRequisite = async (
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
  const kept = ({ status, label, limits, creditingHeld }: Requisite) => ({ status, label, limits, creditingHeld })
  const { after } = await actOnBehalf(context, request, update, {
    action: 'requisite.update',
    subject: `requisite:${id}`,
    details: (changed) => ({ before: kept(changed.before), after: kept(changed.after), ...(reason && { reason }) }),
  })
  return after
}

requisiteRoutes.patch('/requisites/:id', 'decide', {
  id: 'updateRequisite',
  summary: 'Pause, resume or retire a requisite, hold or resume automatic crediting, or change its label or limits',
  description: 'Omitted fields do not change. A paused requisite gets no new payments; its open payments continue.',
  params: IdParams,
  body: Type.Exact(
    {
      status: Type.Optional(Type.OneOf(requisiteStatuses)),
      label: Type.Optional(Type.OrNull(Label)),
      limits: Type.Optional(WantedLimits),
      crediting: Type.Optional(
        Type.OneOf(
          ['automatic', 'held'],
          '`held`: money on it waits in the inbox until a person assigns it. `automatic` ends that.',
        ),
      ),
      reason: Type.Optional(Reason, 'Why, for the audit.'),
    },
    { minProperties: 1, examples: [{ status: 'paused' }] },
  ),
  answer: RequisiteAnswer,
  refusals: [...amountRefusals, 'invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const { status, label, limits = {}, crediting, reason } = request.body
    const requisite = (await context.catalog.get(requisitePool)).byId.get(id)
    if (!requisite) throw new Refusal('resource_not_found', 'There is no such requisite.')
    const held = reason ?? 'an operator decided so'
    const wanted = readBody((read) => ({
      ...{ status, label, creditingHeld: crediting && (crediting === 'held' ? held : null) },
      limits: readLimits(read, limits, requisite.currency, 'limits'),
    }))
    const after = await changeRequisite(context, request, id, wanted, reason)
    return toRequisiteAnswer(context.vault, after)
  },
})

requisiteRoutes.get('/requisites', 'read', {
  id: 'listRequisites',
  summary: 'List requisites',
  description: 'Oldest first; numbers are masked.',
  query: {
    ...PageQuery,
    mode: Type.Optional(Type.OneOf(merchantModes, 'Only those for real money, or for simulated money.')),
    method: Type.Optional(Type.OneOf(paymentMethods, 'Only of this payment method.')),
    currency: Type.Optional(Currency),
    status: Type.Optional(Type.OneOf(requisiteStatuses, 'Only those with this status.')),
  },
  answer: pageOf('requisites', RequisiteAnswer),
  exports: 'requisites',
  handle: (context, { query: { mode, method, currency, status, ...query } }) => {
    const shown = status === undefined ? requisiteStatuses : [status]
    const wanted = { mode, method, currency }
    return readPage(
      'requisites',
      query,
      (span) => pickRequisites(context, shown, wanted, span),
      (each) => toRequisiteAnswer(context.vault, each),
    )
  },
})

const Changed = Type.Object({
  ...ofRequisite,
  state: Type.OneOf(['done', 'refused']),
  code: Type.Optional(Type.Text('Why it was refused.', 'invalid_state')),
  message: Type.Optional(Type.String()),
})

const ChangedStatuses = Type.Object({
  requisites: Type.Array(Changed, { description: 'In the order of the request.' }),
})

/** The results of changing the status of requisites. */
export type ChangedStatuses = Static<typeof ChangedStatuses>

/** Pauses or resumes many requisites at once. */
export const requisiteStatusRoute = routesForOperators().post('/requisites/statuses', 'decide', {
  id: 'setRequisiteStatuses',
  summary: 'Pause or resume many requisites',
  description: 'Each has its own transaction and audit entry; if one is refused, the others still change.',
  body: Type.Exact({
    requisites: Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true }),
    status: Type.OneOf(['active', 'paused']),
    reason: Type.Optional(Reason, 'Why, for the audit.'),
  }),
  bodyLimit: 128 * 1024,
  answer: ChangedStatuses,
  handle: async (context, request) => {
    const { requisites, status, reason } = request.body
    const results: ChangedStatuses['requisites'] = []
    for (const requisiteId of requisites) {
      try {
        await changeRequisite(context, request, requisiteId, { status }, reason)
        results.push({ requisiteId, state: 'done' })
      } catch (error) {
        if (!(error instanceof Refusal) || (error.code !== 'invalid_state' && error.code !== 'resource_not_found'))
          throw error
        results.push({ requisiteId, state: 'refused', code: error.code, message: error.message })
      }
    }
    return { requisites: results }
  },
})
