import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { formatInstant } from '../../domain/time.ts'
import { listReconciliations } from '../../ledger/closing-balances/read.ts'
import { recordClosingBalance } from '../../ledger/closing-balances/record-closing-balance.ts'
import type { App } from '../app.ts'
import { Currency, wireAmount } from '../amounts.ts'
import { PrintableText, Time } from '../fields.ts'
import { Id } from '../ids.ts'
import { PageQuery, pageSize } from '../paging.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'

const Day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', examples: ['2026-01-31'] })

const DayAnswer = Type.Object({
  requisiteId: Id,
  day: Type.String(),
  currency: Type.String(),
  closing: Type.Number({ description: 'According to the bank.' }),
  ledger: Type.Number({ description: 'What the ledger held on `bank:{requisite}` when the day ended.' }),
  difference: Type.Number(),
  possibleDuplicates: Type.Number({
    description:
      'The share of `ledger` that waits in the inbox because it may be a duplicate. Without it the difference is greater by this amount.',
  }),
  statementId: Type.Optional({ ...Id, description: 'The statement that it is from; absent when an operator set it.' }),
  source: Type.String(),
  recordedAt: Time,
})

/** A closing balance of a bank and what the ledger held. */
export type DayAnswer = Static<typeof DayAnswer>

/** `PUT /requisites/{id}/closing-balances/{day}`, `GET /ledger/reconciliation`. */
export const registerReconciliation = (app: App, context: Context): void => {
  app.put(
    '/requisites/:id/closing-balances/:day',
    {
      schema: {
        ...operation(
          'setClosingBalance',
          'Set what a requisite held at the end of a day',
          'According to the bank, for a day in the time zone of the requisite; replaces what an operator set before. Imported statements set theirs automatically.',
        ),
        params: Type.Object({ id: Id, day: Day }),
        body: Type.Object(
          {
            balance: Type.Number({ description: 'Exact amount; below zero for an overdraft.', examples: [125000.5] }),
            currency: Currency,
            source: Type.Optional(PrintableText(200, { description: 'Where it comes from.' })),
          },
          { additionalProperties: false },
        ),
        response: { 200: Type.Object({ requisiteId: Id, day: Type.String() }), ...problems(422) },
      },
    },
    async (request) => {
      const { id: requisiteId, day } = request.params
      const { currency, source = 'operator' } = request.body
      const read = readBody()
      const balance = read.amount(request.body, 'balance', currency)
      read.finish()
      const details = { day, currency, balance, source }
      const act = { action: 'closing-balance.set', subject: `requisite:${requisiteId}`, details }
      await actOnBehalf(context, request, act, (tx) => recordClosingBalance(tx, { requisiteId, ...details }))
      return { requisiteId, day }
    },
  )

  app.get(
    '/ledger/reconciliation',
    {
      schema: {
        ...operation(
          'listReconciliations',
          'Compare closing balances of banks with the ledger',
          'Balances of imported statements and those that operators set; the last days first. `difference` is how much more the bank has than the ledger.',
        ),
        querystring: Type.Object(
          { requisiteId: Type.Optional(Id), limit: PageQuery.limit },
          { additionalProperties: false },
        ),
        response: { 200: Type.Object({ days: Type.Array(DayAnswer) }), ...problems() },
      },
    },
    async (request) => {
      const { requisiteId = null, limit } = request.query
      const rows = await listReconciliations(context, requisiteId, pageSize(limit))
      return {
        days: rows.map(({ closing, ledger, possibleDuplicates, currency, recordedAt, statementId, ...row }) => ({
          ...row,
          ...(statementId === null ? {} : { statementId }),
          currency,
          closing: wireAmount(closing, currency),
          ledger: wireAmount(ledger, currency),
          difference: wireAmount(closing - ledger, currency),
          possibleDuplicates: wireAmount(possibleDuplicates, currency),
          recordedAt: formatInstant(recordedAt),
        })),
      }
    },
  )
}
