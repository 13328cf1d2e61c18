import { DestinationBody, DestinationDetails } from '../../operations/destinations.ts'
import { NoBody } from '../../operations/fields.ts'
import { pageOf, ShortPageQuery } from '../../operations/lists.ts'
import { presented } from '../../operations/schema.ts'
import { BalanceEntry, SettlementBody, SettlementDetails, SettlementStatus } from '../../operations/settlements.ts'
import type { Context, Tx } from '../../engine/context.ts'
import {
  approveDestination,
  listDestinations,
  proposeDestination,
  retireDestination,
} from '../../engine/ledger/destinations/destinations.ts'
import { listSettledMovements } from '../../engine/ledger/read.ts'
import {
  advanceSettlement,
  getSettlement,
  listSettlements,
  nobodyAlone,
  requestSettlement,
} from '../../engine/ledger/settlements/settlements.ts'
import { simulatedOperators } from '../../engine/simulation/play-dispute.ts'
import { type Destination, destinationStatus, printDestination } from '../../rules/money/destination.ts'
import { amountDigits } from '../../rules/values/currency.ts'
import { actAsMerchant, merchantActorOf } from '../access/act-on-behalf.ts'
import { readPage } from '../routes/lists.ts'
import { readBody } from '../routes/read-body.ts'
import { routesForMerchants } from '../routes/routes.ts'
import { toEntry } from './money.ts'

/** What is paid out to the merchant, and where to: read it, and ask for it. */
export const settlementRoutes = routesForMerchants('balance')

settlementRoutes.get('/settlements', 'balance:read', {
  id: 'listSettlements',
  summary: 'List settlements',
  description: 'Newest first.',
  query: {
    ...ShortPageQuery,
    'status?': presented(SettlementStatus, 'Only settlements with this status.'),
  },
  answer: pageOf('settlements', SettlementDetails),
  handle: (context, { caller: { merchantId }, query: { status = null, ...query } }) =>
    readPage('settlements', query, (span) => listSettlements(context, { merchantId, mode: 'live', status, ...span })),
})

settlementRoutes.post('/settlements', 'settlements:write', {
  id: 'requestSettlement',
  summary: 'Ask for a settlement',
  description:
    'Of your available balance, or a part of it, which it holds at once, to one of your destinations that is `ready`. The operator approves and pays it; `settlement.approved`, `settlement.paid`, `settlement.failed` and `settlement.canceled` notify you. Returns 201, or 200 if the reference is already known.',
  body: SettlementBody,
  answers: { 200: SettlementDetails, 201: SettlementDetails },
  refusals: [
    ...(['already_exists', 'amount_above_max', 'amount_precision', 'balance_insufficient'] as const),
    ...(['invalid_state', 'resource_not_found'] as const),
  ],
  handle: async (context, request, reply) => {
    const { merchantId, profile } = request.caller
    const { settings } = profile.merchant
    const { reference, destinationId, currency = settings.quoteCurrency } = request.body
    const amount = readBody((read) =>
      request.body.amount === undefined ? null : read.amount(request.body, 'amount', currency),
    )
    const wanted = { merchantId, reference, currency, amount, destinationId, requestedBy: merchantActorOf(request) }
    const { settlement, created } = await actAsMerchant(
      context,
      request,
      (tx) => requestSettlement(tx, wanted, settings),
      {
        action: 'settlement.request',
        subject: (made) => `settlement:${merchantId}/${made.settlement.id}`,
        details: (made) => ({
          reference,
          amount: amountDigits(made.settlement.amount, currency),
          destination: made.settlement.destination,
          created: made.created,
        }),
      },
      true,
    )
    reply.code(created ? 201 : 200)
    return settlement
  },
})

settlementRoutes.get('/settlements/:id', 'balance:read', {
  id: 'readSettlement',
  summary: 'Read a settlement',
  description: 'With its current status.',
  answer: SettlementDetails,
  handle: async (context, request) =>
    (await getSettlement(context, request.caller.merchantId, request.params.id)).settlement,
})

