import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { formatList } from '../domain/statement-format.ts'
import type { StatementCounts } from '../domain/statement-import.ts'
import { addExamples, addPageOptions } from './describe-command.ts'
import { printAmount, printFields, printNext, printTable, printTime } from './print-table.ts'
import { readDocument } from './read-arguments.ts'
import { type Answer, openSession, type Session } from './session.ts'

type Statement = {
  readonly id: string
  readonly state: string
  readonly fileName: string
  readonly format?: string
  readonly charset?: string
  readonly mapping?: object
  readonly accounts: readonly {
    readonly number: string
    readonly requisiteId: string
    readonly currency: string
    readonly opening?: number
    readonly closing?: number
    readonly credits: number
    readonly debits: number
  }[]
  readonly counts: StatementCounts
  readonly faults: readonly { readonly line: number; readonly reason: string }[]
  readonly uploadedBy: string
  readonly uploadedAt: string
  readonly confirmedBy?: string
  readonly importedAt?: string
  readonly progress: number
  readonly withdrawnBy?: string
  readonly withdrawnAt?: string
  readonly withdrawalReason?: string
  readonly withdrawalFailure?: string
  readonly outcomes?: readonly { readonly outcome: string; readonly kind: string; readonly transfers: number }[]
}

const pollMs = 500
/** An import of more rows takes long enough to show its progress. */
const manyRows = 2000

const countWords = [
  ['new', 'new'],
  ['alreadyKnown', 'already known'],
  ['reversals', 'taken back by the bank'],
  ['pending', 'pending, passed over'],
  ['others', 'only for the balance'],
] as const

const describeRows = (counts: StatementCounts): string => {
  const doubt =
    counts.possibleDuplicates > 0
      ? ` (${counts.possibleDuplicates} of them maybe reported through another channel)`
      : ''
  const parts = countWords.flatMap(([name, word]) =>
    counts[name] > 0 ? [`${counts[name]} ${word}${name === 'new' ? doubt : ''}`] : [],
  )
  return parts.length > 0 ? `${counts.rows}: ${parts.join(', ')}` : String(counts.rows)
}

/** What can be done next, for a person who reads it on a terminal. */
const suggestNext = ({ id, state, counts, outcomes = [] }: Statement): string[] => {
  if (state === 'ready') {
    const doubt = `${counts.possibleDuplicates} of the new rows may be money that was already reported through another channel: they will wait in the inbox for your decision.`
    return [
      `Nothing has moved yet. Rows: payin statements rows ${id}`,
      ...(counts.possibleDuplicates > 0 ? [doubt] : []),
    ]
  }
  const count = (kind: string): number =>
    outcomes.reduce((sum, each) => (each.kind === kind ? sum + each.transfers : sum), 0)
  const [waiting, open] = [count('suspense'), count('open')]
  return [
    ...(waiting > 0 ? [`${waiting} wait in the inbox: payin transfers list --unmatched`] : []),
    ...(open > 0 ? [`${open} took back a transfer that is not known: payin reversals list`] : []),
  ]
}

const tableOf = (heads: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]): string[] =>
  rows.length > 0 ? [printTable(heads, rows)] : []

