import { pickListed } from './resolve-name.ts'
import { fieldsOf } from '../operations/field.ts'
import { claims } from '../operations/claims.ts'
import { DecisionBody, disputeDecision, PreviewAnswer } from '../operations/decide-dispute.ts'
import { disputes, OperatorDispute, whatIsMissing } from '../operations/disputes.ts'
import type { Timeline } from '../operations/payments.ts'
import { command, type Group } from './commands.ts'
import { flag, type Inputs, option, required } from './inputs.ts'
import { inputsOfFields } from './field-inputs.ts'
import { paymentAs, disputeKey } from './named-inputs.ts'
import { declaredCommands, nounCommands } from './noun-commands.ts'
import { type Printed, printSections } from './print-table.ts'
import { decideDisputes } from './decide-many.ts'
import { forms, printRow, printTables } from './show-rows.ts'

type File = { readonly id: string; readonly contentType: string }

/** The id of the file that part of an id names, or of the only file. A refusal lists the files. */
const pickFile = (files: readonly File[], typed: string | undefined, shownBy: string): string => {
  const [only, ...others] = files
  if (typed === undefined && only && others.length === 0) return only.id
  const listed = files.map(({ id, contentType }) => ({ id, names: [], about: contentType }))
  return pickListed(listed, typed ?? '', { kind: 'file', shownBy })
}

/** A command that saves one of the files of a payment or dispute, which have addresses below that of their owner. */
const saveFile = <Of>(
  key: Inputs,
  of: `GET /${string}`,
  part: string,
  { filesOf, ...about }: { filesOf: (owner: Of) => readonly File[]; description: string; shownBy: string },
) =>
  command({
    description: about.description,
    inputs: {
      ...key,
      file: option('--file <id>', 'id of the file, or its beginning; default: the only one'),
      output: required('--output <path>', 'file to write'),
    },
    run: async (session, { file, output, ...given }) => {
      const fileId = pickFile(filesOf((await session.call<Of>(of, given)).body), file, about.shownBy)
      await session.save(`${of}/${part}/{fileId}`, { ...given, fileId, output })
    },
  })

const receipt = saveFile<Timeline>(paymentAs('id'), 'GET /payments/{merchantId}/{id}', 'receipts', {
  description: 'Save a file that a payer sent; the audit records the read.',
  filesOf: ({ receipts }) => receipts,
  shownBy: 'payin payments show',
})

export const claimCommands: Group = nounCommands(claims, { receipt })

const describePreview = ({ status, needsSecondOperator, entries }: PreviewAnswer): Printed => {
  const second = needsSecondOperator ? ' No money covers that: another operator would have to confirm it.' : ''
  const [table = 'No ledger entries.'] = printTables(fieldsOf(PreviewAnswer), { entries })
  return printSections(`The payment would be ${status}.${second}`, table)
}

const evidence = saveFile<OperatorDispute>(disputeKey, 'GET /disputes/{merchantId}/{id}', 'evidence', {
  description: 'Save a file of a dispute; the audit records the read.',
  filesOf: (dispute) => dispute.evidence,
  shownBy: 'payin disputes show',
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
