import type { FastifyReply, FastifyRequest } from 'fastify'
import { receiveProof } from '../../engine/disputes/claims/receive-proof.ts'
import { isClaimable } from '../../engine/disputes/disputes.ts'
import type { Context } from '../../engine/context.ts'
import { mayClaim, maySendReceipt, mayCancel, mayChangePayer } from '../../rules/payments/payment.ts'
import { maxReceipts } from '../../rules/payments/receipt.ts'
import { isPrintable } from '../../rules/payments/order-id.ts'
import { Refusal } from '../../rules/refusal.ts'
import { simulatedEvents } from '../../rules/sandbox/simulation.ts'
import { cancelPayment } from '../../engine/payments/close-payments.ts'
import { changePayer, claimPayment, collectPayer, switchMethod } from '../../engine/payments/payer-changes.ts'
import type { BankIssuer } from '../../engine/requisites/bank-issuers.ts'
import { simulatePayment } from '../../engine/sandbox/simulate-payments.ts'
import { namePayersAccount } from '../../engine/transfers/refunds/refunds.ts'
import { readSearch, resolveSearch } from './offer-banks.ts'
import type { PageAddress, PageView } from './page-view.ts'
import { readClaim } from './read-claim.ts'
import { readName, readPayer } from './read-payer.ts'
import type { limitUploads } from '../access/uploads.ts'
import { readUpload, type Upload } from './read-upload.ts'
import { maxAccountLength } from './show-refunds.ts'
import type { DetailsErrors, FormErrors } from './form-errors.ts'

/** A request for a page or one of its parts. */
export type PageRequest = FastifyRequest<{ Params: PageAddress }>

/** What the forms of a page work with. */
export type PageTools = {
  readonly context: Context
  readonly open: (request: PageRequest) => Promise<PageView>
  readonly uploads: ReturnType<typeof limitUploads>
  /**
   * Shows the page, or its part for changes, again with what to correct: to the script in place, to browsers after a
   * redirect, so that neither reloading nor going back sends the form again.
   */
  readonly showErrors: (
    exchange: Exchange,
    status: number,
    view: PageView,
    errors: FormErrors,
    part?: 'change',
  ) => FastifyReply
}

/** A request with its reply. */
export type Exchange = { readonly request: PageRequest; readonly reply: FastifyReply }

type Form = Readonly<Record<string, unknown>>
type TakeForm = (tools: PageTools, view: PageView, exchange: Exchange) => Promise<FastifyReply>

const formOf = ({ request }: Exchange): Form => (request.body ?? {}) as Form

const wordOf = (form: Form, name: string): string => {
  const value = form[name]
  return typeof value === 'string' ? value : ''
}

// The chosen bank; else, without the script, the one that the search means. A payer's bank may be missing from the list.
const readBank = (form: Form, banks: readonly BankIssuer[]): BankIssuer | 'ambiguous' | undefined => {
  const chosen = banks.find(({ code }) => code === form['bank'])
  const search = readSearch(form['find'])
  return chosen ?? (search === form['seen'] ? undefined : resolveSearch(banks, search))
}

// Every form redirects to the page (303), so that a reload or a second press sends nothing again.
const back = ({ reply }: Exchange, view: PageView): FastifyReply => reply.redirect(view.path(), 303)

/** Reads the details of the payer, or reports everything that is wrong with them. */
const readDetails = (view: PageView, form: Form) => {
  const banks = view.banks()
  const country = view.country ?? banks.find((bank) => bank.country === form['country'])?.country ?? null
  const payer = readPayer(form, country)
  const bank = readBank(form, banks)
  const isAmbiguous = bank === 'ambiguous'
  const name = view.asksName ? (readName(form) ?? null) : null
  const isNameWrong = view.asksName && name === null
  if (payer && !isAmbiguous && !isNameWrong) return { payer: { ...payer, bankIssuer: bank?.code ?? null, name } }
  const word = (field: string): string => wordOf(form, field)
  const written = { phone: word('phone'), method: word('method'), country: word('country'), find: word('find') }
  const chosen = isAmbiguous ? '' : (bank?.code ?? '')
  const wrong = { isAmbiguous, isPhoneWrong: !payer, isNameWrong }
  return { details: { ...written, bank: chosen, name: word('name'), ...wrong } satisfies DetailsErrors }
}

const takeDetails: TakeForm = async ({ context, open, showErrors }, view, exchange) => {
  if (view.state !== 'details') return back(exchange, view)
  const form = formOf(exchange)
  const { payer, details } = readDetails(view, form)
  if (details) return showErrors(exchange, 422, view, { details })
  const method = view.otherMethod !== undefined && form['method'] === view.otherMethod ? view.otherMethod : undefined
  const { merchantId, id } = view.payment
  const result = await collectPayer(context, merchantId, id, { ...payer, ...(method === undefined ? {} : { method }) })
  if (result !== 'other-method') return back(exchange, view)
  return showErrors(exchange, 409, await open(exchange.request), { method: true })
}