const describe = (statement: Statement): string => {
  const { counts, accounts, outcomes = [], faults } = statement
  const fields = printFields({
    Statement: statement.id,
    State: statement.state,
    File: statement.fileName,
    Format: [statement.format, statement.charset].filter(Boolean).join(', ') || undefined,
    Mapping: statement.mapping === undefined ? undefined : JSON.stringify(statement.mapping),
    Rows: describeRows(counts),
    Uploaded: `${printTime(statement.uploadedAt)} by ${statement.uploadedBy}`,
    Imported:
      statement.importedAt === undefined
        ? undefined
        : `${printTime(statement.importedAt)}, confirmed by ${statement.confirmedBy}`,
    Withdrawn:
      statement.withdrawnBy === undefined
        ? undefined
        : `${printTime(statement.withdrawnAt)} by ${statement.withdrawnBy}: ${statement.withdrawalReason}`,
    'Not withdrawn': statement.withdrawalFailure,
  })
  const balances = accounts.map(({ number, opening, credits, debits, closing, currency, requisiteId }) => {
    const money = (value: number | undefined) => (value === undefined ? undefined : printAmount(value, currency))
    return [number, money(opening), money(credits), money(debits), money(closing), requisiteId]
  })
  const next = suggestNext(statement)
  return [
    fields,
    ...tableOf(['ACCOUNT', 'OPENING>', 'CREDITS>', 'DEBITS>', 'CLOSING>', 'REQUISITE'], balances),
    ...tableOf(
      ['OUTCOME', 'WENT TO', 'ROWS>'],
      outcomes.map(({ outcome, kind, transfers }) => [outcome, kind, transfers]),
    ),
    ...tableOf(
      ['LINE>', 'REASON'],
      faults.map(({ line, reason }) => [line, reason]),
    ),
    ...(next.length > 0 ? [next.join('\n')] : []),
  ].join('\n\n')
}

/** Waits until a statement is imported, or withdrawn. */
const waitFor = async (session: Session, id: string): Promise<Answer<Statement>> => {
  for (;;) {
    const answer = await session.get<Statement>(`/statements/${id}`)
    const isDone = answer.body.state !== 'importing' && answer.body.state !== 'withdrawing'
    if (process.stderr.isTTY && (!isDone || answer.body.progress > manyRows))
      process.stderr.write(`\rat row ${answer.body.progress}${isDone ? '\n' : ''}`)
    if (isDone) return answer
    await sleep(pollMs)
  }
}

type ImportOptions = {
  readonly preview?: true
  readonly requisite?: string
  readonly source?: string
  readonly mapping?: string
}

const addImport = (statements: Command): void => {
  statements
    .command('import')
    .description(
      'Import a file as a whole, or refuse it with each line and reason. With --preview nothing moves; import the same file again without it to confirm.',
    )
    .argument('<file>', formatList)
    .option('--preview', 'only show what would be imported')
    .option('--requisite <id>', 'requisite of an account that none has by its number')
    .option('--source <id>', 'source whose requisite and CSV mapping are taken')
    .option('--mapping <path>', 'JSON document with the columns of a CSV')
    .action(async (file: string, options: ImportOptions, command: Command) => {
      const session = openSession(command)
      const mapping = options.mapping === undefined ? undefined : await readDocument(options.mapping, false)
      const fields = { requisiteId: options.requisite, sourceId: options.source, mapping }
      const uploaded = await session.upload<Statement>('/statements', file, fields)
      if (options.preview) return session.show(uploaded, describe)
      // A file that is already known is answered with its statement.
      const isKnown = uploaded.body.state !== 'ready'
      await session.send('POST', `/statements/${uploaded.body.id}/confirm`, {})
      return session.show(await waitFor(session, uploaded.body.id), (statement) =>
        isKnown ? `This file was imported before; nothing was added.\n\n${describe(statement)}` : describe(statement),
      )
    })
}

type Row = {
  readonly line: number
  readonly state: string
  readonly kind: string
  readonly amount: number
  readonly currency: string
  readonly bookedAt: string
  readonly sender?: string
  readonly payerName?: string
  readonly text?: string
  readonly duplicateOf?: string
}

