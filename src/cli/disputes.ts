import { pickListed } from './resolve-name.ts'
import { claims } from '../operations/claims.ts'
import { disputeDecision } from '../operations/decide-dispute.ts'
import { disputes } from '../operations/disputes.ts'
import { command } from './commands.ts'
import { type Inputs, option, outputFile } from './inputs.ts'
import { paymentAs, disputeKey } from './named-inputs.ts'
import { declaredCommands, nounCommands } from './noun-commands.ts'
import { manyDisputes } from './decide-many.ts'

type File = { readonly id: string; readonly contentType: string }

/** The id of the file that part of an id names, or of the only file. A refusal lists the files. */
const pickFile = (files: readonly File[], typed: string | undefined, shownBy: string): string => {
  const [only, ...others] = files
  if (typed === undefined && only && others.length === 0) return only.id
  const listed = files.map(({ id, contentType }) => ({ id, names: [], about: contentType }))
  return pickListed(listed, typed ?? '', { kind: 'file', shownBy })
}

/** A command that saves one of the files of a payment or dispute, which have addresses below that of their owner. */
const saveFile = (
  key: Inputs,
  of: `GET /${string}`,
  part: 'receipts' | 'evidence',
  { description, shownBy }: { readonly description: string; readonly shownBy: string },
) =>
  command({
    description,
    inputs: {
      ...key,
      file: option('--file <id>', 'id of the file, or its beginning; default: the only one'),
      output: outputFile,
    },
    run: async (session, { file, output, ...given }) => {
      const { body } = await session.call<Readonly<Record<typeof part, readonly File[]>>>(of, given)
      const fileId = pickFile(body[part], file, shownBy)
      await session.save(`${of}/${part}/{fileId}`, { ...given, fileId, output })
    },
  })

const receipt = saveFile(paymentAs('id'), 'GET /payments/{merchantId}/{id}', 'receipts', {
  description: 'Save a file that a payer sent; the audit records the read.',
  shownBy: 'payin payments show',
})

export const claimCommands = nounCommands(claims, { receipt })

const evidence = saveFile(disputeKey, 'GET /disputes/{merchantId}/{id}', 'evidence', {
  description: 'Save a file of a dispute; the audit records the read.',
  shownBy: 'payin disputes show',
})

export const disputeCommands = nounCommands(disputes, {
  evidence,
  ...declaredCommands(disputeDecision),
  ...manyDisputes,
})
