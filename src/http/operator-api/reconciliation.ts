import { type Static, Type } from '../../operations/schema.ts'
import { listReconciliations, readDay } from '../../engine/ledger/closing-balances/read.ts'
import { recordClosingBalance } from '../../engine/ledger/closing-balances/record-closing-balance.ts'
import type { Tx } from '../../engine/context.ts'
import { hasTwoPeople, moneyDuties } from '../../engine/members/has-two-people.ts'
import { movementKinds } from '../../rules/money/ledger.ts'
import { Refusal } from '../../rules/refusal.ts'
import { Currency, Day, Id, IdParams, Time, wire } from '../../operations/fields.ts'
import { pageSize } from '../lists.ts'
import { ModeQuery, PageQuery } from '../../operations/lists.ts'
import { actOnBehalf, actorOf, secondOf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'
import { amountRefusals } from '../../operations/operator-fields.ts'
import { routesForOperators } from '../routes.ts'
import { ofRequisite, Reason } from '../../operations/operator-fields.ts'
import { setOpeningBalance } from '../../engine/ledger/opening-balances/set-opening-balance.ts'

const Balance = Type.Number({ description: 'Exact amount; below zero for an overdraft.', examples: [125000.5] })

const DayAnswer = Type.Titled('ReconciledDay', {
  ...ofRequisite,
  day: Type.String(),
  currency: Type.String(),
  closing: Type.Number({ description: 'According to the bank.' }),
  ledger: Type.Number({ description: 'What the ledger held on `bank:{requisite}` when the day ended.' }),
  difference: Type.Number(),
  possibleDuplicates: Type.Number({
    description:
      'The share of `ledger` that waits in the inbox because it may be a duplicate. Without it the difference would be greater by this amount.',
  }),
  statementId: Type.Optional(Id, 'The statement that reported it; absent if an operator set it.'),
  source: Type.String(),
  recordedAt: Time,
})

/** A closing balance of a bank and what the ledger held. */
export type DayAnswer = Static<typeof DayAnswer>

/** Closing balances of banks, compared with the ledger. */
export const reconciliationRoutes = routesForOperators()

reconciliationRoutes.put('/requisites/:id/closing-balances/:day', 'reconcile', {
  id: 'setClosingBalance',
  summary: 'Set what a requisite held at the end of a day',
  description:
    'According to the bank, for a day in the time zone of the requisite; replaces a balance that an operator has set before. Imported statements set theirs automatically.',
  params: { id: Id, day: { ...Day, description: 'A day in the time zone of the requisite.' } },
  body: {
    balance: Balance,
    currency: Currency,
    source: Type.Optional(Type.Printable(200, 'Where the balance comes from.')),
  },
  answer: { requisiteId: Id, day: Type.String() },
  refusals: [...amountRefusals, 'resource_not_found'],
  handle: async (context, request) => {
    const { id: requisiteId, day } = request.params
    const { currency, source = 'operator' } = request.body
    const balance = readBody((read) => read.amount(request.body, 'balance', currency))
    const details = { day, currency, balance, source }
    const act = { action: 'closing-balance.set', subject: `requisite:${requisiteId}`, details }
    await actOnBehalf(context, request, (tx) => recordClosingBalance(tx, { requisiteId, ...details }), act)
    return { requisiteId, day }
  },
})

const ClosingBalance = Type.TitledExact('ClosingBalance', {
  requisiteId: Id,
  day: Day,
  balance: Balance,
  currency: Currency,
  source: Type.Optional(Type.Printable(200, 'Where the balance comes from.')),
})

/** Names in a refusal which of several closing balances it is about. */
const atBalance = (error: unknown, index: number): unknown => {
  if (!(error instanceof Refusal)) return error
  const { code, message, details } = error
  const errors = details.errors ?? [{ field: 'requisiteId', code, message }]
  const named = errors.map((each) => ({ ...each, field: `closingBalances.${index}.${each.field}` }))
  return new Refusal(code, `closingBalances.${index}: ${message}`, { errors: named })
}

reconciliationRoutes.put('/ledger/closing-balances', 'reconcile', {
  id: 'setClosingBalances',
  summary: 'Set what several requisites held at the end of days',
  description: 'As for a single one; all are set, or none.',
  bodyLimit: 1024 * 1024,
  body: { closingBalances: Type.Array(ClosingBalance, { minItems: 1, maxItems: 1000 }) },
  answer: { count: Type.Integer() },
  refusals: [...amountRefusals, 'resource_not_found'],
  handle: async (context, request) => {
    const wanted = readBody((read) =>
      request.body.closingBalances.map((each, index) => ({
        ...each,
        source: each.source ?? 'operator',
        balance: read.amount(each, 'balance', each.currency, `closingBalances.${index}.balance`),
      })),
    )
    const record = async (tx: Tx): Promise<void> => {
      for (const [index, each] of wanted.entries()) {
        await recordClosingBalance(tx, each).catch((error: unknown) => {
          throw atBalance(error, index)
        })
      }
    }
    await actOnBehalf(context, request, record, {
      action: 'closing-balances.set',
      subject: 'requisites',
      details: { closingBalances: wanted },
    })
    return { count: wanted.length }
  },
})

type Reconciled = Awaited<ReturnType<typeof listReconciliations>>[number]

const toDay = ({ closing, ledger, possibleDuplicates, currency, ...row }: Reconciled) =>
  wire.fields({
    ...{ ...row, currency },
    closing: wire.amount(closing, currency),
    ledger: wire.amount(ledger, currency),
    difference: wire.amount(closing - ledger, currency),
    possibleDuplicates: wire.amount(possibleDuplicates, currency),
  })

const Which = {
  requisiteId: Type.Optional(Id, 'Only of this requisite, whatever its mode.'),
  ...ModeQuery,
  day: Type.Optional(Day, 'Only closing balances of this day.'),
}

reconciliationRoutes.get('/ledger/reconciliation', 'read', {
  id: 'listReconciliations',
  summary: 'Compare closing balances of banks with the ledger',
  description:
    'Balances from imported statements and from operators; the latest days first; the export has at most 10,000 of them. `difference` is how much more the bank has than the ledger.',
  query: { ...Which, limit: PageQuery.limit },
  answer: { days: Type.Array(DayAnswer) },
  exports: { rows: 'days', most: 10_000 },
  handle: async (context, request) => {
    const { requisiteId = null, mode = 'live', day = null, limit } = request.query
    const rows = await listReconciliations(context, { requisiteId, mode, day }, pageSize(limit))
    return { days: rows.map(toDay) }
  },
})

const WholeDay = Type.Object({
  ...ofRequisite,
  day: Type.String(),
  currency: Type.String(),
  opening: Type.Number({ description: 'What the ledger held on `bank:{requisite}` when the day began.' }),
  movements: Type.Rows('What the bank booked on that day, according to the ledger.', {
    kind: Type.OneOf(movementKinds, '`given-back`: outgoing money that the bank gave back.'),
    count: Type.Integer(),
    amount: Type.Number({ description: 'Positive for money in, negative for money out.' }),
  }),
  ledger: DayAnswer.properties.ledger,
  possibleDuplicates: DayAnswer.properties.possibleDuplicates,
  closings: Type.Array(DayAnswer, { description: 'The closing balances from statements and operators.' }),
  openingBalance: Type.Optional(
    Type.Group('What the account held before its first day here, if set.', {
      day: Type.String(),
      balance: Type.Number(),
      reason: Type.String(),
      setBy: Type.String(),
      setAt: Time,
      proposedDay: Type.Optional(Type.String()),
      proposedBalance: Type.Optional(
        Type.Number({ description: 'A lower balance that waits until another operator sets the same.' }),
      ),
      proposedBy: Type.Optional(Type.String()),
    }),
  ),
})

/** A day of a requisite, from its opening to its closing balance. */
export type WholeDay = Static<typeof WholeDay>

reconciliationRoutes.get('/ledger/reconciliation/:id/:day', 'read', {
  id: 'getReconciliation',
  summary: 'Read a day of a requisite: its opening, movements and closing',
  description: 'Works for days without a known closing balance, too.',
  params: { id: Id, day: { ...Day, description: 'A day in the time zone of the requisite.' } },
  answer: WholeDay,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id: requisiteId, day } = request.params
    const read = await readDay(context, requisiteId, day)
    const { currency, opening } = read
    const amount = (minor: bigint): number => wire.amount(minor, currency)
    return {
      requisiteId,
      day,
      currency,
      opening: amount(read.before),
      movements: read.movements.map((each) => ({ ...each, amount: amount(each.amount) })),
      ledger: amount(read.ledger),
      possibleDuplicates: amount(read.possibleDuplicates),
      closings: read.closings.map(toDay),
      ...(opening === undefined
        ? {}
        : {
            openingBalance: wire.fields({
              ...{ day: opening.day, reason: opening.reason, setBy: opening.setBy, setAt: opening.setAt },
              ...{ proposedDay: opening.proposedDay, proposedBy: opening.proposedBy },
              balance: amount(opening.balance),
              proposedBalance: opening.proposedBalance === null ? null : amount(opening.proposedBalance),
            }),
          }),
    }
  },
})

