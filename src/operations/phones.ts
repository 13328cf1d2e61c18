import { messageStates, phoneApps, simulatedApp, waitingReasons } from '../rules/phones/phone.ts'
import {
  type Approved,
  Id,
  Time,
  AccountName,
  howToApprove,
  idOf,
  ofRequisite,
  Person,
  seenVersion,
  unapproved,
} from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { type Forms, presented, type Static, Type } from './schema.ts'

const RequisiteIds = Type.Array(Id, {
  minItems: 1,
  maxItems: 50,
  description: 'Those whose money its messages report.',
  of: 'requisite',
})

const aboutLimit =
  'USDT within 24 hours that its messages credit without a person or a statement; the rest waits in the inbox. 0: all of it.'

const accountLimit = Type.Bounded(
  0,
  999_999_999,
  'USDT within 24 hours that messages credit on this requisite without a person or a statement, within the limit of the phone. Default: only that.',
)

const settings = {
  dailyLimit: Type.Bounded(0, 999_999_999, aboutLimit),
  balances: Type.OneOf(
    ['checked', 'ignored'],
    'Whether the balance in each message must follow from the one before. Ignore them where the bank writes a credit limit.',
  ),
  'silentMinutes?': Type.Bounded(5, 10_080, {
    description: 'After how many minutes of silence its requisites are paused, and somebody is alerted.',
    absent: 'never',
  }),
}

const Digits = Type.Pattern('must be 3 to 20 digits.', { pattern: '^[0-9]{3,20}$', examples: ['4071'] })

export const PhoneAnswer = Type.Titled('Phone', {
  id: Id,
  name: Type.String(),
  app: Type.OneOf([...phoneApps, simulatedApp]),
  state: Type.OneOf(['active', 'paused'], { tones: { active: 'live', paused: 'wait' } }),
  requisiteIds: Type.Array(Id, { shownAs: 'requisites', heading: 'Requisites' }),
  'requisites?': Type.Array(AccountName, { description: 'How operators know them, in the same order.' }),
  accounts: Type.Rows('How its messages name the account of each requisite.', {
    requisiteId: idOf('requisite'),
    digits: Type.Array(Type.Text('Last digits of the account or a card.', '4071')),
    'sim?': Type.Text('What the app calls the SIM card.', '1'),
    'dailyLimit?': accountLimit,
  }),
  ...settings,
  secretPrefix: presented(Type.Text('First characters of its secret.', 'payin_phone_a1B2c'), {
    heading: 'Secret starts with',
  }),
  'unapproved?': unapproved(
    'phone',
    'secret',
    'Who alone added or changed it, if another operator has not approved that yet.',
  ),
  waiting: Type.Whole('Messages that wait for a person.'),
  'battery?': Type.Whole('Per cent, if the app says so.'),
  droppedCodes: Type.Whole('Messages with codes or passwords, which were dropped.'),
  droppedOthers: Type.Whole('Messages of senders that are no bank, which were dropped.'),
  createdAt: Time,
  'lastSeenAt?': presented(Time, { absent: 'never' }),
})
export type PhoneAnswer = Static<typeof PhoneAnswer>

/** All that the approval of a phone approves: what its version is made of. */
export const approvedOfPhone = (
  { requisites = [], requisiteIds, accounts, dailyLimit, balances, secretPrefix }: PhoneAnswer,
  account: Forms['account'],
): Approved[] => [
  ...requisiteIds.map((id, at) => {
    const { digits = [], sim, dailyLimit: own } = accounts.find(({ requisiteId }) => requisiteId === id) ?? {}
    const limit = own === undefined ? '' : `, ${own} USDT a day`
    return {
      name: account(requisites[at], id) ?? id,
      says: `digits ${digits.join(', ') || 'not set'}, SIM card ${sim ?? 'not set'}${limit}`,
    }
  }),
  { name: 'USDT a day', says: String(dailyLimit) },
  { name: 'Balances', says: balances },
  { name: 'Secret starts with', says: secretPrefix },
]

export const PhoneSecret = Type.Titled('PhoneSecret', {
  id: Id,
  address: Type.Text('Where its app sends messages to.', 'https://pay.example.com/api/v1/phones/…'),
  secret: Type.Text('Shown only here.'),
  steps: Type.Array(Type.String(), { description: 'How to set up the app, step by step; with the secret.' }),
  scanned: Type.Rows('What to show as a QR code, so that nobody types it on the phone.', {
    name: Type.OneOf(['Address', 'Secret', 'Address with the secret']),
    text: Type.String(),
  }),
})
export type PhoneSecret = Static<typeof PhoneSecret>