const addRows = (statements: Command): void => {
  statements
    .command('rows')
    .description('Show the rows that may move money: new, already known or recorded.')
    .argument('<id>')
    .option('--limit <count>', 'how many', '50')
    .option('--after <position>', 'continue after this row')
    .action(async (id: string, query: { limit: string; after?: string }, command: Command) => {
      const session = openSession(command)
      const path = `/statements/${encodeURIComponent(id)}/rows`
      session.show(await session.get<{ rows: Row[]; nextAfter?: number }>(path, query), ({ rows, nextAfter }) => {
        if (rows.length === 0) return 'No rows that may move money.'
        const table = printTable(
          ['LINE>', 'STATE', 'BOOKED', 'AMOUNT>', 'SENDER', 'NAME', 'TEXT', 'DUPLICATE OF'],
          rows.map((row) => [
            row.line,
            row.kind === 'reversal' ? `${row.state}, taken back` : row.state,
            printTime(row.bookedAt),
            printAmount(row.amount, row.currency),
            row.sender,
            row.payerName,
            row.text?.slice(0, 60),
            row.duplicateOf,
          ]),
        )
        return nextAfter === undefined ? table : `${table}\n\nThere are more: --after ${nextAfter}`
      })
    })
}

/** Adds `payin statements`. */
export const addStatementCommands = (program: Command): void => {
  const statements = program.command('statements').description('Bank files: preview, import and withdraw them.')
  addExamples(statements, [
    'payin statements import january.xml --preview',
    'payin statements import kl_to_1c.txt',
    'payin statements bind 40702810900000000001 --requisite 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
    'payin statements withdraw 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10 --reason "wrong account"',
  ])
  addImport(statements)
  statements
    .command('show')
    .description('Show a statement: its state, its balances and where its money is.')
    .argument('<id>')
    .action(async (id: string, _options: object, command: Command) => {
      const session = openSession(command)
      session.show(await session.get<Statement>(`/statements/${encodeURIComponent(id)}`), describe)
    })
  addRows(statements)
  statements
    .command('discard')
    .description('Discard a file that was only previewed.')
    .argument('<id>')
    .action(async (id: string, _options: object, command: Command) => {
      const session = openSession(command)
      session.show(await session.send<Statement>('POST', `/statements/${encodeURIComponent(id)}/discard`, {}), describe)
    })
  statements
    .command('withdraw')
    .description('Withdraw an import of which nothing was decided.')
    .argument('<id>')
    .requiredOption('--reason <text>', 'why, for the audit')
    .action(async (id: string, { reason }: { reason: string }, command: Command) => {
      const session = openSession(command)
      await session.send<Statement>('POST', `/statements/${encodeURIComponent(id)}/withdraw`, { reason })
      const ended = await waitFor(session, id)
      session.show(ended, describe)
      if (ended.body.state !== 'withdrawn') process.exitCode = 1
    })
  statements
    .command('bind')
    .description(
      'Bind the account of statements to requisites with other numbers, such as a phone and a card; its money is booked on the first.',
    )
    .argument('<number>', 'account number or IBAN as in the files')
    .requiredOption('--requisite <id...>', 'requisites that receive its money')
    .action(async (number: string, { requisite }: { requisite: string[] }, command: Command) => {
      const session = openSession(command)
      const body = { number, requisiteIds: requisite }
      const answer = await session.send<{ number: string }>('PUT', '/statement-accounts', body)
      session.show(answer, (bound) => `Statements of ${bound.number} are for ${requisite.join(' and ')} now.`)
    })
  addPageOptions(statements.command('list').description('List uploaded statements, the newest first.')).action(
    async (query: { limit: string; cursor?: string }, command: Command) => {
      const session = openSession(command)
      const answer = await session.get<{ statements: Statement[]; nextCursor?: string }>('/statements', query)
      session.show(answer, (body) => {
        if (body.statements.length === 0) return 'No statements yet.'
        const rows = body.statements.map((each) => [
          printTime(each.uploadedAt),
          each.state,
          each.format,
          each.counts.rows,
          each.fileName,
          each.uploadedBy,
          each.id,
        ])
        return (
          printTable(['UPLOADED', 'STATE', 'FORMAT', 'ROWS>', 'FILE', 'BY', 'ID'], rows) + printNext(body.nextCursor)
        )
      })
    },
  )
}
