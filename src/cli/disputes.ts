import { pickListed } from './resolve-name.ts'
import { fieldsOf } from '../operations/field.ts'
import { claims } from '../operations/claims.ts'
import { DecisionBody, disputeDecision, PreviewAnswer } from '../operations/decide-dispute.ts'
import { disputes, OperatorDispute, whatIsMissing } from '../operations/disputes.ts'
import type { Timeline } from '../operations/payments.ts'
import { command, type Group } from './commands.ts'
import { option, required, flag } from './inputs.ts'
import { inputsOfFields } from './field-inputs.ts'
import { paymentAs, disputeKey } from './named-inputs.ts'
import { declaredCommands, nounCommands } from './noun-commands.ts'
import { type Printed, printSections } from './print-table.ts'
import { decideDisputes } from './decide-many.ts'
import { forms, printRow, printTables } from './show-rows.ts'

type File = { readonly id: string; readonly contentType: string }

/** The id of the file that part of an id names, or of the only file. A refusal lists the files. */
const pickFile = (files: readonly File[], typed: string | undefined, owner: string, shownBy: string): string => {
  const [only, ...others] = files
  if (typed === undefined && only && others.length === 0) return only.id
  const listed = files.map(({ id, contentType }) => ({ id, names: [], about: contentType }))
  return pickListed(listed, typed ?? '', { kind: `file of ${owner}`, shownBy })
}

const receiptCommand = command({
  description: 'Save a file that a payer sent; the audit records the read.',
  inputs: {
    ...paymentAs('paymentId'),
    receipt: option('--receipt <id>', 'id of the file, or its beginning; default: the only one'),
    output: required('--output <path>', 'file to write'),
  },
  run: async (session, { receipt, ...given }) => {
    const { body } = await session.call<Timeline>('GET /payments/{merchantId}/{paymentId}', given)
    const id = pickFile(body.receipts, receipt, `payment ${body.orderId}`, 'payin payments show')
    await session.save('GET /payments/{merchantId}/{paymentId}/receipts/{id}', { ...given, id })
  },
})

export const claimCommands: Group = nounCommands(claims, { receipt: receiptCommand })

const describePreview = ({ status, needsSecondOperator, entries }: PreviewAnswer): Printed => {
  const second = needsSecondOperator ? ' No money covers that: another operator would have to confirm it.' : ''
  const [table = 'No ledger entries.'] = printTables(fieldsOf(PreviewAnswer), { entries })
  return printSections(`The payment would be ${status}.${second}`, table)
}

const evidence = command({
  description: 'Save a file of a dispute; the audit records the read.',
  inputs: {
    ...disputeKey,
    file: option('--file <id>', 'id of the file, or its beginning; default: the only one'),
    output: required('--output <path>', 'file to write'),
  },
  run: async (session, { file, ...given }) => {
    const { body } = await session.call<OperatorDispute>('GET /disputes/{merchantId}/{id}', given)
    const fileId = pickFile(body.evidence, file, `the dispute about ${body.orderId}`, 'payin disputes show')
    await session.save('GET /disputes/{merchantId}/{id}/evidence/{fileId}', { ...given, fileId })
  },
})

const accept = command({
  description: 'Credit a disputed payment; --preview only shows what it would do.',
  inputs: {
    ...disputeKey,
    ...inputsOfFields(DecisionBody, { options: { note: '--reason' }, fixed: { decision: 'accept' } }),
    preview: flag('--preview', 'only show the ledger entries; decide nothing'),
  },
  run: async (session, { preview, ...given }) => {
    const values = { ...given, decision: 'accept' }
    if (preview === undefined) {
      session.show(await session.call<OperatorDispute>('POST /disputes/{merchantId}/{id}/decision', values), (made) =>
        printSections(printRow(OperatorDispute, made), whatIsMissing(made, forms)),
      )
    } else {
      const answer = await session.call<PreviewAnswer>('POST /disputes/{merchantId}/{id}/preview', values)
      session.show(answer, describePreview)
    }
  },
})

const declared = nounCommands(disputes)

export const disputeCommands: Group = {
  ...declared,
  commands: {
    ...declared.commands,
    evidence,
    accept,
    ...declaredCommands(disputeDecision),
    decide: decideDisputes,
  },
}
