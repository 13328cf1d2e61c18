import { type Logo, MerchantAnswer, merchants, type ProfileAnswer } from '../operations/merchants.ts'
import { request } from './commands.ts'
import { required } from './inputs.ts'
import { merchant } from './named-inputs.ts'
import { merchantLogCommands } from './logs.ts'
import { nounCommands } from './noun-commands.ts'
import { printAmount, type Printed, printFee, printMinor, printRows, printSections, printSpan } from './print-table.ts'
import { printRow } from './show-rows.ts'
import { readBytes } from './surroundings.ts'

const describeProfile = ({ limits, terms, ...fields }: ProfileAnswer): Printed =>
  printSections(
    printRow(MerchantAnswer, fields),
    limits.length === 0
      ? 'No currency has limits yet: payin limits set rub --min 100 --max 300000'
      : printRows(limits, {
          'SMALLEST>': ({ min, currency }) => printAmount(min, currency),
          'LARGEST>': ({ max, currency }) => printAmount(max, currency),
        }),
    printRows(Object.entries(terms), {
      METHOD: ([method]) => method,
      'FEE~': ([, each]) => printFee(each),
      'TIME TO PAY': ([, each]) => printSpan(each.timeToPayMs),
      GRACE: ([, each]) => printSpan(each.graceMs),
      'LATE WINDOW': ([, each]) => printSpan(each.lateWindowMs),
      'CONFIRM WITHIN': ([, each]) => printSpan(each.confirmDeadlineMs),
      'TOLERANCE>': ([, each]) => printMinor(each.toleranceMinor),
      MISMATCH: ([, each]) => each.mismatchPolicy,
    }),
  )

export const merchantCommands = nounCommands(merchants, {
  show: request('GET /merchants/{id}', {
    description: 'Show a merchant with the limits and terms in force.',
    inputs: { id: merchant },
    print: describeProfile,
  }),
  ...merchantLogCommands,
  logo: request('PUT /merchants/{id}/logo', {
    description: "Set the logo that a merchant's payers see, or remove it.",
    inputs: { id: merchant, file: required('--file <path>', 'PNG, JPEG or WebP of at most 32 KiB, or none') },
    body: async ({ file }, { surroundings }) => ({
      image: file === 'none' ? null : (await readBytes(surroundings, file)).toString('base64'),
    }),
    print: ({ logo }: Logo) => (logo === null ? 'The logo is removed.' : `The logo is at ${logo}.`),
  }),
})
