import { type Command, InvalidArgumentError } from 'commander'
import { addExamples, addPageOptions } from './describe-command.ts'
import { Failure } from './failure.ts'
import { printAmount, printNext, printTable, printTime } from './print-table.ts'
import { exactNumber, readArray, time } from './read-arguments.ts'
import { openSession, type Session } from './session.ts'

type Decision = {
  readonly id: string
  readonly requisiteId: string
  readonly outcome: string
  readonly kind: string
  readonly paymentId?: string
  readonly reasons: readonly string[]
  readonly duplicateOf?: string
}
type Recorded = Decision & { readonly alreadyKnown: boolean }
type Listed = Decision & {
  readonly amount: number
  readonly currency: string
  readonly bookedAt: string
  readonly bankReference?: string
  readonly sender?: string
}

/** What to decide about possible duplicates in the inbox, one line each. */
const describeDuplicates = (transfers: readonly Listed[]): string => {
  const doubtful = transfers.filter(({ kind, duplicateOf }) => kind === 'suspense' && duplicateOf !== undefined)
  if (doubtful.length === 0) return ''
  const lines = doubtful.map(
    ({ id, duplicateOf }) => `${id} may be the same money as ${duplicateOf}, which came through another channel.`,
  )
  const hint = 'The same money: payin transfers ignore. Other money: payin transfers assign, or ignore --other-money.'
  return `\n\n${[...lines, hint].join('\n')}`
}

type RecordOptions = {
  readonly file?: string
  readonly requisite?: string
  readonly amount?: object
  readonly currency?: string
  readonly bookedAt?: string
  readonly reference?: string
  readonly sender?: string
}

const bodyOf = async (session: Session, options: RecordOptions): Promise<string> => {
  const { file, requisite, amount, currency, bookedAt, reference, sender } = options
  if (file !== undefined) return `{"transfers":${await readArray(file)}}`
  const missing = Object.entries({ requisite, amount, currency }).filter(([, value]) => value === undefined)
  if (missing.length > 0) {
    throw new Failure([`Give ${missing.map(([name]) => `--${name}`).join(', ')}, or --file.`], 2)
  }
  const transfer = {
    requisiteId: requisite,
    amount,
    currency,
    bookedAt: bookedAt ?? (await session.now()),
    bankReference: reference,
    sender,
  }
  return JSON.stringify({ transfers: [transfer] })
}

const destination = (row: Decision): string => (row.paymentId === undefined ? row.kind : `${row.kind} ${row.paymentId}`)

const describeRecorded = ({ transfers }: { readonly transfers: readonly Recorded[] }): string =>
  printTable(
    ['TRANSFER', 'OUTCOME', 'WENT TO', 'WHY'],
    transfers.map((row) => [
      row.id,
      row.alreadyKnown ? `${row.outcome} (already known)` : row.outcome,
      destination(row),
      row.reasons.join('; '),
    ]),
  )

type Share = { readonly merchantId: string; readonly paymentId: string; readonly amount: object }

const share = (typed: string, before: readonly Share[] = []): readonly Share[] => {
  const [, merchantId, paymentId, amount] = /^([^/=]+)\/([^/=]+)=(.+)$/.exec(typed) ?? []
  if (!merchantId || !paymentId || !amount) throw new InvalidArgumentError('Write merchant-id/payment-id=5000.37.')
  return [...before, { merchantId, paymentId, amount: exactNumber(amount) }]
}

type Decided = {
  readonly currency: string
  readonly duplicateOf?: string
  readonly reversedAt?: string
  readonly parts: readonly { readonly kind: string; readonly amount: number; readonly paymentId?: string }[]
}

const describeParts = ({ parts, currency, reversedAt, duplicateOf }: Decided): string => {
  const head = reversedAt === undefined ? '' : `The bank took it back at ${reversedAt}.\n`
  const rows = parts.map((part) => [part.kind, printAmount(part.amount, currency), part.paymentId])
  const isDuplicate = parts.some((part) => part.kind === 'duplicate')
  const foot = isDuplicate ? `\n\nIt is the money of transfer ${duplicateOf}; the books have it once, as that one.` : ''
  return head + printTable(['WENT TO', 'AMOUNT>', 'PAYMENT'], rows) + foot
}

