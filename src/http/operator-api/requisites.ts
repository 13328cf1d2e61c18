import type { FastifyRequest } from 'fastify'
import { noSuch, orRefusal, Refusal } from '../../rules/refusal.ts'
import { shownName } from '../../rules/requisites/recipient.ts'
import {
  limitAmounts,
  type Requisite,
  type RequisiteLimits,
  requisiteStatuses,
} from '../../rules/requisites/requisite.ts'
import { methodRules } from '../../rules/values/payment-method.ts'
import { merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import { tryOut } from '../../engine/ledger/post-entries.ts'
import { failUnshownPayments } from '../../engine/payments/close-payments.ts'
import { endPause } from '../../engine/requisites/health/automatic-pauses.ts'
import { hasTwoPeople } from '../../engine/members/refuse-one-person.ts'
import { addRequisites, refuseNewZones } from '../../engine/requisites/add-requisites.ts'
import { requisitePool, revealRecipient } from '../../engine/requisites/requisite-pool.ts'
import { refuseBookedNumbers } from '../../engine/statements/bind-statement-account.ts'
import { updateRecipient, updateRequisite } from '../../engine/requisites/update-requisite.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { Context, Tx } from '../../engine/context.ts'
import { type PageSpan, readPage } from '../routes/lists.ts'
import { type ChangedStatuses, changedStatuses, requisites, type WantedLimits } from '../../operations/requisites.ts'
import { actOnBehalf, actOnNamed, actorOf, agreeingOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { type BodyReader, readBody } from '../routes/read-body.ts'

/** Reads the limits of a request, with amounts in minor units. `field` is their name in refusals. */
const readLimits = (
  read: BodyReader,
  wanted: WantedLimits,
  currency: string,
  field: string,
): Partial<RequisiteLimits> => {
  const amounts = limitAmounts.flatMap((name) =>
    typeof wanted[name] === 'number' ? [[name, read.amount(wanted, name, currency, `${field}.${name}`)] as const] : [],
  )
  return { ...wanted, ...Object.fromEntries(amounts) } as Partial<RequisiteLimits>
}

/** Who gets the money of a requisite. */
const toRecipientFields = (vault: Vault, requisite: Requisite) => {
  const recipient = revealRecipient(vault, requisite)
  const isKnown = Object.values(recipient).some((each) => each !== null)
  return { shownName: shownName({ holder: requisite.holder, recipient }), recipient: isKnown ? recipient : null }
}

/** A requisite as operators see it. */
export const toRequisiteAnswer = (vault: Vault, requisite: Requisite) => ({
  ...requisite,
  ...toRecipientFields(vault, requisite),
  number: requisite.numberMasked,
})

const wantedFields = ['id', 'merchantId', 'mode', 'method', 'currency', 'bankIssuer'] as const

type Wanted = { readonly [Key in (typeof wantedFields)[number]]?: Requisite[Key] | undefined }

const labels = new Intl.Collator('en', { numeric: true })

type Ordered = Pick<Requisite, 'id' | 'label'>

/** By label, those without one last; the oldest first. */
const byLabel = (a: Ordered, b: Ordered): number =>
  Number(a.label === null) - Number(b.label === null) ||
  labels.compare(a.label ?? '', b.label ?? '') ||
  (a.id < b.id ? -1 : Number(a.id > b.id))

/** A span of the requisites that have one of these statuses and the wanted properties, by their labels. */
export const pickRequisites = async (
  context: Context,
  shown: readonly Requisite['status'][],
  wanted: Wanted,
  { before, limit }: PageSpan,
): Promise<Requisite[]> => {
  const { byId } = await context.catalog.get(requisitePool)
  const last = before === null ? null : (byId.get(before) ?? { id: before, label: null })
  return byId
    .values()
    .filter((each) => (last === null || byLabel(each, last) > 0) && shown.includes(each.status))
    .filter((each) => wantedFields.every((field) => wanted[field] === undefined || each[field] === wanted[field]))
    .toArray()
    .toSorted(byLabel)
    .slice(0, limit)
}

/** Changes a requisite for an operator, with its audit entry. Refuses as `updateRequisite` does. */
const changeRequisite = async (
  context: Context,
  request: FastifyRequest,
  id: string,
  wanted: Parameters<typeof updateRequisite>[2],
  reason?: string,
): Promise<Requisite> => {
  const update = async (tx: Tx) => {
    const changed = await updateRequisite(tx, id, wanted, await agreeingOf(context, request, tx, ['decide']))
    if (changed.after.status === 'retired') await failUnshownPayments(tx, id)
    if (wanted.status !== undefined) await endPause(tx, id)
    return changed
  }
  const kept = ({ status, label, limits, creditingHeld, proposedZone }: Requisite) => ({
    ...{ status, label, limits, creditingHeld },
    ...(proposedZone && { proposedZone }),
  })
  const { after } = await actOnBehalf(context, request, update, {
    action: 'requisite.update',
    subject: `requisite:${id}`,
    details: (changed) => ({ before: kept(changed.before), after: kept(changed.after), ...(reason && { reason }) }),
  })
  return after
}

/** Pauses or resumes many requisites at once. */
export const requisiteStatusRoute = bindOperations(changedStatuses, {
  set: async (context, request) => {
    const { requisites: ids, status, reason } = request.body
    const results: ChangedStatuses['requisites'] = []
    for (const requisiteId of ids) {
      const result = await orRefusal(['invalid_state', 'resource_not_found'], () =>
        changeRequisite(context, request, requisiteId, { status }, reason),
      )
      if (!(result instanceof Refusal)) results.push({ requisiteId, state: 'done' })
      else results.push({ requisiteId, state: 'refused', code: result.code, message: result.message })
    }
    return { requisites: results }
  },
})

export const requisiteRoutes = bindOperations(requisites.operations, {
  add: async (context, request) => {
    const { requisites: given } = request.body
    const merchants = await context.catalog.get(merchantDirectory)
    const wanted = readBody((read) =>
      given.map((each, index) => {
        const { merchantId = null, label = null, limits = {} } = each
        const transferScope = each.transferScope ?? methodRules[each.method].transferScope
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
    const add = async (tx: Tx) => {
      if (await hasTwoPeople(context, tx, ['decide'])) await refuseNewZones(tx, wanted)
      const added = await addRequisites(tx, wanted, actorOf(request))
      await refuseBookedNumbers(tx, wanted)
      return added
    }
    if (request.body.dryRun) return { ids: await tryOut(context, add) }
    const ids = await actOnBehalf(context, request, add, {
      action: 'requisites.add',
      subject: (added) => (added.length === 1 ? `requisite:${added[0]}` : 'requisites'),
      details: (added) => ({ ids: added }),
    })
    return { ids }
  },
  change: async (context, request) => {
    const { id } = request.params
    const { status, label, limits = {}, crediting, reason } = request.body
    const requisite = (await context.catalog.get(requisitePool)).byId.get(id)
    if (!requisite) throw noSuch('requisite')
    const held = reason ?? 'an operator decided so'
    const wanted = readBody((read) => ({
      ...{ status, label, creditingHeld: crediting && (crediting === 'held' ? held : null) },
      limits: readLimits(read, limits, requisite.currency, 'limits'),
    }))
    const after = await changeRequisite(context, request, id, wanted, reason)
    return toRequisiteAnswer(context.vault, after)
  },
  list: (context, { query: { mode, method, currency, status, ...query } }) => {
    const shown = status === undefined ? requisiteStatuses : [status]
    const wanted = { mode, method, currency }
    return readPage(
      'requisites',
      query,
      (span) => pickRequisites(context, shown, wanted, span),
      (each) => toRequisiteAnswer(context.vault, each),
    )
  },
  update: async (context, request) => {
    const { id } = request.params
    const update = (tx: Tx) => updateRecipient(tx, id, request.body)
    // Names and tax numbers are personal: the audit records only which of them changed.
    const after = await actOnNamed(context, request, 'requisite.recipient', update, {
      fields: Object.keys(request.body),
    })
    return { holder: after.holder, ...toRecipientFields(context.vault, after) }
  },
})
