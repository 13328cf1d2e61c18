import { paymentMethods } from '../domain/payment-method.ts'
import type { RecipientAnswer } from '../http/operator-api/recipient.ts'
import type { RequisiteAnswer } from '../http/operator-api/requisites.ts'
import { type Group, list, request } from './commands.ts'
import { explain } from './explain.ts'
import { importRequisites } from './import-requisites.ts'
import { argument, option, page, someOf } from './inputs.ts'
import { ofMerchant, requisiteArgument } from './named-inputs.ts'
import { printAccount, printFields } from './print-table.ts'
import { digits, manyOrOne, orNone } from './read-arguments.ts'
import { limitInputs, recipientInputs, scopeOf } from './requisite-inputs.ts'
import { requisiteHealthCommands } from './requisite-health.ts'
import { setStatuses } from './requisite-statuses.ts'

const label = option('--label <text>', 'what you call it')

const changes = {
  pause: setStatuses('paused', 'Hand requisites out no more, until they are resumed.'),
  resume: setStatuses('active', 'Hand paused requisites out again.'),
  retire: request({
    description: 'Take a requisite away for good.',
    request: 'PATCH /requisites/{id}',
    inputs: { id: requisiteArgument },
    body: () => ({ status: 'retired' }),
    print: (changed: RequisiteAnswer) => `${printAccount(changed)} is ${changed.status}.`,
  }),
  limit: request({
    description: 'Change the limits of a requisite.',
    request: 'PATCH /requisites/{id}',
    inputs: { id: requisiteArgument, ...limitInputs },
    body: (given) => ({ limits: someOf(given, limitInputs) }),
    print: () => 'The limits are set.',
  }),
  update: request({
    description:
      'Change who gets the money of a requisite, as banks and payers see it: only what is given; none removes it.',
    request: 'PATCH /requisites/{id}/recipient',
    inputs: {
      id: requisiteArgument,
      holder: option('--holder <name>', 'full name of the legal owner'),
      ...recipientInputs,
    },
    print: ({ holder, shownName, recipient = {} }: RecipientAnswer) =>
      printFields({ Holder: holder, 'Payers see': shownName, ...recipient }),
  }),
  label: request({
    description: 'Give a requisite a label, by which it is then shown and named.',
    request: 'PATCH /requisites/{id}',
    inputs: { id: requisiteArgument, label: argument('<label>', 'at most 60 characters, or none', orNone(String)) },
    print: (changed: RequisiteAnswer) =>
      `${changed.method} ${changed.bankIssuer} ${changed.number} is ${changed.label ?? 'without a label'}.`,
  }),
}

/** `payin requisites`. */
export const requisiteCommands: Group = {
  description: 'Receiving accounts, cards and phone numbers.',
  examples: [
    'payin requisites add --method sbp --currency rub --bank sberbank --holder "Ivan Petrov" --number 79991234567',
    'payin requisites add --file requisites.json      (JSON array; - reads it from standard input)',
    'payin requisites import accounts.csv --dry-run',
    'payin requisites update "Main account" --inn 1234567894 --kpp 770001001 --purpose "Order {order}, no VAT"',
    'payin requisites list --method sbp --status active',
    'payin requisites label "sberbank 4567" "Main phone"',
    'payin requisites pause "Main phone" "sberbank 4567"',
    'payin requisites health --mode live',
    'payin requisites explain "Demo Shop" --method sbp --currency rub --amount 5000.37',
  ],
  commands: {
    add: request({
      description:
        'Add one requisite by options, or many by --file, all or none: [{ method, currency, bankIssuer, holder, number, label?, transferScope?, merchantId?, recipient?, limits? }]. What is typed stays in the history of the shell; --file - does not.',
      request: 'POST /requisites',
      inputs: {
        file: option('--file <path>', 'JSON array of at most 1000 requisites; - for standard input'),
        method: option('--method <method>', paymentMethods.join(', ')),
        currency: option('--currency <currency>', 'code, such as rub'),
        bankIssuer: option('--bank <code>', 'code of its bank issuer'),
        holder: option('--holder <name>', 'full name of the legal owner; default: the family and the given name'),
        number: option('--number <digits>', 'card, account or phone number', digits),
        label,
        mode: option(
          '--mode <mode>',
          "live or sandbox: which merchants it serves; default: the owner's mode, else live",
        ),
        merchantId: ofMerchant(' that owns it; default: shared by all'),
        ...recipientInputs,
        ...limitInputs,
      },
      body: (
        { file, method, currency, bankIssuer, holder, number, label: named, mode, merchantId, ...given },
        { surroundings },
      ) =>
        manyOrOne(
          surroundings,
          'requisites',
          file,
          { method, currency, bank: bankIssuer, holder: holder ?? given.familyName, number },
          () => ({
            ...{ method, currency, bankIssuer, holder, number, label: named, mode, merchantId },
            transferScope: scopeOf(method),
            recipient: someOf(given, recipientInputs),
            limits: someOf(given, limitInputs),
          }),
        ),
      print: ({ ids }: { ids: string[] }, { method = '', bankIssuer = '', number, label: named }) =>
        ids.length > 1 || number === undefined
          ? `Added ${ids.length} requisites.`
          : `Added ${printAccount({ method, bankIssuer, number: `•${number.slice(-4)}`, ...(named && { label: named }) })}.`,
    }),
    list: list({
      description: 'List requisites; their numbers are masked.',
      request: 'GET /requisites',
      inputs: {
        mode: option('--mode <mode>', 'only live or only sandbox ones'),
        method: option('--method <method>', 'only this method'),
        currency: option('--currency <currency>', 'only this currency'),
        status: option('--status <status>', 'active, paused or retired'),
        ...page,
      },
      rows: (answer: { requisites: RequisiteAnswer[] }) => answer.requisites,
      empty: 'No such requisites. Add some: payin requisites add --help',
      columns: {
        'REQUISITE~': (row) => printAccount(row),
        STATUS: 'status',
        MODE: 'mode',
        CURRENCY: 'currency',
        'OWNER~': ({ merchantName, merchantId }) => merchantName ?? merchantId ?? 'shared',
        'HOLDER~': 'holder',
        'PAYERS SEE~': 'shownName',
        METHOD: 'method',
        BANK: 'bankIssuer',
        NUMBER: 'number',
        'ID#': 'id',
      },
    }),
    import: importRequisites,
    ...changes,
    ...requisiteHealthCommands,
    explain,
  },
}