export const MessageAnswer = Type.Titled('PhoneMessage', {
  id: Id,
  phoneId: idOf('phone'),
  'phoneName?': Type.Text('Its name, unless it was removed.', "Anna's phone"),
  receivedAt: Time,
  bank: Type.String({ examples: ['sberbank'] }),
  kind: Type.Text('What it says: `credit`, `debit`, …, or `unknown`.', 'credit'),
  state: Type.OneOf(messageStates, { tones: { recorded: 'good', waiting: 'wait' } }),
  'reason?': Type.OneOf(
    [...waitingReasons, 'before-opening'],
    'Why it waits: no template has its text; it says too little; no requisite is certainly meant; its balance does not follow; it may have come before. Or why its money was not recorded: the opening balance has it.',
  ),
  'requisiteId?': ofRequisite.requisiteId,
  'requisite?': ofRequisite['requisite?'],
  'currency?': Type.String({ examples: ['rub'] }),
  'amount?': Type.Number({ currency: 'currency' }),
  'balance?': Type.Number({ description: 'What the account had after it.', currency: 'currency' }),
  'missing?': Type.Number({
    description:
      'Money between the balance before it and the one that it follows from: a message was lost, or this one is forged.',
    currency: 'currency',
  }),
  'digits?': Type.Text('Last digits of the account in it.', '4071'),
  'bookedAt?': Time,
  'templateId?': presented(idOf('template'), 'The template that has read it, if an operator has taught it.'),
  'transferId?': presented(Id, 'The transfer that its money is.'),
  'sameAs?': presented(Id, 'The message that had reported the money before.'),
  'resolvedBy?': Person,
})
export type MessageAnswer = Static<typeof MessageAnswer>

/** The steps have the address and the secret. */
const sayHow = ({ steps }: PhoneSecret): string =>
  `${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}\n\nDo this now: the secret is not shown again.`

const secretAbout = 'Shown only this once, with the steps to set up the app.'

const approvalAbout =
  'Where two people move money, its messages count as reported by you alone (`PAYIN_LONE_REPORTS_ABOVE`) until another operator approves it.'

