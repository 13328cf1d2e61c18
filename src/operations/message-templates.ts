import { markedFields } from '../rules/phones/marked-text.ts'
import { messageStates, taughtKinds, templateChanges } from '../rules/phones/phone.ts'
import {
  type Approved,
  asCode,
  howToApprove,
  Id,
  idOf,
  onOneLine,
  Person,
  seenVersion,
  Time,
  unapproved,
} from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { presented, type Static, Type } from './schema.ts'

const Kind = Type.OneOf(taughtKinds, 'What the text says.')

const TemplateText = Type.Text(
  'The text with its gaps, in the language of the package `bank-messages`.',
  'Вам пришло {amount} от {person}. Остаток {balance}',
)

export const TemplateAnswer = Type.Titled('MessageTemplate', {
  id: Id,
  bank: Type.String({ examples: ['sberbank'] }),
  kind: Kind,
  template: TemplateText,
  state: Type.OneOf(['proposed', 'used', 'withdrawn'], {
    tones: { proposed: 'wait', used: 'live', withdrawn: 'over' },
    description: 'Proposed: nothing is read with it until another operator approves it.',
  }),
  messageId: presented(Id, 'The message that it was made from.'),
  read: Type.Whole('Messages that it has read.'),
  recorded: Type.Whole('Those of them whose money was recorded, and was credited or waits in the inbox.'),
  taughtBy: Person,
  taughtAt: Time,
  'unapproved?': unapproved(
    'template',
    null,
    'Who alone taught it, if it reads credits and another operator has not approved it yet.',
  ),
  'usedSince?': Time,
  'withdrawnBy?': Person,
  'withdrawnAt?': Time,
})
export type TemplateAnswer = Static<typeof TemplateAnswer>

/** All that the approval of a template approves: what its version is made of. */
export const approvedOfTemplate = ({ bank, kind, template }: TemplateAnswer): Approved[] => [
  { name: 'Bank', says: bank },
  { name: 'What it says', says: kind },
  { name: 'Text', says: template },
]

export const TriedMessage = Type.Titled('TriedMessage', {
  messageId: Id,
  phoneId: idOf('phone'),
  receivedAt: Time,
  state: Type.OneOf(messageStates),
  change: Type.OneOf(templateChanges, {
    tones: { contradicted: 'bad', read: 'good', unclear: 'wait', same: 'over' },
    description:
      'What the template changes: read, and not without it; read the same without it; contradicted, read without it and no longer with it; unclear, read by nothing.',
  }),
  kindNow: presented(Type.Text('What it says without the template.', 'unknown'), { heading: 'Now' }),
  'amountNow?': presented(Type.Number({ currency: 'currency' }), { heading: 'Amount now' }),
  kind: presented(Type.Text('What it says with the template.', 'credit'), { heading: 'Then' }),
  'currency?': Type.String({ examples: ['rub'] }),
  'amount?': Type.Number({ currency: 'currency' }),
  'balance?': Type.Number({ currency: 'currency' }),
  'digits?': Type.Text('Last digits of the account.', '4071'),
})
export type TriedMessage = Static<typeof TriedMessage>

const trial = {
  tried: Type.Whole('How many kept messages of the bank it was tried on.'),
  reads: Type.Whole('Those that it would read, and that are not read without it.'),
  contradicts: Type.Whole(
    'Those that are read without it, and would not be with it. It is not saved unless this is 0.',
  ),
  messages: Type.Array(TriedMessage, {
    description: 'Those that have its text, what changes first; 100 at most. Texts are not shown.',
  }),
}

export const TemplateTrial = Type.Titled('TemplateTrial', trial)
export type TemplateTrial = Static<typeof TemplateTrial>

const read = (heading: string) => Type.String({ heading })

export const LessonAnswer = Type.Titled('LessonTrial', {
  bank: Type.String({ examples: ['sberbank'] }),
  template: TemplateText,
  fields: Type.Group('What it reads in the message itself.', {
    'amount?': read('Amount'),
    'currency?': read('Currency'),
    'account?': read('Account'),
    'balance?': read('Balance'),
    'fee?': read('Fee'),
    'senderName?': read('Sender'),
    'senderBank?': read("Sender's bank"),
    'senderPhone?': read("Sender's phone"),
    'at?': read('Time'),
    'comment?': read('Comment'),
  }),
  fixed: Type.Array(Type.String(), {
    description: 'Numbers that nobody has marked: the template reads only messages that have the same ones.',
  }),
  ...trial,
})
export type LessonAnswer = Static<typeof LessonAnswer>

const Lesson = Type.TitledExact('TemplateLesson', {
  messageId: presented(Id, 'A message that no template has read, and whose text was revealed.'),
  kind: Kind,
  marked: Type.String({
    minLength: 1,
    maxLength: 4000,
    description: `The whole text of the message with marks in it, such as \`{amount:500р}\`: ${asCode(markedFields)}, which is any text that differs and is no field. \`\\\` makes a brace plain.`,
    examples: ['Вам пришло {amount:500р} от {senderName:Глеб Н.} Остаток {balance:1 500р}'],
  }),
})

