import { type Command, InvalidArgumentError } from 'commander'
import type { PreviewAnswer } from '../http/operator-api/dispute-decisions.ts'
import type { ListedDispute, OperatorDispute } from '../http/operator-api/disputes.ts'
import { addExamples } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './find-merchant-id.ts'
import { pagedList } from './paged-list.ts'
import { printAmount, printRows, printTime } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'
import { inSession, path, type Session } from './session.ts'

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

const describe = (dispute: OperatorDispute): string => {
  const { correction, currency } = dispute
  const waits = correction !== undefined && correction.confirmedBy === undefined && dispute.finalAmount === undefined
  const second = waits
    ? `\n${correction.by} proposes ${printAmount(correction.amount, currency)}: another operator has to confirm it.`
    : ''
  return `The dispute about ${dispute.orderId} is ${dispute.state}, the payment ${dispute.status}.${second}`
}

const describePreview = ({ status, needsSecondOperator, entries }: PreviewAnswer): string => {
  const second = needsSecondOperator ? 'No money covers that: another operator would have to confirm.\n' : ''
  const table =
    entries.length === 0
      ? 'No ledger entries.'
      : printRows(entries, {
          KIND: ({ kind }) => kind,
          DEBIT: ({ debit }) => debit,
          CREDIT: ({ credit }) => credit,
          'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        })
  return `The payment would be ${status}. ${second}${table}`
}

const describeHistory = (dispute: OperatorDispute): string =>
  [
    describe(dispute),
    printRows(dispute.history, {
      AT: ({ at }) => printTime(at),
      WHAT: ({ kind }) => kind,
      BY: ({ by }) => by,
      NOTE: ({ note }) => note,
    }),
    ...dispute.evidence.map((file) => `${file.contentType} ${file.id} of ${file.by}`),
  ].join('\n')

const addReading = (disputes: Command): void => {
  const list = disputes
    .command('list')
    .description('List the disputes, the newest first.')
    .option('--undecided', 'only those that wait, the nearest deadline first')
  pagedList<ListedDispute>(list, {
    path: '/disputes',
    field: 'disputes',
    none: ({ undecided }) => (undecided ? 'No dispute waits for a decision.' : 'No disputes.'),
    query: ({ undecided, ...page }) => ({ ...page, state: undecided ? 'undecided' : undefined }),
    columns: {
      DUE: ({ dueAt }) => printTime(dueAt),
      STATE: ({ state }) => state,
      PAYMENT: ({ status }) => status,
      CLAIMANT: ({ claimant }) => claimant,
      REASON: ({ reason }) => reason,
      'CLAIMED>': ({ amount, currency }) => printAmount(amount, currency),
      ORDER: ({ orderId }) => orderId,
      MERCHANT: ({ merchantId }) => merchantId,
      ID: ({ id }) => id,
    },
  })
  const one = (name: string, description: string): Command =>
    disputes
      .command(name)
      .description(description)
      .argument('<merchant>', merchantArgument)
      .argument('<dispute-id>', 'id of the dispute')
  one('show', 'Show a dispute with its history and files.').action(
    inSession(async (session, named: string, id: string) => {
      const address = path`/disputes/${await findMerchantId(session, named)}/${id}`
      session.show(await session.get<OperatorDispute>(address), describeHistory)
    }),
  )
  one('evidence', 'Save a file of a dispute; the audit records that you read it.')
    .argument('<file-id>', 'id of the file')
    .requiredOption('--output <path>', 'file to write')
    .action(
      inSession(async (session, named: string, id: string, fileId: string, { output }: { output: string }) => {
        const merchantId = await findMerchantId(session, named)
        await session.save(path`/disputes/${merchantId}/${id}/evidence/${fileId}`, output)
      }),
    )
}

const addDeciding = (disputes: Command): void => {
  const step = (name: string, description: string, second = '<dispute-id>'): Command =>
    disputes.command(name).description(description).argument('<merchant>', merchantArgument).argument(second)
  const decide = async (session: Session, named: string, id: string, body: object): Promise<void> => {
    const address = path`/disputes/${await findMerchantId(session, named)}/${id}/decision`
    session.show(await session.send<OperatorDispute>('POST', address, body), describe)
  }

  step('open', 'Open a dispute about a closed payment, or propose the correction of a credited one.', '<payment-id>')
    .requiredOption('--amount <amount>', 'what is claimed, or is to be credited instead', exactNumber)
    .requiredOption('--note <text>', 'why')
    .action(
      inSession(async (session, named: string, id: string, body: object) => {
        const address = path`/payments/${await findMerchantId(session, named)}/${id}/disputes`
        session.show(
          await session.send<OperatorDispute>('POST', address, body),
          (dispute) => `${describe(dispute)} Its id is ${dispute.id}.`,
        )
      }),
    )

  step('accept', 'Credit a disputed payment; --preview only shows what it would do.')
    .option('--amount <amount>', 'what is credited; default: all money that the payment then has', exactNumber)
    .option(
      '--transfer <requisite-id/transfer-id>',
      'transfer of the inbox that is for it; again for more',
      transferName,
    )
    .option('--give-back <requisite-id/transfer-id>', 'transfer of it that is not for it; again for more', transferName)
    .requiredOption('--note <text>', 'why; the merchant reads it')
    .option('--preview', 'show the ledger entries, decide nothing')
    .action(
      inSession(async (session, named: string, id: string, options: AcceptOptions) => {
        const { transfer: transfers, preview, ...rest } = options
        const body = { decision: 'accept', transfers, ...rest }
        if (!preview) return decide(session, named, id, body)
        const address = path`/disputes/${await findMerchantId(session, named)}/${id}/preview`
        session.show(await session.send<PreviewAnswer>('POST', address, body), describePreview)
      }),
    )

  step('reject', 'Reject a claim that does not hold; the payment goes back to the status it came from.')
    .requiredOption('--note <text>', 'why; the merchant reads it')
    .action(
      inSession((session, named: string, id: string, { note }: { note: string }) =>
        decide(session, named, id, { decision: 'reject', note }),
      ),
    )

  step('confirm', 'Confirm, as a second operator, what another one has proposed.')
    .requiredOption('--amount <amount>', 'the amount that was proposed', exactNumber)
    .action(
      inSession(async (session, named: string, id: string, body: object) => {
        const address = path`/disputes/${await findMerchantId(session, named)}/${id}/confirm`
        session.show(await session.send<OperatorDispute>('POST', address, body), describe)
      }),
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
