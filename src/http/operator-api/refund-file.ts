import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { bankFilesBy } from '../../engine/members/auth/limits.ts'
import { findAloneBound } from '../../engine/members/refuse-one-person.ts'
import {
  eachSendable,
  openSendingAccount,
  readBankFile,
  sendInBankFile,
  type SendingAccount,
  type SendingInFile,
} from '../../engine/transfers/refunds/bank-file.ts'
import type { StoredRefund } from '../../engine/transfers/refunds/follow-money.ts'
import type { RefundKey } from '../../engine/transfers/refunds/refunds.ts'
import { noSuch } from '../../rules/refusal.ts'
import { alreadyReported, mostInFile, type RefundFileFormat, shownOrder } from '../../rules/transfers/refund-file.ts'
import { maskKnownNumber } from '../../rules/values/masking.ts'
import { actOnBehalf, actOnEach, actorOf } from '../access/act-on-behalf.ts'
import { isOfRow } from './decide-many.ts'
import { limitReveals } from './reveal.ts'

type FileRequest = FastifyRequest<{
  Body: {
    readonly requisiteId: string
    readonly format: RefundFileFormat
    readonly reason: string
    readonly merchantId?: string
    readonly again?: number
  }
}>

type LeftOut = { readonly refund: StoredRefund; readonly why: string }

type SentAt = Pick<SendingInFile, 'bookedAt' | 'bankFile'>

const subjectOf = ({ merchantId, id }: RefundKey): string => `refund:${merchantId}/${id}`

/** Sends a refund with the file of a number, or with a new one. */
const send = (context: Context, request: FileRequest, account: SendingAccount, key: RefundKey, at: SentAt) => {
  const actor = actorOf(request)
  const { requisiteId } = account
  const work = async (tx: Tx) =>
    sendInBankFile(tx, key, account, { actor, above: await findAloneBound(context, tx, actor), ...at })
  return actOnBehalf(context, request, work, {
    action: 'refund.send',
    subject: subjectOf(key),
    details: ({ bankFile }) => ({ requisiteId, bankFile }),
  })
}

/**
 * Sends approved refunds one by one, each recorded for itself, so that a failure loses none: the file is read from what
 * was recorded. Returns its number, null if it could have no refund.
 */
const sendAll = async (context: Context, request: FileRequest, account: SendingAccount) => {
  const bookedAt = context.clock()
  const leftOut: LeftOut[] = []
  let bankFile: number | null = null
  let count = 0
  for await (const refund of eachSendable(context, account, request.body.merchantId ?? null)) {
    if (count === mostInFile) return { bankFile, leftOut, isMore: true }
    try {
      const sent: StoredRefund = await send(context, request, account, refund, { bookedAt, bankFile })
      bankFile = sent.bankFile
      count++
      if (sent.status === 'done') leftOut.push({ refund: sent, why: alreadyReported })
    } catch (error) {
      if (!isOfRow(error)) throw error
      leftOut.push({ refund, why: error.message })
    }
  }
  return { bankFile, leftOut, isMore: false }
}

/** Reads the file of a number, with an audit entry for each refund whose payer it names. */
const readFile = (context: Context, request: FileRequest, account: SendingAccount, bankFile: number) => {
  const { requisiteId, format, reason } = request.body
  return actOnEach(
    context,
    request,
    'refund.reveal',
    (tx) => readBankFile(tx, account, bankFile),
    ({ sent }) => {
      if (sent.length === 0) return [{ subject: `requisite:${requisiteId}`, details: { reason, format, bankFile } }]
      return sent.map(({ refund, payee: { party, number, phone, payTo } }) => {
        const known = [party.account, number, phone, payTo].filter((each) => each !== null)
        const masked = known.reduce(maskKnownNumber, reason)
        return { subject: subjectOf(refund), details: { reason: masked, requisiteId, format, bankFile } }
      })
    },
  )
}

const listed = ({ merchantId, id, reference, orderId, currency, amount }: StoredRefund) => ({
  ...{ merchantId, id, reference, orderId, currency, amount },
})

/** Sends approved refunds from a requisite, and answers with a file for its bank; or with that of an earlier request. */
export const writeBankFile = async (context: Context, request: FileRequest) => {
  const { requisiteId, format, again } = request.body
  const { operator } = request
  await limitReveals(context, bankFilesBy(operator), `${operator} has written too many files; wait 15 minutes.`)
  const account = await openSendingAccount(context, requisiteId, format)
  const nothing = { bankFile: again ?? null, leftOut: [], isMore: false }
  const { bankFile, leftOut, isMore } = again === undefined ? await sendAll(context, request, account) : nothing
  const file = bankFile === null ? undefined : await readFile(context, request, account, bankFile)
  if (again !== undefined && file?.sent.length === 0 && file.faults.length === 0)
    throw noSuch('file of this requisite with refunds that its bank has not reported')
  const sent = file?.sent ?? []
  return {
    ...(file?.written && {
      ...{ bankFile, fileName: file.written.fileName },
      content: Buffer.from(file.written.content).toString('base64'),
    }),
    currency: account.currency,
    amount: sent.reduce((sum, { refund }) => sum + refund.amount, 0n),
    isMore,
    refunds: sent.map(({ refund, order }) => ({ ...listed(refund), paymentOrder: shownOrder(order) })),
    leftOut: [...leftOut, ...(file?.faults ?? [])].map(({ refund, why }) => ({ ...listed(refund), why })),
  }
}