/** Opening balances of accounts. */
export const openingBalanceRoute = routesForOperators()

openingBalanceRoute.put('/requisites/:id/opening-balance', 'reconcile', {
  id: 'setOpeningBalance',
  summary: 'Set what a requisite held before its first day here',
  description:
    'The balance at the start of the first day whose transfers are recorded, in the time zone of the requisite. It includes everything booked before, which is not recorded. Sending the same again changes nothing; an earlier day with its balance replaces the one that was set. Refused for a day after a payment first waited for money on this requisite. Where two people move money, a balance below the one before it, or below zero, waits until another operator sets the same.',
  params: IdParams,
  body: {
    day: Day,
    balance: Balance,
    currency: Currency,
    reason: Reason,
  },
  answer: {
    requisiteId: Id,
    day: Type.String(),
    proposed: Type.Optional(Type.Flag('It waits: another operator sets the same balance.')),
  },
  refusals: ['already_exists', ...amountRefusals, 'resource_not_found', 'second_person_required'],
  handle: async (context, request) => {
    const { id: requisiteId } = request.params
    const { day, currency, reason } = request.body
    const balance = readBody((read) => read.amount(request.body, 'balance', currency))
    const details = { day, currency, balance, reason }
    const wanted = { requisiteId, ...details, setBy: actorOf(request) }
    const proposed = (isSet: boolean) => (isSet ? {} : { proposed: true })
    const isSet = await actOnBehalf(
      context,
      request,
      async (tx) => {
        const needsSecond = await hasTwoPeople(context, tx, moneyDuties)
        return setOpeningBalance(tx, wanted, { ...secondOf(context, request), needsSecond })
      },
      {
        action: 'opening-balance.set',
        subject: `requisite:${requisiteId}`,
        details: (set: boolean) => ({ ...details, ...proposed(set) }),
      },
    )
    return { requisiteId, day, ...proposed(isSet) }
  },
})
