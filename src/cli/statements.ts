import { statements, DetailedStatement, type StatementAnswer } from '../operations/statements.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatList, statementCharsets } from 'bank-files/pure'
import { statementAccounts } from '../operations/sources.ts'
import { command, type Commands } from './commands.ts'
import { exitCodes, Failure, failureJson } from './failure.ts'
import { argument, choice, flag, option, required } from './inputs.ts'
import { harmless } from './lay-out-table.ts'
import { idArgument, resolvedId, ofRequisite } from './named-inputs.ts'
import { commandOf, declaredCommands, nounCommands } from './noun-commands.ts'
import { printAmount, type Printed, printSections } from './print-table.ts'
import { readDocument } from './read-arguments.ts'
import { say } from './say.ts'
import type { Answer } from './send-request.ts'
import type { Session } from './session.ts'
import { shortenIds } from '../rules/values/short-ids.ts'
import { printRow } from './show-rows.ts'

/** A statement; its money is only known once it is imported. */
type Statement = StatementAnswer & Partial<DetailedStatement>

const pollMs = 500
/** An import of more rows takes long enough to show progress. */
const manyRows = 2000

/** What to do next, for people at a terminal. */
const suggestNext = ({ id, state, counts, accounts, reportedBy, outcomes = [] }: Statement): string | undefined => {
  if (state === 'ready') {
    const doubt = `${counts.possibleDuplicates} of the new rows may be money that was already reported: they will wait in the inbox for your decision.`
    const replacing = `${counts.replacing} of the rows that are known wait so far, because only one person has reported them: if another operator confirms the file, they are new money.`
    const rows = `Nothing has moved yet. Rows: payin statements rows ${shortenIds([id])[0]}. Import it: the same command without --preview.`
    return [rows, ...(counts.possibleDuplicates > 0 ? [doubt] : []), ...(counts.replacing > 0 ? [replacing] : [])].join(
      '\n',
    )
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
    ...(state === 'imported' && reportedBy !== undefined
      ? [
          'It stands on the word of one person: it proves nothing of what phones have reported. For two to agree, withdraw it, import it with --preview, and let another operator confirm it: payin statements confirm <statement>.',
        ]
      : []),
    ...(waiting > 0 ? [`In the inbox: ${waiting}. See: payin transfers list --unmatched`] : []),
    ...(open > 0 ? [`Took back an unknown transfer: ${open}. See: payin reversals list`] : []),
    ...(state === 'imported' && counts.outgoing > 0
      ? [`Outgoing: ${counts.outgoing}. The unexplained ones: payin outgoing list --state unexplained`]
      : []),
  ]
  return lines.length > 0 ? lines.join('\n') : undefined
}

const describe = (statement: Statement): Printed =>
  printSections(printRow(DetailedStatement, statement), suggestNext(statement))

const waitFor = async (session: Session, id: string): Promise<Answer<Statement>> => {
  for (;;) {
    const answer = await session.call<Statement>('GET /statements/{id}', { id })
    const { state, progress } = answer.body
    const isDone = state !== 'importing' && state !== 'withdrawing'
    if (session.surroundings.showsProgress && (!isDone || progress > manyRows)) {
      session.surroundings.errors.write(say(`\rat row ${progress}${isDone ? '\n' : ''}`))
    }
    if (isDone) return answer
    await sleep(pollMs)
  }
}

const id = idArgument('statement')

type ImportOf = {
  readonly file: string
  /** Above the answer, if there are several files. */
  readonly heading: string | undefined
  readonly preview: true | undefined
  readonly fields: Readonly<Record<string, string | undefined>>
}

const importFile = async (session: Session, { file, heading, preview, fields }: ImportOf): Promise<void> => {
  const uploaded = await session.upload<Statement>('/statements', file, fields)
  if (preview) return session.show(uploaded, (statement) => printSections(heading, describe(statement)))
  // The service answers a known file with its statement.
  const isKnown = uploaded.body.state !== 'ready'
  const known = isKnown ? 'This file was imported before; nothing was added.' : undefined
  await session.call('POST /statements/{id}/confirm', { id: uploaded.body.id })
  session.show(await waitFor(session, uploaded.body.id), (statement) =>
    printSections(heading, known, describe(statement)),
  )
}

/** Reports why one of several files was refused; the command then exits with 1. */
const reportRefused = (
  session: Session,
  { file, heading }: ImportOf,
  { problem, exitCode, message }: Failure,
): void => {
  const { errors } = session.surroundings
  errors.write(
    session.isJson ? failureJson({ problem: { ...problem, file }, exitCode }) : `${heading}\n\n${harmless(message)}`,
  )
  errors.write('\n')
  session.fail()
}

const importing = command({
  description:
    'Import whole files. If anything in one is wrong, it is refused with each line and reason, and does not stop the others. With --preview nothing moves; import the same files again without it to confirm.',
  inputs: {
    file: argument<readonly string[]>('<file...>', formatList),
    preview: flag('--preview', 'only show what would be imported'),
    requisiteId: ofRequisite(', if none has the account number in the file'),
    sourceId: resolvedId(
      option('--source <source>', 'name or id of the source whose requisite and CSV mapping to use'),
      'source',
    ),
    mapping: option('--mapping <path>', "JSON document with all or part of the mapping of a CSV's columns"),
    charset: choice('--charset <name>', 'character set, if the recognised one is wrong', statementCharsets),
    allCredits: flag('--all-credits', 'you say that amounts without a sign or a word for it are credits', 'true'),
  },
  run: async (session, { file: files, preview, mapping, ...fields }) => {
    const document = mapping === undefined ? undefined : await readDocument(session.surroundings, mapping)
    const isAlone = files.length === 1
    for (const [index, file] of files.entries()) {
      const heading = isAlone ? undefined : `${index === 0 ? '' : '\n'}${file}`
      const one = { file, heading, preview, fields: { ...fields, mapping: document } }
      await importFile(session, one).catch((error: unknown) => {
        if (isAlone || !(error instanceof Failure) || error.exitCode === exitCodes.unanswered) throw error
        reportRefused(session, one, error)
      })
    }
  },
})

const own: Commands = {
  import: importing,
  show: commandOf(statements.operations.show, { print: describe }),
  withdraw: command({
    description: 'Withdraw an import about which nothing has been decided; exits with 1 if that is not possible.',
    inputs: { id, reason: required('--reason <reason>', 'why, for the audit') },
    run: async (session, given) => {
      await session.call('POST /statements/{id}/withdraw', given)
      const ended = await waitFor(session, given.id)
      session.show(ended, describe)
      if (ended.body.state !== 'withdrawn') session.fail()
    },
  }),
  ...declaredCommands(statementAccounts),
}

export const statementCommands = nounCommands(statements, own)
