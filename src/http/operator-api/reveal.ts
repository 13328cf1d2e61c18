import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { maskKnownNumber } from '../../rules/values/masking.ts'
import { noSuch, Refusal } from '../../rules/refusal.ts'
import { second } from '../../rules/time.ts'
import { mayTry, revealsBy, spanMs } from '../../engine/members/auth/limits.ts'
import { requisitePool } from '../../engine/requisites/requisite-pool.ts'
import { revealNumber } from '../../engine/requisites/sealed-requisites.ts'
import { revealPayer, revealSender } from '../../engine/transfers/reveal-payer.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import { routesForOperators } from '../routes/routes.ts'
import { type Static, Type } from '../../operations/schema.ts'

const RevealedNumber = Type.Titled('RevealedNumber', {
  number: Type.Text('The whole number. Do not store it.', '79991234567'),
})

/** A number that is masked everywhere else. */
export type RevealedNumber = Static<typeof RevealedNumber>

const body = {
  reason: Type.Pattern('must be printable characters, not only spaces.', {
    minLength: 1,
    maxLength: 500,
    pattern: '^\\p{Zs}*[^\\p{C}\\p{Z}][^\\p{C}\\p{Zl}\\p{Zp}]*$',
    description: 'Why, for the audit; long numbers in it are masked there.',
    examples: ['The bank asks for the account of the refund'],
  }),
}

const limits = 'The audit has who saw which number and why, not the number. An operator may reveal 30 in 15 minutes.'

/** Reveals a number once its audit entry is written. The limit counts attempts, whatever their result. */
const reveal = async (
  context: Context,
  request: FastifyRequest<{ Body: { reason: string } }>,
  subject: string,
  read: (tx: Tx) => string | Promise<string>,
): Promise<RevealedNumber> => {
  const { operator } = request
  if (!(await mayTry(context, revealsBy(operator)))) {
    const message = `${operator} has revealed too many numbers; wait 15 minutes.`
    throw new Refusal('rate_limited', message, { retryAfterSeconds: spanMs / second })
  }
  const number = await actOnBehalf(context, request, async (tx) => read(tx), {
    action: `${subject.slice(0, subject.indexOf(':'))}.reveal`,
    subject,
    details: (revealed) => ({ reason: maskKnownNumber(request.body.reason, revealed) }),
  })
  return { number }
}

/** Numbers of requisites and payers in full, which all other operations mask. */
export const revealRoutes = routesForOperators()

revealRoutes.post('/requisites/:id/reveal', 'reveal', {
  id: 'revealRequisite',
  summary: 'Reveal the number of a requisite',
  description: limits,
  body,
  answer: RevealedNumber,
  refusals: ['rate_limited'],
  handle: async (context, request) => {
    const { id } = request.params
    // Read before the transaction: the embedded database has only one connection, which the transaction uses.
    const requisite = (await context.catalog.get(requisitePool)).byId.get(id)
    return reveal(context, request, `requisite:${id}`, ({ vault }) => {
      if (!requisite) throw noSuch('requisite')
      return revealNumber(vault, requisite)
    })
  },
})

revealRoutes.post('/transfers/:requisiteId/:id/reveal', 'reveal', {
  id: 'revealSender',
  summary: 'Reveal the number of the sender of a transfer',
  description: `As the bank reported it, which may be masked. Refused with \`invalid_state\` if it reported none. ${limits}`,
  body,
  answer: RevealedNumber,
  refusals: ['invalid_state', 'rate_limited'],
  handle: (context, request) => {
    const { requisiteId, id } = request.params
    return reveal(context, request, `transfer:${requisiteId}/${id}`, (tx) => revealSender(tx, { requisiteId, id }))
  },
})

revealRoutes.post('/payments/:merchantId/:id/reveal', 'reveal', {
  id: 'revealPayer',
  summary: 'Reveal the number of the payer of a payment',
  description: `The phone that the payer gave or, without one, the sender of the money. Refused with \`invalid_state\` if neither is known. ${limits}`,
  body,
  answer: RevealedNumber,
  refusals: ['invalid_state', 'payment_not_found', 'rate_limited'],
  handle: (context, request) => {
    const { merchantId, id } = request.params
    return reveal(context, request, `payment:${merchantId}/${id}`, (tx) => revealPayer(tx, merchantId, id))
  },
})
