import { merchantModes, merchantStatuses } from '../rules/merchants/merchant.ts'
import type { CreatedAnswer, Logo, MerchantAnswer, ProfileAnswer } from '../http/operator-api/merchants.ts'
import { type Group, list, request } from './commands.ts'
import { choice, type Inputs, option, required, someOf } from './inputs.ts'
import { merchant } from './named-inputs.ts'
import { merchantLogCommands } from './logs.ts'
import {
  printAmount,
  type Printed,
  printFee,
  printFields,
  printRows,
  printSections,
  printSpan,
  printTime,
} from './print-table.ts'
import { digits, orNone, quoted, wholeNumber, words, yesOrNo } from './read-arguments.ts'
import { readBytes } from './surroundings.ts'
import { keepToken, IssuedAnswer } from '../operations/tokens.ts'
import { printRow } from './show-rows.ts'

const describe = ({ settings, ...fields }: MerchantAnswer): Printed =>
  printFields({
    Id: fields.id,
    Name: fields.name,
    Mode: fields.mode,
    Status: fields.status,
    Created: printTime(fields.createdAt),
    'Return hosts': settings.returnHosts.join(', ') || 'none',
    'Frame hosts': settings.frameHosts.join(', ') || 'none',
    Accent: settings.accent ?? "the page's own",
    Support:
      [settings.supportEmail, settings.supportPhone, settings.supportLink, settings.supportMessenger]
        .filter((each) => each !== null)
        .join(', ') || 'none',
    'Open payments': settings.maxOpenPayments === null ? 'no limit' : `at most ${settings.maxOpenPayments}`,
    'Amounts held per user': settings.maxHeldPerUser === null ? 'no limit' : `at most ${settings.maxHeldPerUser}`,
    Debt: settings.maxDebt === null ? 'no limit' : `at most ${settings.maxDebt} USDT`,
    Requisites: settings.ownRequisitesOnly ? 'its own only' : 'its own, then shared ones',
  })

const describeProfile = ({ limits, terms, ...fields }: ProfileAnswer): Printed =>
  printSections(
    describe(fields),
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
      'TOLERANCE>': ([, each]) => each.toleranceMinor,
      MISMATCH: ([, each]) => each.mismatchPolicy,
    }),
  )

const settingInputs = {
  returnHosts: option('--return-hosts <hosts>', 'hosts that returnUrl may name, separated by commas', words),
  frameHosts: option(
    '--frame-hosts <hosts>',
    "hosts whose pages may frame the payer's page, separated by commas",
    words,
  ),
  accent: option(
    '--accent <colour>',
    "colour of buttons on the payer's page, such as #1a56c4, or none",
    orNone(String),
  ),
  supportEmail: option('--support-email <address>', 'e-mail address of its support, or none', orNone(String)),
  supportPhone: option(
    '--support-phone <number>',
    'phone of its support, such as +78005553535, or none',
    orNone((typed) => `+${digits(typed)}`),
  ),
  supportLink: option('--support-link <url>', 'page of its support, or none', orNone(String)),
  supportMessenger: option('--support-messenger <url>', 'link to a chat with its support, or none', orNone(String)),
  maxOpenPayments: option(
    '--max-open-payments <count>',
    'most payments open at the same time, or none',
    orNone(wholeNumber),
  ),
  maxHeldPerUser: option(
    '--max-held-per-user <count>',
    'most amounts that unpaid payments of one userId hold on accounts, or none',
    orNone(wholeNumber),
  ),
  maxDebt: option(
    '--max-debt <amount>',
    'largest debt in whole USDT with which it may create payments, or none',
    orNone(wholeNumber),
  ),
  ownRequisitesOnly: option(
    '--own-requisites-only <yes|no>',
    'whether its payers pay only to its own requisites, not to shared ones',
    yesOrNo,
  ),
} satisfies Inputs

const setStatus = (status: MerchantAnswer['status'], description: string) =>
  request('PATCH /merchants/{id}', {
    description,
    inputs: { id: merchant },
    body: () => ({ status }),
    print: (changed: MerchantAnswer) => `${changed.name} is ${changed.status}.`,
  })

const changes = {
  update: request('PATCH /merchants/{id}', {
    description: 'Change the name or the settings of a merchant.',
    inputs: { id: merchant, name: option('--name <name>', 'new name'), ...settingInputs },
    body: ({ name, ...given }) => ({ name, settings: someOf(given, settingInputs) }),
    print: describe,
  }),
  suspend: setStatus('suspended', 'Suspend a merchant: all of its requests are refused.'),
  activate: setStatus('active', 'Resume a suspended merchant.'),
  logo: request('PUT /merchants/{id}/logo', {
    description: "Set the logo that a merchant's payers see, or remove it.",
    inputs: { id: merchant, file: required('--file <path>', 'PNG, JPEG or WebP of at most 32 KiB, or none') },
    body: async ({ file }, { surroundings }) => ({
      image: file === 'none' ? null : (await readBytes(surroundings, file)).toString('base64'),
    }),
    print: ({ logo }: Logo) => (logo === null ? 'The logo is removed.' : `The logo is at ${logo}.`),
  }),
}

export const merchantCommands: Group = {
  description: 'Companies whose users pay through the service.',
  examples: [
    'payin merchants create --name "Demo Shop" --mode sandbox',
    'payin merchants show "Demo Shop"',
    'payin merchants update "Demo Shop" --return-hosts shop.example.com --max-open-payments 5000',
    'payin merchants update "Demo Shop" --support-email help@shop.example.com --support-messenger https://t.me/shop',
  ],
  commands: {
    create: request('POST /merchants', {
      description: 'Create a merchant.',
      inputs: {
        name: required('--name <name>', 'its name'),
        mode: required('--mode <mode>', 'live, or sandbox for simulated money'),
        tokenName: option(
          '--first-token <name>',
          'also issue its first token, with this name; it is shown only this once',
        ),
        ...settingInputs,
      },
      body: ({ name, mode, tokenName, ...given }) => ({
        name,
        mode,
        tokenName,
        settings: someOf(given, settingInputs),
      }),
      print: ({ name, issued }: CreatedAnswer) =>
        issued === undefined
          ? `Created ${name}. Its token: payin tokens issue ${quoted(name)} --name "shop server"`
          : printSections(`Created ${name}.`, printSections(printRow(IssuedAnswer, issued)), keepToken),
    }),
    list: list('GET /merchants', {
      description: 'List the merchants.',
      inputs: {
        name: option('--name <text>', 'only those whose names contain this'),
        mode: choice('--mode <mode>', 'only live or sandbox ones', merchantModes),
        status: choice('--status <status>', 'only these', merchantStatuses),
      },
      rows: (answer: { merchants: MerchantAnswer[] }) => answer.merchants,
      empty: 'No merchants yet. Create one: payin merchants create --name "Demo Shop" --mode sandbox',
      columns: {
        'NAME~': 'name',
        MODE: 'mode',
        STATUS: 'status',
        CREATED: ({ createdAt }) => printTime(createdAt),
        'ID#': 'id',
      },
    }),
    show: request('GET /merchants/{id}', {
      description: 'Show a merchant with the limits and terms in force.',
      inputs: { id: merchant },
      print: describeProfile,
    }),
    ...merchantLogCommands,
    ...changes,
  },
}
