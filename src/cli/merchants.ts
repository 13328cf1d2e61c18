import { type Logo, MerchantAnswer, merchants, ProfileAnswer } from '../operations/merchants.ts'
import { request } from './commands.ts'
import { required } from './inputs.ts'
import { merchant } from './named-inputs.ts'
import { requests } from '../operations/requests.ts'
import { commandOf, declaredCommands, nounCommands } from './noun-commands.ts'
import { type Printed, printSections } from './print-table.ts'
import { printRow, printTables } from './show-rows.ts'
import { fieldsOf } from '../operations/field.ts'
import { TermsTable } from '../operations/terms.ts'
import { readBytes } from './surroundings.ts'

const describeProfile = ({ limits, terms: byMethod, reports, ...fields }: ProfileAnswer): Printed => {
  const terms = Object.entries(byMethod).map(([method, each]) => ({ method, ...each }))
  return printSections(
    printRow(MerchantAnswer, fields),
    limits.length === 0 ? 'No currency has limits yet: payin limits set rub --min 100 --max 300000' : undefined,
    ...printTables(fieldsOf({ ...ProfileAnswer.properties, ...TermsTable }), { limits, terms, reports }),
  )
}

export const merchantCommands = nounCommands(merchants, {
  show: commandOf(merchants.operations.show, { print: describeProfile }),
  ...declaredCommands(requests),
  logo: request('PUT /merchants/{id}/logo', {
    description: "Set the logo that a merchant's payers see, or remove it.",
    inputs: { id: merchant, file: required('--file <path>', 'PNG, JPEG or WebP of at most 32 KiB, or none') },
    body: async ({ file }, { surroundings }) => ({
      image: file === 'none' ? null : (await readBytes(surroundings, file)).toString('base64'),
    }),
    print: ({ logo }: Logo) => (logo === null ? 'The logo is removed.' : `The logo is at ${logo}.`),
  }),
})