export const phones = {
  about: "Phones that forward banks' messages about money, and the messages that wait.",
  examples: [
    'payin phones add "Anna\'s phone" smsgate --requisite "Main phone"',
    'payin phones account "Anna\'s phone" "Main phone" --digits 4071,5082 --daily-limit 50',
    'payin phones messages --open',
    'payin phones accept 019a9c3e-7d5e-7aaa-8a1e-2b6a3a1f0c11',
    'payin phones limit "Anna\'s phone" 0      (all money waits for a person or a statement)',
  ],
  operations: {
    add: operation('POST /phones', 'configure', {
      id: 'addPhone',
      summary: 'Add a phone that forwards messages of banks',
      description: `${secretAbout} ${approvalAbout}`,
      body: {
        name: Type.Printable(100, 'Your own name for it.'),
        app: Type.OneOf(phoneApps, 'The app that forwards its messages.'),
        requisiteIds: RequisiteIds,
        'dailyLimit?': presented(settings.dailyLimit, `${aboutLimit} Default: 100.`),
        'balances?': settings.balances,
        'silentMinutes?': settings['silentMinutes?'],
      },
      status: 201,
      answer: PhoneSecret,
      refusals: ['already_exists'],
      command: { arguments: ['name', 'app'], options: { requisiteIds: '--requisite' }, says: sayHow },
    }),
    list: operation('GET /phones', 'read', {
      id: 'listPhones',
      summary: 'List phones',
      description: 'Each with the time when it last sent something.',
      answer: { phones: Type.Array(PhoneAnswer) },
      exports: 'phones',
      command: {
        columns: [
          ...(['name', 'state', 'lastSeenAt', 'waiting'] as const),
          {
            heading: 'Dropped',
            show: ({ droppedCodes, droppedOthers }) => droppedCodes + droppedOthers,
            kind: 'whole',
          },
          ...(['requisiteIds', 'app', 'dailyLimit', 'id'] as const),
        ],
        empty: 'No phones yet. Add one: payin phones add "My phone" smsgate --requisite <requisite>',
        note: ({ phones: rows }, { account, person }) =>
          howToApprove('phones', rows, person, (row) => approvedOfPhone(row, account)),
      },
    }),
    update: operation('PATCH /phones/{id}', 'configure', {
      id: 'updatePhone',
      summary: "Change a phone's requisites, its limit, and what is checked",
      description: `Omitted fields do not change. ${approvalAbout}`,
      body: Type.Exact(
        {
          'requisiteIds?': RequisiteIds,
          'dailyLimit?': settings.dailyLimit,
          'balances?': settings.balances,
          'silentMinutes?': Type.OrNull(settings['silentMinutes?']),
        },
        { minProperties: 1 },
      ),
      answer: PhoneAnswer,
      commands: {
        update: { options: { requisiteIds: '--requisite' } },
        limit: {
          about: 'Set up to how many USDT a day its messages credit without a person; 0: they only propose.',
          only: ['dailyLimit'],
          arguments: ['dailyLimit'],
        },
      },
    }),
    account: operation('PUT /phones/{id}/accounts', 'configure', {
      id: 'setPhoneAccount',
      summary: 'Say how messages name the account of a requisite, and how much they credit on it',
      description: `Banks write last digits; an app says on which SIM card a message came. Omitted fields follow the defaults. ${approvalAbout}`,
      body: {
        requisiteId: idOf('requisite'),
        'digits?': Type.Array(Digits, {
          maxItems: 20,
          description: 'All last digits of the account and of its cards. Default: none.',
        }),
        'sim?': Type.Printable(40, 'What the app calls the SIM card. Default: any.'),
        'dailyLimit?': accountLimit,
      },
      answer: PhoneAnswer,
      command: { arguments: ['requisiteId'] },
    }),
    rotate: operation('POST /phones/{id}/secret', 'configure', {
      id: 'renewPhoneSecret',
      summary: 'Give a phone a new secret',
      description: `${secretAbout} The previous secret stops working immediately. ${approvalAbout}`,
      answer: PhoneSecret,
      command: { says: sayHow },
    }),
    approve: operation('POST /phones/{id}/approve', 'reconcile', {
      id: 'approvePhone',
      summary: 'Approve a phone that another operator has added or changed',
      description:
        'Compare the first characters of its secret with those in the app, and its requisites and limit with what was agreed: it then has this limit of its own.',
      body: seenVersion('phone'),
      answer: PhoneAnswer,
      refusals: ['second_person_required', 'status_changed'],
      command: { arguments: ['version'] },
    }),
    pause: operation('POST /phones/{id}/pause', 'configure', {
      id: 'pausePhone',
      summary: 'Pause a phone',
      description: 'What its messages report waits in the inbox, and its silence alerts nobody, until it is resumed.',
      answer: PhoneAnswer,
    }),
    resume: operation('POST /phones/{id}/resume', 'configure', {
      id: 'resumePhone',
      summary: 'Resume a paused phone',
      description: 'Its messages credit again, up to its limit; what waits in the inbox stays there.',
      answer: PhoneAnswer,
    }),
    remove: operation('POST /phones/{id}/remove', 'configure', {
      id: 'removePhone',
      summary: 'Remove a phone',
      description: 'Its secret ends for good. What its messages have reported stays.',
      answer: { id: Id },
      command: { says: 'The phone is removed.' },
    }),
    banks: operation('GET /message-templates/banks', 'read', {
      id: 'listMessageBanks',
      summary: 'List the banks whose messages are read',
      description:
        'Each with the senders of its SMS and the packages of its apps, which are compared exactly. Where they are unknown, only messages that name none are read.',
      answer: {
        banks: Type.Array(
          Type.Titled('MessageBank', {
            bank: Type.String({ examples: ['sberbank'], kind: 'word' }),
            country: Type.Text('Two-letter code.', 'ru'),
            senders: Type.Text('Senders of its SMS, separated by commas; `none`, or `unknown`.', '900'),
            packages: Type.Text('The same of its apps for Android.', 'ru.sberbankmobile'),
          }),
        ),
      },
      exports: 'banks',
    }),
    messages: operation('GET /phone-messages', 'read', {
      id: 'listPhoneMessages',
      summary: 'List messages of banks',
      description: 'Newest first.',
      query: {
        ...PageQuery,
        'phoneId?': presented(idOf('phone'), 'Only of this phone.'),
        'open?': Type.OneOf(['true'], 'Only those that wait for a person, or whose balance nobody has confirmed.'),
      },
      answer: pageOf('messages', MessageAnswer),
      command: {
        columns: [
          'receivedAt',
          'state',
          'kind',
          'amount',
          'balance',
          'bank',
          'reason',
          'missing',
          'templateId',
          'phoneId',
          'id',
        ],
        empty: 'No such messages.',
      },
    }),
    accept: operation('POST /phone-messages/{messageId}/accept', 'reconcile', {
      id: 'acceptPhoneMessage',
      summary: 'Accept a message that waits',
      description:
        'Its money is recorded, within the limit of its phone, and its balance is right: what follows from it is no longer doubtful.',
      body: Type.Exact({
        'requisiteId?': presented(
          idOf('requisite'),
          'Whose money it is; required where the message does not say it (`no-requisite`).',
        ),
      }),
      answer: MessageAnswer,
      refusals: ['overloaded'],
    }),
    dismiss: operation('POST /phone-messages/{messageId}/dismiss', 'reconcile', {
      id: 'dismissPhoneMessage',
      summary: 'Dismiss a message that waits',
      description:
        'It brings no money, and its balance does not count. What a doubtful one has brought to the inbox is withdrawn, unless somebody has decided about it.',
      answer: MessageAnswer,
      refusals: ['overloaded'],
    }),
  },
} satisfies Noun<unknown>
