import type { TNull, TString, TUnion } from 'typebox'
import { merchantModes, termsBounds } from '../rules/merchants/merchant.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { requisiteStatuses, type Windows } from '../rules/requisites/requisite.ts'
import { BankCode, Currency, Id, Time, TransferScope, ofRequisite, idOf, ofAnyMerchant, Reason } from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { type Forms, presented, type Static, Type } from './schema.ts'

const money = (description: string) =>
  Type.OrNull(Type.Number({ minimum: 0 }), `${description}; \`null\` for no limit.`)
const count = (description: string) =>
  Type.OrNull(Type.Bounded(0, 1_000_000_000), `${description}; \`null\` for no limit.`)

const windowOf = (name: keyof Windows, description: string) => {
  const [minimum, maximum] = termsBounds[name]
  const inMs = `${description}, in milliseconds; \`null\` for the merchant's terms.`
  return Type.OrNull(Type.Bounded(minimum, maximum), { description: inMs, kind: 'span' })
}

const WorkingMinutes = Type.Unsafe<[number, number]>({
  type: 'array',
  items: { type: 'integer', minimum: 0, maximum: 1440 },
  minItems: 2,
  maxItems: 2,
  examples: [[540, 1260]],
  kind: 'hours',
})

/** Amounts are in the currency of the requisite. */
export const Limits = Type.Titled('RequisiteLimits', {
  minAmount: money('Smallest transfer'),
  maxAmount: money('Largest transfer'),
  dayAmount: money('Sum per day'),
  dayCount: count('Payments per day'),
  monthAmount: money('Sum per month'),
  monthCount: count('Payments per month'),
  openPayments: count('Payments open at the same time'),
  workingMinutes: Type.OrNull(
    WorkingMinutes,
    'Hours in which it is allocated, in minutes of the day; `null` for the whole day.',
  ),
  pauseAfter: Type.OrNull(
    Type.Bounded(1, 100),
    'Number of consecutive expired payments (while others of its kind are paid), or of senders of consecutive unmatched transfers, after which it is paused automatically; `null` for never.',
  ),
  lateWindowMs: windowOf('lateWindowMs', 'How long the exact amount still pays an unpaid payment after its grace'),
  coolDownMs: windowOf('coolDownMs', 'How long the slot of a credited payment stays closed to other payments'),
  utcOffsetMinutes: Type.Bounded(-720, 840, {
    description: 'Offset of its time zone from UTC, as a number of minutes, such as 180.',
    examples: [180],
  }),
})

const limitOptions = { workingMinutes: '--working-hours', utcOffsetMinutes: '--utc-offset' }

export type Limits = Static<typeof Limits>

export const WantedLimits = Type.Partial(Limits, { additionalProperties: false })
export type WantedLimits = Static<typeof WantedLimits>

const digits = (length: number, examples: readonly string[], description: string) =>
  Type.Pattern(`must be ${length} digits.`, { pattern: `^[0-9]{${length}}$`, examples, description })

const recipient = {
  givenName: Type.Printable(100, {
    description: 'Given name, with the patronymic if payers should see it; requires `familyName`.',
    examples: ['Анна'],
  }),
  familyName: Type.Printable(100, {
    description: 'Family name; payers see its first letter.',
    examples: ['Петрова'],
  }),
  shownAs: Type.Printable(100, {
    description: 'What payers see instead of the shortened name, as the bank shows it to them.',
    examples: ['Анна Сергеевна П.'],
  }),
  inn: Type.Pattern('must be 10 or 12 digits.', {
    pattern: '^([0-9]{10}|[0-9]{12})$',
    description:
      'Taxpayer number in Russia, with valid check digits; only for `account-to-account` in roubles, as are `kpp`, `bic`, `correspondentAccount` and `purpose`.',
    examples: ['1234567894'],
    heading: 'INN',
  }),
  kpp: Type.Pattern('must be nine characters, such as 770001001.', {
    pattern: '^[0-9]{4}[0-9A-Z]{2}[0-9]{3}$',
    description: 'For an organisation, besides its INN.',
    examples: ['770001001'],
    heading: 'KPP',
  }),
  bic: presented(digits(9, ['044500123'], "Of the branch that keeps the account. Default: the bank issuer's."), {
    heading: 'BIC',
  }),
  correspondentAccount: digits(20, ['30101810800000000123'], 'Of the branch; requires `bic`.'),
  purpose: Type.Printable(200, {
    description:
      "Text of the transfer; `{order}` is replaced by the merchant's order. Default: payment for the order, in the payer's language.",
    examples: ['Оплата по счёту {order}, без НДС'],
  }),
  sbpLink: Type.Printable(300, {
    description:
      'Static SBP link to this account, without an amount: payers open it in their bank, or scan it. For `sbp` and `account-to-account` in roubles.',
    examples: ['https://qr.nspk.ru/AS10003P3RH0LJ2A9ROO038L6NT5RU1M?type=01'],
    heading: 'SBP link',
  }),
}

