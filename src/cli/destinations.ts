import { destinationKinds, destinationRules } from '../rules/money/destination.ts'
import type { DestinationAnswer } from '../http/operator-api/destinations.ts'
import { type Group, list, request } from './commands.ts'
import { argument, page, required } from './inputs.ts'
import { destinationKey, merchant, ofMerchant, ofMode } from './named-inputs.ts'
import { type Printed, printFields, printTime } from './print-table.ts'

const describe = (row: DestinationAnswer): Printed =>
  printFields({
    Id: row.id,
    Merchant: row.merchantName ?? row.merchantId,
    Label: row.label,
    Kind: destinationRules[row.kind].name,
    Address: row.address,
    Status: row.status,
    'Proposed by': row.proposedBy,
    'Approved by': row.approvedBy ?? 'nobody yet',
    'Ready from': printTime(row.readyAt),
    'Retired by': row.retiredBy,
  })

export const destinationCommands: Group = {
  description: 'Where settlements may be sent: wallets and bank accounts of merchants.',
  examples: [
    `payin destinations propose "Demo Shop" tron ${destinationRules.tron.example} --label "Main wallet"`,
    'payin destinations approve "Main wallet" --merchant "Demo Shop"      (as another operator)',
    'payin destinations list --merchant "Demo Shop"',
  ],
  commands: {
    propose: request('POST /destinations', {
      description:
        'Propose an address with its checksum or check digits. It is never changed: another address is another destination.',
      inputs: {
        merchantId: merchant,
        kind: argument('<kind>', destinationKinds.join(', ')),
        address: argument(
          '<address>',
          `such as ${destinationKinds.map((kind) => destinationRules[kind].example).join(', ')}`,
        ),
        label: required('--label <text>', 'how you call it'),
      },
      print: describe,
    }),
    approve: request('POST /destinations/{merchantId}/{id}/approve', {
      description: 'Approve a destination, as another operator than its author. It is ready some time later.',
      inputs: destinationKey,
      print: describe,
    }),
    retire: request('POST /destinations/{merchantId}/{id}/retire', {
      description: 'Retire a destination at once and for good; unpaid settlements to it can only be failed.',
      inputs: destinationKey,
      print: describe,
    }),
    list: list('GET /destinations', {
      description: 'List destinations, newest first.',
      inputs: { merchantId: ofMerchant(), mode: ofMode, ...page },
      rows: (answer: { destinations: DestinationAnswer[] }) => answer.destinations,
      empty:
        'No destinations. Propose one: payin destinations propose <merchant> <kind> <address> --label "Main wallet"',
      columns: {
        'LABEL~': 'label',
        STATUS: 'status',
        KIND: 'kind',
        'ADDRESS~': 'address',
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
        'READY FROM': ({ readyAt }) => printTime(readyAt),
        'PROPOSED BY': 'proposedBy',
        'APPROVED BY': 'approvedBy',
        'ID#': 'id',
      },
    }),
  },
}