const sayTrial = ({ tried, reads, contradicts }: TemplateTrial): string =>
  `Tried on ${tried} kept messages: it reads ${reads} more, and contradicts ${contradicts} that are read already.`

const sayLesson = ({ template, fields, fixed, ...counts }: LessonAnswer): string =>
  [
    `Template: ${onOneLine(template)}`,
    `In this message: ${Object.entries(fields)
      .map(([name, value]) => `${name} ${onOneLine(value)}`)
      .join(', ')}`,
    ...(fixed.length > 0 ? [`Only with the same numbers: ${fixed.join(', ')}`] : []),
    sayTrial(counts),
  ].join('\n')

const trialColumns = [
  ...(['receivedAt', 'change', 'kindNow', 'kind', 'amount', 'balance', 'digits', 'state', 'messageId'] as const),
] as const

const approvalAbout =
  'Where two people move money, nothing is read with a template of credits until another operator approves it.'

export const messageTemplates = {
  about: "What operators have taught of banks' messages: texts that no template had.",
  examples: [
    'payin phones reveal 019a9c3e-7d5e-7aaa-8a1e-2b6a3a1f0c11 --reason "a new text"',
    "payin templates try 019a9c3e-7d5e-7aaa-8a1e-2b6a3a1f0c11 credit 'Пришло {amount:500р} от {senderName:Глеб Н.}'",
    "payin templates teach 019a9c3e-7d5e-7aaa-8a1e-2b6a3a1f0c11 credit 'Пришло {amount:500р} от {senderName:Глеб Н.}'",
    'payin templates list',
  ],
  operations: {
    try: operation('POST /message-templates/try', 'configure', {
      id: 'tryMessageTemplate',
      summary: 'Make a template from a message, and try it on all kept messages of the bank',
      description: 'Nothing is saved.',
      body: Lesson,
      answer: LessonAnswer,
      refusals: ['invalid_state'],
      command: {
        arguments: ['messageId', 'kind', 'marked'],
        columns: trialColumns,
        empty: 'No kept message has this text.',
        note: sayLesson,
        patient: true,
      },
    }),
    teach: operation('POST /message-templates', 'configure', {
      id: 'teachMessageTemplate',
      summary: 'Teach what a message says',
      description: `The template is tried first, and refused if it contradicts what is read already. Messages of the bank that wait unread are then read with it, and go the way of new ones, within the limit of their phone. ${approvalAbout}`,
      body: Lesson,
      status: 201,
      answer: TemplateAnswer,
      refusals: ['already_exists', 'invalid_state'],
      command: { arguments: ['messageId', 'kind', 'marked'], patient: true },
    }),
    list: operation('GET /message-templates', 'read', {
      id: 'listMessageTemplates',
      summary: 'List what was taught',
      description: 'Newest first; withdrawn ones last. 1000 at most.',
      answer: { templates: Type.Array(TemplateAnswer) },
      exports: 'templates',
      command: {
        columns: ['template', 'state', 'kind', 'bank', 'read', 'recorded', 'taughtBy', 'id'],
        empty: 'Nothing was taught yet. Reveal a message that waits, and mark what is what: payin templates try --help',
        note: ({ templates: rows }, { person }) =>
          howToApprove(
            'templates',
            rows.map((row) => ({ ...row, name: row.id })),
            person,
            approvedOfTemplate,
          ),
      },
    }),
    show: operation('GET /message-templates/{id}/trial', 'read', {
      id: 'showMessageTemplate',
      summary: 'Show what a template changes for the messages that are kept',
      description: 'As if it were used next to the other templates; also of one that waits for an approval.',
      answer: TemplateTrial,
      command: {
        columns: trialColumns,
        empty: 'No kept message has this text.',
        note: sayTrial,
        patient: true,
      },
    }),
    approve: operation('POST /message-templates/{id}/approve', 'reconcile', {
      id: 'approveMessageTemplate',
      summary: 'Approve a template of credits that another operator has taught',
      description:
        'Make sure that its text is what the bank writes about money that comes in, and that its gaps are where they belong. Messages are then read with it, also those that wait.',
      body: seenVersion('template'),
      answer: TemplateAnswer,
      refusals: ['second_person_required', 'status_changed'],
      command: { arguments: ['version'], patient: true },
    }),
    withdraw: operation('POST /message-templates/{id}/withdraw', 'configure', {
      id: 'withdrawMessageTemplate',
      summary: 'Withdraw a template',
      description:
        'Nothing is read with it any more. What it has read without bringing money waits again; money that was recorded stays.',
      answer: TemplateAnswer,
    }),
  },
} satisfies Noun<unknown>