export const RecipientFields = Type.Partial(Type.Object(recipient), {
  additionalProperties: false,
  description: 'What banks and payers see about the recipient.',
  examples: [{ shownAs: 'Анна Сергеевна П.' }],
})

/** Fields of a response about a requisite that say who gets the money. */
const recipientFields = {
  shownName: presented(Type.Text('The name that payers see.', 'Анна П.'), { heading: 'Payers see' }),
  'recipient?': RecipientFields,
}

const aboutHolder =
  'Full name of the legal owner, as the bank has it. Payers see it whole for `account-to-account` only.'

const Holder = Type.Printable(200, {
  description: aboutHolder,
  examples: ['Петрова Анна Сергеевна'],
})

const maxRequisitesAtOnce = 1000
/** 1000 requisites with all their limits take about 500 kB. */
const maxListBytes = 1024 * 1024

const Label = Type.Printable(60, { description: 'What operators call it.', examples: ['Main account'] })

const NewRequisite = Type.TitledExact('NewRequisite', {
  method: Type.OneOf(paymentMethods, 'How payers pay to it.'),
  currency: Currency,
  bankIssuer: { ...BankCode, description: 'Code of its bank issuer.' },
  'holder?': presented(Holder, `${aboutHolder} Default: family and given name.`),
  'recipient?': RecipientFields,
  number: Type.String({
    pattern: '^[0-9]{4,34}$',
    description: 'Card, account or phone number, digits only.',
    examples: ['79991234567'],
    kind: 'digits',
  }),
  'transferScope?': TransferScope,
  'label?': Label,
  'merchantId?': presented(idOf('merchant'), 'The merchant that owns it. Default: shared by all.'),
  'mode?': Type.OneOf(merchantModes, "Which merchants it serves. Default: the owner's mode, else `live`."),
  'limits?': WantedLimits,
})

const CreditingHeld = Type.Object(
  { reason: Type.String(), since: Time, 'statementId?': presented(Id, 'The statement that does not add up.') },
  {
    description:
      'Why only persons credit its money: its last statement does not add up, or an operator decided so. All money on it waits in the inbox.',
  },
)

const ProposedZone = Type.Object(
  { utcOffsetMinutes: Type.Integer(), by: Type.Text('The operator.', 'operator:anna') },
  { description: 'A time zone that counts once another operator sets it, too.', heading: 'Proposed zone' },
)

/** Whose a requisite is. */
export const ownedBy = ofAnyMerchant(
  'The merchant that owns it; absent for the pool that all merchants share.',
  'shared',
)

/** What every answer says about a requisite. */
export const requisiteFields = {
  mode: Type.OneOf(merchantModes),
  method: Type.OneOf(paymentMethods),
  currency: Type.String({ kind: 'word' }),
  'transferScope?': Type.String(),
  bankIssuer: Type.String({ kind: 'word', heading: 'Bank' }),
  'label?': Type.String(),
  holder: Type.String(),
  ...recipientFields,
  'creditingHeld?': CreditingHeld,
  'proposedZone?': ProposedZone,
}

