import type { Command } from 'commander'
import { findMerchantId, merchantArgument } from './find-merchant-id.ts'
import { printTable } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'
import { openSession } from './session.ts'

type Explanation = {
  readonly chosenId?: string
  readonly counts: Readonly<Record<string, number>>
  readonly verdicts: readonly {
    readonly requisiteId: string
    readonly number: string
    readonly bankIssuer: string
    readonly refused?: string
    readonly room: number
  }[]
}

type Options = {
  readonly method: string
  readonly currency: string
  readonly amount: object
  readonly bank?: string
}

const tell = ({ chosenId, counts, verdicts }: Explanation): string => {
  const reasons = Object.entries(counts).toSorted((a, b) => b[1] - a[1])
  const rows = verdicts.map((verdict) => [
    verdict.requisiteId,
    verdict.number,
    verdict.bankIssuer,
    verdict.requisiteId === chosenId ? 'CHOSEN' : (verdict.refused ?? 'free'),
    `${verdict.room}/10`,
  ])
  return [
    chosenId === undefined ? 'No requisite is free for this payment.' : `This payment would get ${chosenId}.`,
    ...(reasons.length > 0 ? [printTable(['VERDICT', 'REQUISITES>'], reasons)] : []),
    ...(rows.length > 0 ? [printTable(['REQUISITE', 'NUMBER', 'BANK', 'VERDICT', 'ROOM>'], rows)] : []),
  ].join('\n\n')
}

/** Adds `payin requisites explain`. */
export const addExplainCommand = (requisites: Command): void => {
  requisites
    .command('explain')
    .description('Tell which requisite a payment would get now, and why not the others. Changes nothing.')
    .argument('<merchant>', merchantArgument)
    .requiredOption('--method <method>', 'card-to-card, sbp, account-to-account or by-phone')
    .requiredOption('--currency <currency>', 'code, such as rub')
    .requiredOption('--amount <amount>', 'amount of the payment', exactNumber)
    .option('--bank <code>', 'bank issuer that the payer asks for')
    .action(async (named: string, { bank, ...wish }: Options, command: Command) => {
      const session = openSession(command)
      const merchantId = await findMerchantId(session, named)
      const { method, currency, amount } = wish
      const body = { merchantId, method, currency, amount, bankIssuer: bank }
      session.show(await session.send<Explanation>('POST', '/requisites/explain', body), tell)
    })
}
