import { shellWord } from '../rules/values/shell-word.ts'
import {
  maxLogoBytes,
  merchantModes,
  merchantStatuses,
  reportSpans,
  settlementSpans,
} from '../rules/merchants/merchant.ts'
import { reportMailStates } from '../rules/money/merchant-report.ts'
import { EmailAddress, Id, QuoteCurrency, Time } from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { presented, type Static, Type } from './schema.ts'
import { TermsAnswer } from './terms.ts'
import { IssuedAnswer, keepToken, TokenName } from './tokens.ts'

// No user before the host: `https://shop.example@evil.example` reads like a page of the shop.
const HttpsLink = (example: string) =>
  Type.Pattern('must be a link by https.', {
    pattern: '^https://[^\\s\\p{C}@/?#\\\\]{1,253}([/?#][^\\s\\p{C}]*)?$',
    maxLength: 500,
    examples: [example],
  })

const Name = Type.Printable(200, { description: 'Its name.', examples: ['Demo Shop'] })

const Host = Type.String({ maxLength: 259, pattern: '^[a-z0-9.-]+(:[0-9]{1,5})?$', examples: ['shop.example.com'] })

const settings = {
  returnHosts: Type.Array(Host, {
    maxItems: 100,
    description: 'Hosts that `returnUrl` may name, with the port unless it is the default.',
    absent: 'none',
  }),
  frameHosts: Type.Array(Host, {
    maxItems: 20,
    description: "Hosts whose pages (https) may show the payer's page in a frame.",
    absent: 'none',
  }),
  accent: Type.OrNull(Type.String({ pattern: '^#[0-9a-fA-F]{6}$', examples: ['#1a56c4'] }), {
    description:
      "Colour of buttons on the payer's page, with black or white text; links use its nearest readable shade.",
    absent: "the page's own",
  }),
  supportEmail: Type.OrNull(
    EmailAddress,
    "E-mail address of the merchant's support, for payers whose payment went wrong.",
  ),
  supportPhone: Type.OrNull(
    Type.Pattern('must be a phone number with its country code, such as +78005553535.', {
      pattern: '^\\+[1-9][0-9]{6,14}$',
      examples: ['+78005553535'],
    }),
    { description: 'Phone of the support.', kind: 'phone' },
  ),
  supportLink: Type.OrNull(HttpsLink('https://shop.example.com/help'), 'Page of the support.'),
  supportMessenger: Type.OrNull(HttpsLink('https://t.me/demo_shop'), 'Link to a chat with the support.'),
  maxOpenPayments: Type.OrNull(Type.Bounded(1, 1_000_000_000), {
    description: 'Most payments in `new` or `processing` at the same time; default: 10000; `null` for no limit.',
    absent: 'no limit',
  }),
  maxHeldPerUser: Type.OrNull(Type.Bounded(1, 1_000_000), {
    description:
      'Most amounts that unpaid payments of one `userId` hold on accounts, canceled and expired ones included; default: 10; `null` for no limit.',
    absent: 'no limit',
  }),
  quoteCurrency: QuoteCurrency(
    'Currency in which new payments are credited: `USDT`, the default, or one such as `rub`. Payments in this currency need no rate. Earlier payments and balances stay in theirs.',
  ),
  maxDebt: Type.OrNull(Type.Bounded(0, 1_000_000_000), {
    description:
      'Largest debt in whole units of its currency (a balance below zero, as after banks took credits back) with which it may create payments; `null`, the default, for no limit.',
    absent: 'no limit',
  }),
  minSettlement: Type.OrNull(Type.Bounded(1, 1_000_000_000), {
    description: 'Least settlement that it may ask for, in whole units of its quote currency; `null`: no limit.',
    absent: 'no limit',
  }),
  maxSettlementPerDay: Type.OrNull(Type.Bounded(1, 1_000_000_000), {
    description:
      'Most that it may ask for in settlements within 24 hours, in whole units of its quote currency; `null`: no limit.',
    absent: 'no limit',
  }),
  settlementEvery: Type.OrNull(Type.OneOf(settlementSpans), {
    description:
      'Asks for a settlement of all that is available at the beginning (UTC) of each day, each Monday, or each month; `null`: never.',
    absent: 'never',
  }),
  settlementTo: Type.OrNull(Id, 'The id of the destination to which `settlementEvery` settles.'),
  reportEvery: Type.OrNull(Type.OneOf(reportSpans), {
    description:
      'Sends a report of each day or month (UTC) by e-mail after its end, beginning with the present one; `null`: never.',
    absent: 'never',
  }),
  reportTo: Type.Array(EmailAddress, {
    maxItems: 20,
    description: 'The addresses to which `reportEvery` sends.',
    absent: 'none',
  }),
  ownRequisitesOnly: Type.Flag('Its payers pay only to its own requisites, not to shared ones.'),
}

const Settings = Type.Partial(Type.Object(settings), {
  title: 'SettingsChange',
  additionalProperties: false,
  examples: [{ returnHosts: ['shop.example.com'], accent: '#1a56c4' }],
})

export const MerchantAnswer = Type.Titled('Merchant', {
  id: Id,
  name: Type.String(),
  mode: Type.OneOf(merchantModes, { tones: { live: 'live', sandbox: 'over' } }),
  status: Type.OneOf(merchantStatuses, { tones: { active: 'good', suspended: 'bad' } }),
  settings: Type.Titled('MerchantSettings', settings),
  createdAt: Time,
})
export type MerchantAnswer = Static<typeof MerchantAnswer>