const RequisiteAnswer = Type.Titled('Requisite', {
  id: Id,
  ...ownedBy,
  ...requisiteFields,
  number: presented(Type.Text('Masked.', '•••• 4821'), { kind: 'word' }),
  limits: Limits,
  status: Type.OneOf(requisiteStatuses),
})
export type RequisiteAnswer = Static<typeof RequisiteAnswer>

/** The commands that agree on the time zones that wait. */
const howToAgree = (rows: readonly RequisiteAnswer[], { account, person }: Forms): string | undefined =>
  rows
    .flatMap(({ proposedZone: waits, ...row }) => {
      const command = `payin requisites limit ${row.id} --utc-offset ${waits?.utcOffsetMinutes}`
      return waits ? [`${account(row)} waits for another operator than ${person(waits.by)}: ${command}`] : []
    })
    .join('\n') || undefined

type Changes = { readonly [Name in keyof typeof recipient as `${Name}?`]: TUnion<[TString, TNull]> }

const changes = Object.fromEntries(
  Object.entries(recipient).map(([name, field]) => [`${name}?`, Type.OrNull(field)]),
) as Changes

const Change = Type.Exact(
  { 'holder?': Holder, ...changes },
  { minProperties: 1, examples: [{ inn: '1234567894', kpp: '770001001' }, { shownAs: null }] },
)

const RecipientAnswer = Type.Object({ holder: Type.String(), ...recipientFields })

export const requisites = {
  about: 'Receiving accounts, cards and phone numbers.',
  examples: [
    'payin requisites add --method sbp --currency rub --bank sberbank --holder "Ivan Petrov" --number 79991234567',
    'payin requisites add --file accounts.csv --dry-run',
    'payin requisites update "Main account" --inn 1234567894 --kpp 770001001 --purpose "Order {order}, no VAT"',
    'payin requisites list --method sbp --status active',
    'payin requisites label "sberbank 4567" "Main phone"',
    'payin requisites pause "Main phone" "sberbank 4567"',
    'payin requisites reveal "Main phone" --reason "the bank asks for it"',
    'payin requisites health --mode live',
    'payin requisites explain "Demo Shop" --method sbp --currency rub --amount 5000.37',
  ],
  operations: {
    add: operation('POST /requisites', 'configure', {
      id: 'addRequisites',
      summary: 'Add requisites',
      description:
        'Adds all or none. The ids are in the order of the request. Where two people move money, one may not add a time zone that no account of its bank has.',
      bodyLimit: maxListBytes,
      body: {
        requisites: Type.Array(NewRequisite, { minItems: 1, maxItems: maxRequisitesAtOnce }),
        'dryRun?': Type.Flag('Only check them and add none; the ids are not kept.'),
      },
      status: 201,
      answer: { ids: Type.Array(Id) },
      refusals: ['already_exists', 'second_person_required'],
      command: {
        about:
          "Add one requisite with options, or those of a file, all or none. The shell's history keeps what you type; --file - avoids that.",
        list: 'requisites',
        cells: { bankIssuer: 'bank' },
        options: { ...limitOptions, bankIssuer: '--bank' },
        fixed: { transferScope: undefined },
        says: ({ ids }, _, { dryRun }) =>
          dryRun === true ? `${ids.length} would be added; nothing was added.` : `Added: ${ids.length}.`,
      },
    }),
    change: operation('PATCH /requisites/{id}', 'decide', {
      id: 'updateRequisite',
      summary: 'Pause, resume or retire a requisite, hold or resume automatic crediting, or change its label or limits',
      description:
        'Omitted fields do not change. A paused requisite gets no new payments; its open payments continue. Where two people move money, a time zone waits (`proposedZone`) until another operator sets the same.',
      body: Type.Exact(
        {
          'status?': Type.OneOf(requisiteStatuses),
          'label?': Type.OrNull(Label),
          'limits?': WantedLimits,
          'crediting?': Type.OneOf(
            ['automatic', 'held'],
            '`held`: money on it waits in the inbox until a person assigns it. `automatic` ends that.',
          ),
          'reason?': presented(Reason, 'Why, for the audit.'),
        },
        { minProperties: 1, examples: [{ status: 'paused' }] },
      ),
      answer: RequisiteAnswer,
      refusals: ['second_person_required'],
      commands: {
        limit: {
          about: 'Change the limits of a requisite.',
          options: limitOptions,
          only: ['limits'],
          says: 'The limits are set.',
          note: (changed, forms) => howToAgree([changed], forms),
        },
        hold: {
          about: 'Hold automatic crediting: money on a requisite waits for a person.',
          only: ['reason'],
          fixed: { crediting: 'held' },
          says: (changed, { account }) => `${account(changed)}: its money is credited by persons only.`,
        },
        'resume-crediting': {
          about: 'Credit the money on a requisite automatically again.',
          only: ['reason'],
          fixed: { crediting: 'automatic' },
          says: (changed, { account }) => `${account(changed)}: its money is credited automatically.`,
        },
        retire: {
          about: 'Retire a requisite permanently.',
          only: [],
          fixed: { status: 'retired' },
          says: (changed, { account }) => `${account(changed)} is ${changed.status}.`,
        },
        label: {
          about: 'Give a requisite a label, which is then its name everywhere.',
          arguments: ['label'],
          only: ['label'],
          says: ({ method, bankIssuer, number, label }) =>
            `${method} ${bankIssuer} ${number} is ${label ?? 'without a label'}.`,
        },
      },
    }),
    list: operation('GET /requisites', 'read', {
      id: 'listRequisites',
      summary: 'List requisites',
      description: 'By label, those without one last, the oldest first; numbers are masked.',
      query: {
        ...PageQuery,
        'mode?': Type.OneOf(merchantModes, 'Only those for real money, or for simulated money.'),
        'method?': Type.OneOf(paymentMethods, 'Only of this payment method.'),
        'currency?': Currency,
        'status?': Type.OneOf(requisiteStatuses, 'Only those with this status.'),
      },
      answer: pageOf('requisites', RequisiteAnswer),
      command: {
        columns: [
          { heading: 'Requisite', show: (row, { account }) => account(row) },
          ...(['status', 'mode', 'currency', 'merchantId', 'holder', 'shownName', 'method', 'bankIssuer'] as const),
          ...(['number', 'id'] as const),
        ],
        empty: 'No such requisites. Add some: payin requisites add --help',
        note: ({ requisites: rows }, forms) => howToAgree(rows, forms),
      },
    }),
    update: operation('PATCH /requisites/{id}/recipient', 'configure', {
      id: 'updateRecipient',
      summary: 'Change who gets the money of a requisite, as banks and payers see it',
      description:
        'Omitted fields do not change, and `null` removes a value. Payers of open payments see changes immediately.',
      body: Change,
      answer: RecipientAnswer,
    }),
  },
} satisfies Noun<unknown>

