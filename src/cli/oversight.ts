import type { EntryAnswer } from '../http/operator-api/audit.ts'
import type { DiagnosisAnswer, OperatorAnswer } from '../http/operator-api/installation.ts'
import type { BalancesAnswer } from '../http/operator-api/ledger.ts'
import { list, request } from './commands.ts'
import { installationCommand } from './installation.ts'
import { flag, option, page } from './inputs.ts'
import { ofMerchant } from './named-inputs.ts'
import { printDetails } from './print-details.ts'
import { printAccount, type Printed, printRows, printSections, printTime } from './print-table.ts'

const describeDiagnosis = ({ healthy, since, checks, notes = [] }: DiagnosisAnswer): Printed => {
  if (healthy && since !== undefined)
    return printSections(
      `Healthy: ${checks.length} invariants hold among what has changed since ${printTime(since)}; the rest was verified before (--full reads it again).`,
      ...notes,
    )
  if (healthy) return printSections(`Healthy: all ${checks.length} invariants hold.`, ...notes)
  const broken = checks.filter((check) => check.broken > 0)
  return printSections(
    `Not healthy: ${broken.length} of ${checks.length} invariants are broken.`,
    printRows(broken, {
      INVARIANT: 'name',
      'BROKEN ROWS>': 'broken',
      'EXAMPLES~': ({ examples }) => examples.join('; '),
    }),
    ...notes,
  )
}

/** What commands that check invariants share: they take their time, and end with 1 when one is broken. */
export const diagnosis = {
  inputs: { full: flag('--full', 'read everything, also what was verified before') },
  patient: true,
  print: describeDiagnosis,
  failed: ({ healthy }: DiagnosisAnswer) => !healthy,
} as const

/** An account of the ledger with the name of the merchant or requisite in it. */
const nameLedgerAccount = (row: BalancesAnswer['balances'][number]): string => {
  const { account, merchantId, requisiteId } = row
  if (merchantId !== undefined) return account.replace(merchantId, row.merchantName ?? merchantId)
  return requisiteId === undefined ? account : account.replace(requisiteId, printAccount(row.requisite) ?? requisiteId)
}

/** `payin balances`, `payin whoami`, `payin doctor`, `payin installation` and `payin audit`. */
export const oversightCommands = {
  balances: list({
    description: 'Show the balances of the ledger: debits less credits, so what is owed to a merchant is below zero.',
    request: 'GET /ledger/balances',
    inputs: { merchantId: ofMerchant() },
    rows: ({ balances }: BalancesAnswer) => balances,
    empty: 'The ledger is empty: no money has come yet.',
    columns: {
      'ACCOUNT~': nameLedgerAccount,
      'BALANCE>': ({ balance, currency }) => `${balance} ${currency}`,
    },
  }),
  whoami: request({
    description: 'Show which operator the token belongs to, and its role.',
    request: 'GET /me',
    print: ({ name, role }: OperatorAnswer) => `You are ${name}, with the role ${role}.`,
  }),
  doctor: request({
    description: 'Check every invariant of the data; ends with 1 when one is broken.',
    request: 'GET /doctor',
    ...diagnosis,
  }),
  installation: installationCommand,
  audit: list({
    description: 'Show what operators did: the last entries, or those after a number.',
    request: 'GET /audit',
    inputs: { after: option('--after <sequence>', 'only entries after this one'), limit: page.limit },
    rows: (answer: { entries: EntryAnswer[] }) => answer.entries,
    empty: 'No entries after this one.',
    columns: {
      AT: ({ at }) => printTime(at),
      DID: 'action',
      'TO#': 'subject',
      BY: 'actor',
      '#>': 'sequence',
      'DETAILS~': ({ details }) => printDetails(details) || undefined,
    },
  }),
}
