import { writeFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { addExamples, addPageOptions } from './describe-command.ts'
import { Failure } from './failure.ts'
import { findMerchantId, merchantArgument } from './merchants.ts'
import { printAmount, printNext, printTable, printTime } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'
import { openSession } from './session.ts'

type Dispute = {
  readonly id: string
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId: string
  readonly status: string
  readonly state: string
  readonly claimant: string
  readonly currency: string
  readonly amount: number
  readonly reason: string
  readonly dueAt: string
  readonly finalAmount?: number
  readonly correction?: { readonly amount: number; readonly by: string; readonly confirmedBy?: string }
}

type History = Dispute & {
  readonly evidence: readonly { readonly id: string; readonly contentType: string; readonly by: string }[]
  readonly history: readonly {
    readonly kind: string
    readonly by: string
    readonly note?: string
    readonly at: string
  }[]
}

type Preview = {
  readonly status: string
  readonly finalAmount?: number
  readonly needsSecondOperator: boolean
  readonly entries: readonly { kind: string; debit: string; credit: string; currency: string; amount: number }[]
}

type TransferName = { readonly requisiteId: string; readonly id: string }

type AcceptOptions = {
  readonly amount?: object
  readonly transfer?: readonly TransferName[]
  readonly giveBack?: readonly TransferName[]
  readonly note: string
  readonly preview?: true
}

const transferName = (typed: string, before: readonly TransferName[] = []): readonly TransferName[] => {
  const [requisiteId, id, ...rest] = typed.split('/')
  if (!requisiteId || !id || rest.length > 0) throw new InvalidArgumentError('Write requisite-id/transfer-id.')
  return [...before, { requisiteId, id }]
}

const tell = (dispute: Dispute): string => {
  const { correction, currency } = dispute
  const waits = correction !== undefined && correction.confirmedBy === undefined && dispute.finalAmount === undefined
  const second = waits
    ? `\n${correction.by} proposes ${printAmount(correction.amount, currency)}: another operator has to confirm it.`
    : ''
  return `The dispute about ${dispute.orderId} is ${dispute.state}, the payment ${dispute.status}.${second}`
}

const tellPreview = (preview: Preview): string => {
  const entries = preview.entries.map((each) => [
    each.kind,
    each.debit,
    each.credit,
    printAmount(each.amount, each.currency),
  ])
  const second = preview.needsSecondOperator ? 'No money covers that: another operator would have to confirm.\n' : ''
  const table =
    entries.length === 0 ? 'No ledger entries.' : printTable(['KIND', 'DEBIT', 'CREDIT', 'AMOUNT>'], entries)
  return `The payment would be ${preview.status}. ${second}${table}`
}

const tellHistory = (dispute: History): string =>
  [
    tell(dispute),
    printTable(
      ['AT', 'WHAT', 'BY', 'NOTE'],
      dispute.history.map((event) => [printTime(event.at), event.kind, event.by, event.note]),
    ),
    ...dispute.evidence.map((file) => `${file.contentType} ${file.id} of ${file.by}`),
  ].join('\n')

const addReading = (disputes: Command): void => {
  const list = disputes
    .command('list')
    .description('List the disputes, the newest first.')
    .option('--undecided', 'only those that wait, the nearest deadline first')
  addPageOptions(list).action(
    async (options: { undecided?: true; limit: string; cursor?: string }, command: Command) => {
      const session = openSession(command)
      const { undecided, limit, cursor } = options
      const query = { state: undecided ? 'undecided' : undefined, limit, cursor }
      session.show(await session.get<{ disputes: Dispute[]; nextCursor?: string }>('/disputes', query), (body) => {
        if (body.disputes.length === 0) return undecided ? 'No dispute waits for a decision.' : 'No disputes.'
        const rows = body.disputes.map((each) => [
          ...[printTime(each.dueAt), each.state, each.status, each.claimant, each.reason],
          ...[printAmount(each.amount, each.currency), each.orderId, each.merchantId, each.id],
        ])
        const heads = ['DUE', 'STATE', 'PAYMENT', 'CLAIMANT', 'REASON', 'CLAIMED>', 'ORDER', 'MERCHANT', 'ID']
        return printTable(heads, rows) + printNext(body.nextCursor)
      })
    },
  )
  const one = (name: string, description: string): Command =>
    disputes
      .command(name)
      .description(description)
      .argument('<merchant>', merchantArgument)
      .argument('<dispute-id>', 'id of the dispute')
  one('show', 'Show a dispute with its history and files.').action(
    async (named: string, id: string, _options: object, command: Command) => {
      const session = openSession(command)
      const merchantId = await findMerchantId(session, named)
      session.show(await session.get<History>(`/disputes/${merchantId}/${encodeURIComponent(id)}`), tellHistory)
    },
  )
  one('evidence', 'Save a file of a dispute; the reading is in the audit.')
    .argument('<file-id>', 'id of the file')
    .requiredOption('--output <path>', 'file to write')
    .action(async (named: string, id: string, fileId: string, { output }: { output: string }, command: Command) => {
      const session = openSession(command)
      const merchantId = await findMerchantId(session, named)
      const [dispute, file] = [id, fileId].map(encodeURIComponent)
      const content = await session.download(`/disputes/${merchantId}/${dispute}/evidence/${file}`)
      await writeFile(output, content, { flag: 'wx', mode: 0o600 }).catch((error: Error) => {
        throw new Failure([`${output} cannot be written: ${error.message}`], 2)
      })
      process.stdout.write(`Saved ${content.length} bytes to ${output}.\n`)
    })
}

const addDeciding = (disputes: Command): void => {
  const step = (name: string, description: string, second = '<dispute-id>'): Command =>
    disputes.command(name).description(description).argument('<merchant>', merchantArgument).argument(second)
  const send = async (
    command: Command,
    [named, path]: readonly [string, (merchantId: string) => string],
    body: object,
    show: (answer: Dispute & Preview) => string,
  ): Promise<void> => {
    const session = openSession(command)
    const merchantId = await findMerchantId(session, named)
    session.show(await session.send<Dispute & Preview>('POST', path(merchantId), body), show)
  }
  const at = (id: string, name: string) => (merchantId: string) =>
    `/disputes/${merchantId}/${encodeURIComponent(id)}/${name}`

  step('open', 'Open a dispute about a closed payment, or propose the correction of a credited one.', '<payment-id>')
    .requiredOption('--amount <amount>', 'what is claimed, or is to be credited instead', exactNumber)
    .requiredOption('--note <text>', 'why')
    .action(async (named: string, id: string, body: object, command: Command) => {
      const path = (merchantId: string) => `/payments/${merchantId}/${encodeURIComponent(id)}/disputes`
      await send(command, [named, path], body, (dispute) => `${tell(dispute)} Its id is ${dispute.id}.`)
    })

  step('accept', 'Credit a disputed payment; --preview only shows what it would do.')
    .option('--amount <amount>', 'what is credited; all money that the payment then has, unless told', exactNumber)
    .option(
      '--transfer <requisite-id/transfer-id>',
      'transfer of the inbox that is for it; again for more',
      transferName,
    )
    .option('--give-back <requisite-id/transfer-id>', 'transfer of it that is not for it; again for more', transferName)
    .requiredOption('--note <text>', 'why; the merchant reads it')
    .option('--preview', 'show the ledger entries, decide nothing')
    .action(async (named: string, id: string, options: AcceptOptions, command: Command) => {
      const { transfer: transfers, preview, ...rest } = options
      const body = { decision: 'accept', transfers, ...rest }
      if (preview) await send(command, [named, at(id, 'preview')], body, tellPreview)
      else await send(command, [named, at(id, 'decision')], body, tell)
    })

  step('reject', 'Say that a claim does not hold; the payment goes back to the status it came from.')
    .requiredOption('--note <text>', 'why; the merchant reads it')
    .action((named: string, id: string, { note }: { note: string }, command: Command) =>
      send(command, [named, at(id, 'decision')], { decision: 'reject', note }, tell),
    )

  step('confirm', 'Confirm, as a second operator, what another one has proposed.')
    .requiredOption('--amount <amount>', 'the amount that was proposed', exactNumber)
    .action((named: string, id: string, body: object, command: Command) =>
      send(command, [named, at(id, 'confirm')], body, tell),
    )
}

/** Adds `payin disputes`. */
export const addDisputeCommands = (program: Command): void => {
  const disputes = program.command('disputes').description('Claims about payments, and corrections of credited ones.')
  addExamples(disputes, [
    'payin disputes list --undecided',
    'payin disputes accept "Demo Shop" <dispute-id> --transfer <requisite-id>/<transfer-id> --note "found it" --preview',
    'payin disputes confirm "Demo Shop" <dispute-id> --amount 5000 --token "$TOKEN_OF_THE_SECOND"',
  ])
  addReading(disputes)
  addDeciding(disputes)
}
