import { bigint, instant, query, text, uuid } from 'payin-database'

/** The real money that left by a statement, by currency: without it, nobody has to explain that any more. */
export const sumOutgoingRows = query('sum_outgoing_statement_rows', {
  parameters: { statementId: uuid },
  row: { currency: text, amount: bigint },
  text: `select currency, least(sum(amount), 9e18)::bigint as amount from statement_rows
    where statement_id = :statementId and kind = 'outgoing' and added
      and requisite_id in (select id from requisites where mode = 'live')
    group by currency`,
})

/** The real money out of the statements that an operator alone has withdrawn since a time, by currency. */
export const sumWithdrawnAlone = query('sum_outgoing_rows_withdrawn_alone', {
  parameters: { by: text, since: instant },
  row: { currency: text, amount: bigint },
  text: `select sent.currency, least(sum(sent.amount), 9e18)::bigint as amount from statements
    join statement_rows as sent on sent.statement_id = statements.id and sent.kind = 'outgoing' and sent.added
    where statements.withdrawn_by = :by and sent.requisite_id in (select id from requisites where mode = 'live')
      and (statements.state = 'withdrawing' or statements.state = 'withdrawn' and statements.withdrawn_at > :since)
    group by sent.currency`,
})
