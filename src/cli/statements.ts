import { setTimeout as sleep } from 'node:timers/promises'
import { formatList, statementCharsets } from 'bank-files/pure'
import type { DetailedStatement, StatementAnswer, StatementRowAnswer } from '../http/operator-api/statements.ts'
import { statementAccounts } from '../operations/sources.ts'
import { command, type Group, list, request } from './commands.ts'
import { argument, choice, flag, option, page, required } from './inputs.ts'
import { idArgument, idOption, ofRequisite } from './named-inputs.ts'
import { nounCommands } from './noun-commands.ts'
import {
  type Columns,
  printAccount,
  printAmount,
  type Printed,
  printFields,
  printSome,
  printSections,
  printTime,
} from './print-table.ts'
import { readDocument } from './read-arguments.ts'
import type { Session } from './session.ts'
import type { Answer } from './send-request.ts'
import { shortenIds } from './short-ids.ts'

/** A statement; its money is only known once it is imported. */
type Statement = StatementAnswer & Partial<DetailedStatement>

const pollMs = 500
/** An import of more rows takes long enough to show progress. */
const manyRows = 2000

const countWords = [
  ['new', 'new'],
  ['alreadyKnown', 'already known'],
  ['duplicates', 'the same money as reported by another channel'],
  ['replaced', 'sums of an earlier file, replaced by their payments'],
  ['reversals', 'taken back by the bank'],
  ['pending', 'pending, ignored'],
  ['zero', 'of 0.00, ignored'],
  ['notes', 'other lines, ignored'],
  ['beforeOpening', 'before the opening balance, which includes their money, ignored'],
  ['outgoing', 'outgoing'],
] as const

const describeRows = (counts: Statement['counts']): string => {
  const doubt =
    counts.possibleDuplicates > 0 ? ` (${counts.possibleDuplicates} of them may have been reported before)` : ''
  const parts = countWords.flatMap(([name, word]) =>
    counts[name] > 0 ? [`${counts[name]} ${word}${name === 'new' ? doubt : ''}`] : [],
  )
  return parts.length > 0 ? `${counts.rows}: ${parts.join(', ')}` : String(counts.rows)
}

/** What to do next, for people at a terminal. */
const suggestNext = ({ id, state, counts, accounts, outcomes = [] }: Statement): string | undefined => {
  if (state === 'ready') {
    const doubt = `${counts.possibleDuplicates} of the new rows may be money that was already reported: they will wait in the inbox for your decision.`
    const rows = `Nothing has moved yet. Rows: payin statements rows ${shortenIds([id])[0]}. Import it: the same command without --preview.`
    return counts.possibleDuplicates > 0 ? `${rows}\n${doubt}` : rows
  }
  const count = (kind: string): number =>
    outcomes.reduce((sum, each) => (each.kind === kind ? sum + each.transfers : sum), 0)
  const [waiting, open] = [count('suspense'), count('open')]
  const lines = [
    ...accounts.flatMap(({ difference, currency, requisiteId }) =>
      difference === undefined
        ? []
        : [
            `The books have ${printAmount(difference, currency)} more than this file for its days, so crediting is held on requisite ${shortenIds([requisiteId])[0]}. Look at its rows (payin statements rows) and those of other files of these days, withdraw what is wrong, and then: payin requisites resume-crediting ${shortenIds([requisiteId])[0]}.`,
          ],
    ),
    ...(waiting > 0 ? [`In the inbox: ${waiting}. See: payin transfers list --unmatched`] : []),
    ...(open > 0 ? [`Took back an unknown transfer: ${open}. See: payin reversals list`] : []),
    ...(state === 'imported' && counts.outgoing > 0
      ? [`Outgoing: ${counts.outgoing}. The unexplained ones: payin outgoing list --state unexplained`]
      : []),
  ]
  return lines.length > 0 ? lines.join('\n') : undefined
}