const addDecisions = (transfers: Command): void => {
  const add = (name: string, description: string): Command =>
    transfers
      .command(name)
      .description(description)
      .argument('<requisite-id>', 'requisite that received it')
      .argument('<transfer-id>', 'id of the transfer')
  const decide = async (command: Command, [requisite, id, name]: readonly string[], body: object): Promise<void> => {
    const session = openSession(command)
    const path = `/transfers/${[requisite, id].map((each) => encodeURIComponent(each ?? '')).join('/')}/${name}`
    session.show(await session.send<Decided>('POST', path, body), describeParts)
  }
  add('assign', 'Assign a transfer in the inbox to a payment, or split it over several; the rest goes on waiting.')
    .requiredOption('--to <merchant-id/payment-id=amount>', 'payment and its share; again for more', share)
    .option('--note <text>', 'why')
    .action((requisite: string, id: string, options: { to: Share[]; note?: string }, command: Command) =>
      decide(command, [requisite, id, 'assign'], { shares: options.to, note: options.note }),
    )
  add(
    'ignore',
    'Say that a transfer in the inbox belongs to no payment or, of a possible duplicate, that it is the same money.',
  )
    .requiredOption('--reason <text>', 'why')
    .option('--other-money', 'the possible duplicate is money of its own')
    .action((requisite: string, id: string, body: object, command: Command) =>
      decide(command, [requisite, id, 'ignore'], body),
    )
  add('unassign', 'Return a transfer to the inbox, by reversing entries.')
    .requiredOption('--reason <text>', 'why')
    .action((requisite: string, id: string, body: object, command: Command) =>
      decide(command, [requisite, id, 'unassign'], body),
    )
  add(
    'reverse',
    'Record that the bank took a transfer back: waiting money leaves suspense; a credit is reversed, and its payment stays paid.',
  )
    .requiredOption('--reason <text>', 'why')
    .option('--booked-at <time>', 'when the bank booked it; default: now', time)
    .action((requisite: string, id: string, body: object, command: Command) =>
      decide(command, [requisite, id, 'reverse'], body),
    )
}

/** Adds `payin transfers`. */
export const addTransferCommands = (program: Command): void => {
  const transfers = program.command('transfers').description('Money that banks report.')
  addExamples(transfers, [
    'payin transfers record --requisite 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10 --amount 5000.37 --currency rub --reference A1',
    'payin transfers record --file transfers.json      (JSON array; - reads it from standard input)',
    'payin transfers list --unmatched',
    'payin transfers assign <requisite-id> <transfer-id> --to <merchant-id>/<payment-id>=5000.37',
  ])
  addDecisions(transfers)

  transfers
    .command('record')
    .description(
      'Record one transfer by options, or many by --file, all or none: [{ requisiteId, amount, currency, bookedAt, bankReference?, sender? }]. Each is matched to its payment at once. With a reference, a transfer that is reported again counts once.',
    )
    .option('--file <path>', 'JSON array of at most 1000 transfers; - for standard input')
    .option('--requisite <id>', 'requisite that received it')
    .option('--amount <amount>', 'exact amount', exactNumber)
    .option('--currency <currency>', 'code, such as rub')
    .option('--booked-at <time>', 'when the bank booked it; default: now', time)
    .option('--reference <text>', "the bank's own identifier of the transfer")
    .option('--sender <number>', "sender's phone, card or account number")
    .action(async (options: RecordOptions, command: Command) => {
      const session = openSession(command)
      const body = await bodyOf(session, options)
      session.show(await session.send<{ transfers: Recorded[] }>('POST', '/transfers', body), describeRecorded)
    })

  const list = transfers
    .command('list')
    .description('List transfers, the newest first.')
    .option('--unmatched', 'only those that wait for a decision')
  addPageOptions(list).action(
    async (options: { unmatched?: true; limit: string; cursor?: string }, command: Command) => {
      const session = openSession(command)
      const query = { unmatched: options.unmatched ? 'true' : undefined, limit: options.limit, cursor: options.cursor }
      session.show(await session.get<{ transfers: Listed[]; nextCursor?: string }>('/transfers', query), (body) => {
        if (body.transfers.length === 0)
          return options.unmatched ? 'Nothing waits for a decision.' : 'No transfers yet.'
        const rows = body.transfers.map((row) => [
          printTime(row.bookedAt),
          printAmount(row.amount, row.currency),
          row.outcome,
          destination(row),
          row.sender,
          row.bankReference,
          row.requisiteId,
          row.id,
        ])
        const headers = ['BOOKED', 'AMOUNT>', 'OUTCOME', 'WENT TO', 'SENDER', 'REFERENCE', 'REQUISITE', 'ID']
        return printTable(headers, rows) + describeDuplicates(body.transfers) + printNext(body.nextCursor)
      })
    },
  )
}