const Changed = Type.Object({
  ...ofRequisite,
  state: Type.OneOf(['done', 'refused']),
  'code?': Type.Text('Why it was refused.', 'invalid_state'),
  'message?': Type.String({ heading: 'Reason' }),
})

const ChangedStatuses = Type.Object({
  requisites: Type.Array(Changed, { description: 'In the order of the request.' }),
})
export type ChangedStatuses = Static<typeof ChangedStatuses>

const setStatus = (status: 'active' | 'paused', about: string) => ({
  about,
  arguments: ['requisites'] as const,
  fixed: { status },
  columns: ['requisiteId', 'state', 'message'] as const,
  fails: (answer: ChangedStatuses) => answer.requisites.some(({ state }) => state === 'refused'),
})

export const changedStatuses = {
  set: operation('POST /requisites/statuses', 'decide', {
    id: 'setRequisiteStatuses',
    summary: 'Pause or resume many requisites',
    description: 'Each has its own transaction and audit entry; if one is refused, the others still change.',
    body: Type.Exact({
      requisites: Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true, of: 'requisite' }),
      status: Type.OneOf(['active', 'paused']),
      'reason?': presented(Reason, 'Why, for the audit.'),
    }),
    bodyLimit: 128 * 1024,
    answer: ChangedStatuses,
    commands: {
      pause: setStatus('paused', 'Pause requisites: they get no new payments until resumed.'),
      resume: setStatus('active', 'Resume paused requisites.'),
    },
  }),
}