const takeChange: TakeForm = async ({ context, showErrors }, view, exchange) => {
  if (!mayChangePayer(view.payment, view.now)) return back(exchange, view)
  const { payer, details } = readDetails(view, formOf(exchange))
  if (details) return showErrors(exchange, 422, view, { details }, 'change')
  await changePayer(context, view.payment.merchantId, view.payment.id, payer)
  return back(exchange, view)
}

const takeCancel: TakeForm = async ({ context }, view, exchange) => {
  if (!mayCancel(view.payment, view.now)) return back(exchange, view)
  try {
    await context.transaction((tx) => cancelPayment(tx, view.payment, { actor: 'payer', reason: 'canceled-by-payer' }))
  } catch (error) {
    // Money arrived first: the page shows the outcome.
    if (!(error instanceof Refusal && error.code === 'invalid_state')) throw error
  }
  return back(exchange, view)
}

const takeClaim: TakeForm = async ({ context }, view, exchange) => {
  if (view.state === 'pay') await claimPayment(context, view.payment.merchantId, view.payment.id)
  return back(exchange, view)
}

const takeMethod: TakeForm = async ({ context, showErrors }, view, exchange) => {
  const { payment, otherMethod } = view
  if (view.state !== 'pay' || otherMethod === undefined || formOf(exchange)['method'] !== otherMethod) {
    return back(exchange, view)
  }
  const result = await switchMethod(context, payment.merchantId, payment.id, otherMethod)
  return result === 'none-free' ? showErrors(exchange, 409, view, { method: true }) : back(exchange, view)
}

/** Reads an upload, which counts as open until `take` has stored it: until then its file is in memory. */
const withUpload = async (
  { uploads }: PageTools,
  { request }: Exchange,
  { payment }: PageView,
  take: (upload: Upload) => Promise<FastifyReply>,
): Promise<FastifyReply> => {
  const release = uploads.take(request.ip, payment.id)
  try {
    return await take(await readUpload(request))
  } finally {
    release()
  }
}

// Whether a file may be accepted is checked before a byte of it is read.
const takeReceipt: TakeForm = async (tools, view, exchange) => {
  if (!maySendReceipt(view.payment, view.now) || view.receipts >= maxReceipts) return back(exchange, view)
  return withUpload(tools, exchange, view, async ({ receipt }) => {
    if (typeof receipt !== 'object') return tools.showErrors(exchange, 422, view, { receipt: receipt ?? 'missing' })
    await receiveProof(tools.context, view.payment, { receipt })
    return back(exchange, view)
  })
}

const takePaid: TakeForm = async (tools, view, exchange) => {
  if (view.payment.claimReceivedAt !== null || !mayClaim(view.payment, view.now)) return back(exchange, view)
  return withUpload(tools, exchange, view, (upload) => takeProof(tools, exchange, view, upload))
}

const takeProof = async (
  { context, showErrors }: PageTools,
  exchange: Exchange,
  view: PageView,
  { fields, receipt }: Upload,
): Promise<FastifyReply> => {
  const { payment, zone, now } = view
  const written = { amount: fields['amount'] ?? '', paidAt: fields['paidAt'] ?? '' }
  const read = readClaim({ ...written, zone: fields['zone'] }, payment, zone, now)
  const isAllowed = 'fields' in read || (await isClaimable(context, payment, read.amount))
  const claim = isAllowed ? read : { ...written, fields: ['amount' as const] }
  const wrongFields = 'fields' in claim ? claim.fields : []
  if (typeof receipt === 'string') {
    return showErrors(exchange, 422, view, {
      claim: { ...written, fields: [...wrongFields, 'receipt'], receipt },
    })
  }
  if ('fields' in claim) return showErrors(exchange, 422, view, { claim })
  await receiveProof(context, payment, { claim, receipt })
  return back(exchange, view)
}

const takeSimulation: TakeForm = async ({ context }, view, exchange) => {
  if (view.merchant.mode !== 'sandbox') throw new Refusal('route_not_found', 'Only sandbox payments are simulated.')
  const event = simulatedEvents.find((each) => each === formOf(exchange)['event'])
  if (!event) throw new Refusal('validation_failed', 'There is no such event.')
  const simulation = { event, amount: undefined, delayMs: 0, reportedBy: 'feed' } as const
  await context.transaction((tx) => simulatePayment(tx, view.payment, simulation))
  return back(exchange, view)
}

const takeRefund: TakeForm = async ({ context, showErrors }, view, exchange) => {
  if (!view.asksAccount) return back(exchange, view)
  const written = wordOf(formOf(exchange), 'account').trim().replace(/\s+/gu, ' ')
  const isAccount = isPrintable(written) && written.length <= maxAccountLength && /(?:\d\D{0,2}){10}/.test(written)
  if (!isAccount) return showErrors(exchange, 422, view, { refund: written.slice(0, maxAccountLength) })
  await context.transaction((tx) => namePayersAccount(tx, view.payment, written))
  return back(exchange, view)
}

/** The forms of the page by the last segment of their address. */
export const pageForms: Readonly<Record<string, TakeForm>> = {
  details: takeDetails,
  change: takeChange,
  cancel: takeCancel,
  claim: takeClaim,
  method: takeMethod,
  receipt: takeReceipt,
  paid: takePaid,
  refund: takeRefund,
  simulate: takeSimulation,
}