const accountColumns: Columns<Statement['accounts'][number]> = {
  'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
  ACCOUNT: 'number',
  'OPENING>': ({ opening, currency }) => (opening === undefined ? undefined : printAmount(opening, currency)),
  'CREDITS>': ({ creditRows, credits, currency }) => `${creditRows}: ${printAmount(credits, currency)}`,
  'DEBITS>': ({ debitRows, debits, currency }) => `${debitRows}: ${printAmount(debits, currency)}`,
  'CLOSING>': ({ closing, currency }) => (closing === undefined ? undefined : printAmount(closing, currency)),
  'REQUISITE ID#': 'requisiteId',
}

const directionWords: Readonly<Record<NonNullable<Statement['direction']>['decidedBy'], string>> = {
  format: 'as the format says for every row',
  columns: 'credits and debits are in separate columns',
  words: 'by the words in a column',
  sign: 'by the sign of the amount',
  operator: 'credits, as you said, unless the amount has a minus',
}

const describeDirection = ({ decidedBy, columns }: NonNullable<Statement['direction']>): string =>
  [directionWords[decidedBy], ...(columns.length > 0 ? [`(${columns.join(', ')})`] : [])].join(' ')

/** The columns of a CSV and how it writes values, in words; `payin statements show --json` prints the document. */
const describeMapping = ({ columns, charset: _, ...form }: NonNullable<Statement['mapping']>): string =>
  [
    Object.entries(columns ?? {})
      .map(([name, column]) => `${name}: ${String(column)}`)
      .join(', '),
    Object.entries(form)
      .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', '),
  ]
    .filter((each) => each !== '')
    .join('; ')

const describe = (statement: Statement): Printed => {
  const { counts, accounts, outcomes = [], faults } = statement
  const fields = printFields({
    Statement: statement.id,
    State: statement.state,
    File: statement.fileName,
    Format: [statement.format, statement.charset].filter(Boolean).join(', ') || undefined,
    Mapping: statement.mapping === undefined ? undefined : describeMapping(statement.mapping),
    Direction: statement.direction === undefined ? undefined : describeDirection(statement.direction),
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
    'Withdrawal proposed':
      statement.withdrawalProposedBy === undefined
        ? undefined
        : `by ${statement.withdrawalProposedBy}: ${statement.withdrawalReason}; another operator must withdraw it, too`,
    'Not withdrawn': statement.withdrawalFailure,
  })
  return printSections(
    fields,
    printSome(accounts, accountColumns),
    printSome(outcomes, { OUTCOME: 'outcome', 'WENT TO': 'kind', 'ROWS>': 'transfers' }),
    printSome(faults, { 'LINE>': 'line', 'REASON~': 'reason' }),
    suggestNext(statement),
  )
}

/** Waits until a statement is imported or withdrawn. */
const waitFor = async (session: Session, id: string): Promise<Answer<Statement>> => {
  for (;;) {
    const answer = await session.call<Statement>('GET /statements/{id}', { id })
    const { state, progress } = answer.body
    const isDone = state !== 'importing' && state !== 'withdrawing'
    if (session.surroundings.showsProgress && (!isDone || progress > manyRows)) {
      session.surroundings.errors.write(`\rat row ${progress}${isDone ? '\n' : ''}`)
    }
    if (isDone) return answer
    await sleep(pollMs)
  }
}

const id = idArgument('statement')

