import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { maskKnownNumber } from '../../rules/values/masking.ts'
import { noSuch, Refusal } from '../../rules/refusal.ts'
import { second } from '../../rules/time.ts'
import { type Limited, mayTry, revealsBy, spanMs } from '../../engine/members/auth/limits.ts'
import { revealMessage } from '../../engine/phones/read.ts'
import { requisitePool, revealNumber } from '../../engine/requisites/requisite-pool.ts'
import { revealPayer, revealSender } from '../../engine/transfers/payers/reveal-payer.ts'
import { revealAccount } from '../../engine/transfers/refunds/refunds.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { type RevealedNumber, reveals } from '../../operations/reveals.ts'

/** Counts an attempt to reveal numbers. Refuses `rate_limited` if there were too many. */
export const limitReveals = async (context: Context, limits: readonly Limited[], refusal: string): Promise<void> => {
  if (!(await mayTry(context, limits)))
    throw new Refusal('rate_limited', refusal, { retryAfterSeconds: spanMs / second })
}

/** Reveals a number once its audit entry is written. The limit counts attempts, whatever their result. */
const reveal = async (
  context: Context,
  request: FastifyRequest<{ Body: { reason: string } }>,
  subject: string,
  read: (tx: Tx) => string | Promise<string>,
): Promise<RevealedNumber> => {
  await limitReveals(
    context,
    revealsBy(request.operator),
    `${request.operator} has revealed too many numbers; wait 15 minutes.`,
  )
  const number = await actOnBehalf(context, request, async (tx) => read(tx), {
    action: `${subject.slice(0, subject.indexOf(':'))}.reveal`,
    subject,
    details: (revealed) => ({ reason: maskKnownNumber(request.body.reason, revealed) }),
  })
  return { number }
}

/** Numbers of requisites and payers in full, which all other operations mask. */
export const revealRoutes = bindOperations(reveals, {
  requisite: async (context, request) => {
    const { id } = request.params
    // Read before the transaction: the embedded database has only one connection, which the transaction uses.
    const requisite = (await context.catalog.get(requisitePool)).byId.get(id)
    return reveal(context, request, `requisite:${id}`, ({ vault }) => {
      if (!requisite) throw noSuch('requisite')
      return revealNumber(vault, requisite)
    })
  },
  transfer: (context, request) => {
    const { requisiteId, id } = request.params
    return reveal(context, request, `transfer:${requisiteId}/${id}`, (tx) => revealSender(tx, { requisiteId, id }))
  },
  payment: (context, request) => {
    const { merchantId, id } = request.params
    return reveal(context, request, `payment:${merchantId}/${id}`, (tx) => revealPayer(tx, merchantId, id))
  },
  refund: (context, request) => {
    const { merchantId, id } = request.params
    return reveal(context, request, `refund:${merchantId}/${id}`, (tx) => revealAccount(tx, { merchantId, id }))
  },
  message: async (context, request) => {
    const { messageId } = request.params
    const read = (tx: Tx): Promise<string> => revealMessage(tx, messageId)
    return { text: (await reveal(context, request, `phone-message:${messageId}`, read)).number }
  },
})
