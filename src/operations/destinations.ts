import { destinationKinds, destinationRules, destinationStatuses } from '../rules/money/destination.ts'
import { Id, Time, idOf, ofMerchant, Person } from './fields.ts'
import { OwnerQuery, pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'

const { example: wallet } = destinationRules.tron

const DestinationKind = Type.OneOf(destinationKinds, {
  title: 'DestinationKind',
  description: destinationKinds.map((kind) => `\`${kind}\`: ${destinationRules[kind].name}`).join('; '),
  examples: ['tron'],
})

export const DestinationStatus = Type.OneOf(destinationStatuses, {
  description:
    '`requested`: the merchant asks for it. `cooling`: approved, but no settlement may be sent there before `readyAt`.',
  examples: ['ready'],
  tones: { requested: 'wait', proposed: 'wait', cooling: 'live', ready: 'good', retired: 'over' },
})

/** A destination as its merchant sees it. */
export const DestinationDetails = Type.Titled('Destination', {
  id: Id,
  kind: DestinationKind,
  address: Type.Text('In the only spelling of its kind.', wallet),
  label: Type.String({ examples: ['Main wallet'] }),
  status: DestinationStatus,
  proposedAt: Time,
  'readyAt?': presented(Time, {
    description: 'When settlements may first be sent there. Present once it is approved.',
    heading: 'Ready from',
  }),
  'retiredAt?': Time,
})

/** What its author says about a destination. */
export const DestinationBody = {
  kind: DestinationKind,
  address: Type.Printable(200, {
    description: `With its checksum or check digits. ${Object.entries(destinationRules)
      .map(([kind, { example }]) => `\`${kind}\`: \`${example}\``)
      .join('; ')}.`,
    examples: [wallet],
  }),
  label: Type.Printable(100, { description: 'Your name for it.', examples: ['Main wallet'] }),
}

const DestinationAnswer = Type.Titled('OperatorDestination', {
  ...ofMerchant,
  ...DestinationDetails.properties,
  'requestedBy?': presented(Type.Text('Who of the merchant asked for it.', 'merchant'), {
    kind: 'person',
    absent: 'an operator proposed it',
  }),
  'proposedBy?': presented(Person, {
    description: 'Who proposed it, or took up what the merchant asks for.',
    absent: 'nobody yet',
  }),
  'approvedBy?': presented(Person, { examples: ['operator:boris'], absent: 'nobody yet' }),
  'retiredBy?': Person,
})
export type DestinationAnswer = Static<typeof DestinationAnswer>

export const destinations = {
  about: 'Where settlements may be sent: wallets and bank accounts of merchants.',
  examples: [
    `payin destinations propose "Demo Shop" tron ${wallet} --label "Main wallet"`,
    'payin destinations approve "Main wallet" --merchant "Demo Shop"      (as another operator)',
    'payin destinations list --merchant "Demo Shop"',
  ],
  operations: {
    propose: operation('POST /destinations', 'account', {
      id: 'proposeDestination',
      summary: 'Propose where settlements of a merchant may be sent',
      description:
        'The checksum or check digits of the address must be right; it is never changed: another address is another destination. If the installation has two people who may do this, another one must approve it. Returns 201, or 200 if it is already known.',
      body: {
        merchantId: idOf('merchant'),
        ...DestinationBody,
      },
      answers: { 200: DestinationAnswer, 201: DestinationAnswer },
      refusals: ['already_exists'],
      command: { arguments: ['kind', 'address'] },
    }),
    approve: operation('POST /destinations/{merchantId}/{id}/approve', 'account', {
      id: 'approveDestination',
      summary: 'Approve a destination',
      description:
        'Whoever approves what a merchant asks for is its author: it becomes `proposed`. By an operator other than its author, if the installation has two people who may do this; settlements may be sent there some hours later (`readyAt`, `PAYIN_DESTINATION_COOLING_HOURS`). An account and a token do not count as two people, nor does a new account or one that was just reset, nor one that the other operator invited or reset.',
      answer: DestinationAnswer,
      refusals: ['second_person_required'],
    }),
    retire: operation('POST /destinations/{merchantId}/{id}/retire', 'account', {
      id: 'retireDestination',
      summary: 'Retire a destination',
      description:
        'At once and for good, also a proposed one; settlements to it that are not approved yet can only be failed.',
      answer: DestinationAnswer,
    }),
    list: operation('GET /destinations', 'read', {
      id: 'listAllDestinations',
      summary: 'List destinations of all merchants of a mode, or of one merchant',
      description: 'Newest first.',
      query: { ...OwnerQuery, ...PageQuery },
      answer: pageOf('destinations', DestinationAnswer),
      command: {
        columns: ['label', 'status', 'kind', 'address', 'merchantId', 'readyAt', 'proposedBy', 'approvedBy', 'id'],
        empty:
          'No destinations. Propose one: payin destinations propose <merchant> <kind> <address> --label "Main wallet"',
      },
    }),
  },
} satisfies Noun<unknown>