settlementRoutes.get('/settlements/:id/entries', 'balance:read', {
  id: 'listEntriesOfSettlement',
  summary: 'List what a settlement pays out',
  description:
    'All that moved your available balance in its currency since the settlement before it, newest first: credits of payments, less fees, and refunds, reversals and adjustments.',
  takesTurns: true,
  query: ShortPageQuery,
  answer: pageOf('entries', BalanceEntry),
  handle: async (context, { caller: { merchantId }, params: { id: settlementId }, query }) => {
    await getSettlement(context, merchantId, settlementId)
    return readPage(
      'entries',
      query,
      (span) => listSettledMovements(context, { merchantId, settlementId, ...span }),
      toEntry,
    )
  },
})

settlementRoutes.post('/settlements/:id/cancel', 'settlements:write', {
  id: 'cancelSettlement',
  summary: 'Cancel a settlement that you asked for',
  description: 'Until it is approved; its amount is available again.',
  body: NoBody,
  answer: SettlementDetails,
  refusals: ['invalid_state'],
  handle: async (context, request) => {
    const { merchantId } = request.caller
    const key = { merchantId, id: request.params.id }
    const cancel = { step: 'cancel', actor: merchantActorOf(request) } as const
    const act = { action: 'settlement.cancel', subject: `settlement:${merchantId}/${key.id}`, details: {} }
    return actAsMerchant(context, request, (tx) => advanceSettlement(tx, key, cancel, nobodyAlone), act, true)
  },
})

const answerAt = ({ clock }: Context, destination: Destination) => ({
  ...destination,
  status: destinationStatus(destination, clock()),
})

settlementRoutes.get('/destinations', 'balance:read', {
  id: 'listDestinations',
  summary: 'List where settlements may be sent',
  description: 'Newest first. Ask the operator about one that you do not know before its `readyAt`.',
  query: ShortPageQuery,
  answer: pageOf('destinations', DestinationDetails),
  handle: (context, { caller: { merchantId }, query }) =>
    readPage(
      'destinations',
      query,
      (span) => listDestinations(context, { merchantId, mode: 'live', ...span }),
      (row) => answerAt(context, row),
    ),
})

/** Asks for a destination; simulated operators approve one of a sandbox merchant, which is ready at once. */
const requestDestination = async (tx: Tx, wanted: Parameters<typeof proposeDestination>[1], isSandbox: boolean) => {
  const made = await proposeDestination(tx, wanted)
  if (!isSandbox || made.destination.approvedBy !== null) return made
  const approval = { actor: simulatedOperators[0], mayAlone: true, coolingHours: 0 }
  return { ...made, destination: await approveDestination(tx, made.destination, approval) }
}

settlementRoutes.post('/destinations', 'settlements:write', {
  id: 'requestDestination',
  summary: 'Ask for a destination of settlements',
  description:
    'A wallet or a bank account of yours, whose checksum or check digits must be right. The operator approves it, by two people where there are two, and it is `ready` some hours later. In the sandbox it is ready at once. Returns 201, or 200 if it is already known.',
  body: DestinationBody,
  answers: { 200: DestinationDetails, 201: DestinationDetails },
  refusals: ['already_exists', 'invalid_state'],
  handle: async (context, request, reply) => {
    const { merchantId, profile } = request.caller
    const wanted = { merchantId, ...request.body, requestedBy: merchantActorOf(request), proposedBy: null }
    const isSandbox = profile.merchant.mode === 'sandbox'
    const { destination, created } = await actAsMerchant(
      context,
      request,
      (tx) => requestDestination(tx, wanted, isSandbox),
      {
        action: 'destination.request',
        subject: (made) => `destination:${merchantId}/${made.destination.id}`,
        details: (made) => ({ destination: printDestination(made.destination), created: made.created }),
      },
      true,
    )
    reply.code(created ? 201 : 200)
    return answerAt(context, destination)
  },
})

settlementRoutes.post('/destinations/:id/retire', 'settlements:write', {
  id: 'retireOwnDestination',
  summary: 'Retire a destination of settlements',
  description: 'At once and for good; settlements to it that are not approved yet can only fail.',
  body: NoBody,
  answer: DestinationDetails,
  handle: async (context, request) => {
    const { merchantId } = request.caller
    const key = { merchantId, id: request.params.id }
    const retired = await actAsMerchant(
      context,
      request,
      (tx) => retireDestination(tx, key, merchantActorOf(request)),
      { action: 'destination.retire', subject: `destination:${merchantId}/${key.id}`, details: {} },
      true,
    )
    return answerAt(context, retired)
  },
})