const importing = command({
  description:
    'Import a whole file, or refuse it with each line and reason. With --preview nothing moves; import the same file again without it to confirm.',
  inputs: {
    file: argument('<file>', formatList),
    preview: flag('--preview', 'only show what would be imported'),
    requisiteId: ofRequisite(', if none has the account number in the file'),
    sourceId: idOption(
      '--source <source>',
      'name or id of the source whose requisite and CSV mapping to use',
      'source',
    ),
    mapping: option('--mapping <path>', "JSON document with all or part of the mapping of a CSV's columns"),
    charset: choice('--charset <name>', 'character set, if the recognised one is wrong', statementCharsets),
    allCredits: flag('--all-credits', 'you say that amounts without a sign or a word for it are credits', 'true'),
  },
  run: async (session, { file, preview, mapping, ...fields }) => {
    const document = mapping === undefined ? undefined : await readDocument(session.surroundings, mapping, false)
    const uploaded = await session.upload<Statement>('/statements', file, { ...fields, mapping: document })
    if (preview) return session.show(uploaded, describe)
    // The service answers a known file with its statement.
    const isKnown = uploaded.body.state !== 'ready'
    await session.call('POST /statements/{id}/confirm', { id: uploaded.body.id })
    return session.show(await waitFor(session, uploaded.body.id), (statement) =>
      printSections(isKnown ? 'This file was imported before; nothing was added.' : undefined, describe(statement)),
    )
  },
})

const rowKinds: Readonly<Record<StatementRowAnswer['kind'], { direction: string; note: string }>> = {
  booked: { direction: 'credit', note: '' },
  reversal: { direction: 'debit', note: ', taken back' },
  outgoing: { direction: 'debit', note: '' },
  'outgoing-reversal': { direction: 'credit', note: ', given back' },
}

const reading = {
  show: request('GET /statements/{id}', {
    description: 'Show a statement: its state, its balances and where its money is.',
    inputs: { id },
    print: describe,
  }),
  rows: list('GET /statements/{id}/rows', {
    description: 'Show the rows that may move money: new, already known or recorded.',
    inputs: { id, limit: page.limit, after: option('--after <position>', 'continue after this row') },
    rows: (answer: { rows: StatementRowAnswer[]; nextAfter?: number }) => answer.rows,
    empty: 'No rows that may move money.',
    columns: {
      'LINE>': 'line',
      'STATE~': ({ kind, state }) => `${state}${rowKinds[kind].note}`,
      BOOKED: ({ bookedAt }) => printTime(bookedAt),
      'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
      DIRECTION: ({ kind }) => rowKinds[kind].direction,
      SENDER: 'sender',
      'NUMBER~': 'number',
      'TEXT~': 'text',
      'NAME~': 'payerName',
      'DUPLICATE OF%': 'duplicateOf',
    },
    notes: ({ nextAfter }) => (nextAfter === undefined ? undefined : `There are more: --after ${nextAfter}`),
  }),
  list: list('GET /statements', {
    description: 'List uploaded statements, newest first.',
    inputs: page,
    rows: (answer: { statements: StatementAnswer[] }) => answer.statements,
    empty: 'No statements yet. Preview a file first: payin statements import <file> --preview',
    columns: {
      'ID#': 'id',
      STATE: 'state',
      'ROWS>': ({ counts }) => counts.rows,
      'FILE~': 'fileName',
      UPLOADED: ({ uploadedAt }) => printTime(uploadedAt),
      FORMAT: 'format',
      BY: 'uploadedBy',
    },
  }),
}

export const statementCommands: Group = {
  description: 'Bank files: preview, import and withdraw them.',
  examples: [
    'payin statements import january.xml --preview',
    'payin statements import kl_to_1c.txt',
    'payin statements bind 40702810900000000001 --requisite "Main phone"',
    'payin statements withdraw 019a9c3e-7d5e --reason "wrong account"',
  ],
  commands: {
    import: importing,
    ...reading,
    discard: request('POST /statements/{id}/discard', {
      description: 'Discard a file that was only previewed.',
      inputs: { id },
      print: describe,
    }),
    withdraw: command({
      description: 'Withdraw an import about which nothing has been decided; exits with 1 if that is not possible.',
      inputs: { id, reason: required('--reason <text>', 'why, for the audit') },
      run: async (session, given) => {
        await session.call('POST /statements/{id}/withdraw', given)
        const ended = await waitFor(session, given.id)
        session.show(ended, describe)
        if (ended.body.state !== 'withdrawn') session.fail()
      },
    }),
    ...nounCommands(statementAccounts).commands,
  },
}