const CreatedAnswer = Type.Object({
  ...MerchantAnswer.properties,
  'issued?': presented(IssuedAnswer, 'Its first token, if one was requested.'),
})
export type CreatedAnswer = Static<typeof CreatedAnswer>

export const ReportMailState = Type.OneOf(reportMailStates, {
  title: 'ReportMailState',
  description: '`failed`: not sent any more; `dropped`: reports were switched off before.',
  tones: { pending: 'wait', sending: 'live', sent: 'good', failed: 'bad', dropped: 'over' },
})

export const ProfileAnswer = Type.Titled('MerchantProfile', {
  ...MerchantAnswer.properties,
  limits: Type.Rows("Limits in force for a payment's amount.", {
    currency: Type.String(),
    min: Type.Number({ heading: 'Smallest' }),
    max: Type.Number({ heading: 'Largest' }),
  }),
  terms: Type.Record(Type.String(), TermsAnswer, { description: 'Terms in force, by method.' }),
  reports: Type.Rows('The last reports by e-mail, the newest first.', {
    period: Type.Text('A day or a month, in UTC.', '2026-01'),
    state: ReportMailState,
    createdAt: Time,
    'finishedAt?': Time,
    'lastError?': Type.Text('Why the server has not accepted it.'),
  }),
})
export type ProfileAnswer = Static<typeof ProfileAnswer>

const MerchantFilterQuery = {
  'name?': Type.Printable(200, 'Only those whose names contain this text, in upper or lower case.'),
  'mode?': Type.OneOf(merchantModes, 'Only those for real money, or for simulated money.'),
  'status?': Type.OneOf(merchantStatuses, 'Only those with this status.'),
}

export type MerchantFilterQuery = Static<ReturnType<typeof Type.Object<typeof MerchantFilterQuery>>>

const Logo = Type.Object({ logo: Type.OrNull(Type.String(), 'Path of the image.') })
export type Logo = Static<typeof Logo>

export const merchants = {
  about: 'Companies whose users pay through the service.',
  examples: [
    'payin merchants create --name "Demo Shop" --mode sandbox',
    'payin merchants show "Demo Shop"',
    'payin merchants update "Demo Shop" --return-hosts shop.example.com --max-open-payments 5000',
    'payin merchants update "Demo Shop" --support-email help@shop.example.com --support-messenger https://t.me/shop',
  ],
  operations: {
    create: operation('POST /merchants', 'configure', {
      id: 'createMerchant',
      summary: 'Create a merchant',
      description:
        'With `tokenName`, also creates its first token, which is shown only this once: both are created, or neither.',
      body: Type.Exact(
        {
          name: Name,
          mode: Type.OneOf(merchantModes, 'Real money (`live`), or simulated money.'),
          'settings?': Settings,
          'tokenName?': presented(
            TokenName,
            'Also issues its first token, with this name; it is shown only this once.',
          ),
        },
        { examples: [{ name: 'Demo Shop', mode: 'sandbox' }] },
      ),
      status: 201,
      answer: CreatedAnswer,
      refusals: ['invalid_state'],
      command: {
        options: { tokenName: '--first-token' },
        says: ({ name, issued }) =>
          issued === undefined
            ? `Created ${name}. Its token: payin tokens issue ${shellWord(name)} --name "shop server"`
            : `Created ${name}. Its token: ${issued.token}\n\n${keepToken}`,
      },
    }),
    change: operation('PATCH /merchants/{id}', 'configure', {
      id: 'updateMerchant',
      summary: "Change a merchant's name, status or settings",
      description: 'Omitted fields do not change.',
      body: Type.Exact(
        {
          'name?': Name,
          'status?': Type.OneOf(
            merchantStatuses,
            'Requests of a suspended merchant are refused with `merchant_suspended`.',
          ),
          'settings?': Settings,
        },
        { minProperties: 1 },
      ),
      answer: MerchantAnswer,
      commands: {
        update: { about: 'Change the name or the settings of a merchant.', only: ['name', 'settings'] },
        suspend: {
          about: 'Suspend a merchant: all of its requests are refused.',
          only: [],
          fixed: { status: 'suspended' },
          says: ({ name, status }) => `${name} is ${status}.`,
        },
        activate: {
          about: 'Resume a suspended merchant.',
          only: [],
          fixed: { status: 'active' },
          says: ({ name, status }) => `${name} is ${status}.`,
        },
      },
    }),
    list: operation('GET /merchants', 'read', {
      id: 'listMerchants',
      summary: 'List merchants',
      description: 'With their status and settings.',
      query: MerchantFilterQuery,
      answer: { merchants: Type.Array(MerchantAnswer) },
      exports: 'merchants',
      command: {
        columns: ['name', 'mode', 'status', 'createdAt', 'id'],
        empty: 'No merchants yet. Create one: payin merchants create --name "Demo Shop" --mode sandbox',
      },
    }),
    show: operation('GET /merchants/{id}', 'read', {
      id: 'getMerchant',
      summary: 'Read a merchant with the limits and terms in force',
      description: 'Anything not set for the merchant itself follows the defaults.',
      answer: ProfileAnswer,
    }),
    logo: operation('PUT /merchants/{id}/logo', 'configure', {
      id: 'setMerchantLogo',
      summary: "Set the logo that a merchant's payers see, or remove it",
      description: "An image of at most some hundred kilobytes, shown on the payer's page.",
      body: {
        image: Type.OrNull(
          Type.String({ minLength: 1, maxLength: 44 * 1024 }),
          `A PNG, JPEG or WebP of at most ${maxLogoBytes / 1024} KiB, in Base64; \`null\` removes the logo.`,
        ),
      },
      answer: Logo,
    }),
  },
} satisfies Noun<unknown>
