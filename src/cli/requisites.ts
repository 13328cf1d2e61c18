import type { ChangedStatuses, RequisiteAnswer } from '../http/operator-api/requisites.ts'
import type { RevealedNumber } from '../http/operator-api/reveal.ts'
import { command, list, request, type Group } from './commands.ts'
import { argument, option, resolvedBy, flag, required, page, someOf, several } from './inputs.ts'
import {
  printAccount,
  printList,
  type Columns,
  printAmount,
  printPairs,
  printRows,
  printTime,
  type Printed,
  printSections,
  printTable,
  printFields,
} from './print-table.ts'
import { resolveId } from './resolve-name.ts'
import type { Forecast, Explanation } from '../http/operator-api/allocation.ts'
import type { HealthAnswer, PauseAnswer } from '../http/operator-api/requisite-health.ts'
import { merchant, ofMerchant, requisiteArgument } from './named-inputs.ts'
import { exactNumber, digits, manyOrOne, orNone } from './read-arguments.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { paymentTypes } from '../rules/payments/payment.ts'
import type { RecipientAnswer } from '../http/operator-api/recipient.ts'
import { importRequisites, limitInputs, recipientInputs, scopeOf } from './requisite-inputs.ts'

const severalRequisites = resolvedBy(
  argument('<requisite...>', 'label, last digits or id of one or more requisites', several),
  async (session, typed) => Promise.all(typed.map((each) => resolveId(session, 'requisite', each))),
)

/** A command that sets the status of one or more requisites; exits with 1 if one of several was refused. */
const setStatuses = (status: 'active' | 'paused', description: string) =>
  command({
    description,
    inputs: { requisites: severalRequisites, reason: option('--reason <text>', 'why, for the audit') },
    run: async (session, { requisites: ids, reason }) => {
      const [id, ...others] = ids
      if (others.length === 0) {
        const answer = await session.call<RequisiteAnswer>(
          'PATCH /requisites/{id}',
          { id },
          { body: { status, reason } },
        )
        session.show(answer, (changed) => `${printAccount(changed)} is ${changed.status}.`)
        return
      }
      const answer = await session.call<ChangedStatuses>('POST /requisites/statuses', {
        requisites: ids,
        status,
        reason,
      })
      session.show(answer, (changed) =>
        printList(changed.requisites, {
          'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
          STATE: ({ state }) => (state === 'done' ? status : state),
          'WHY~': 'message',
        }),
      )
      if (answer.body.requisites.some(({ state }) => state === 'refused')) session.fail()
    },
  })

const printRate = ({ paid, payments, successRate }: HealthAnswer['lastDay']): string =>
  `${paid}/${payments}${successRate === undefined ? '' : ` (${(successRate * 100).toFixed(0)} %)`}`

const printTurnover = (used: number, limit: number | null): string => `${used}${limit === null ? '' : ` of ${limit}`}`

const forecastColumns = (currency: string): Columns<Forecast> => ({
  METHOD: 'method',
  BANK: 'bankIssuer',
  'AMOUNT>': ({ amount }) => printAmount(amount, currency),
  'FREE>': ({ free, requisites }) => `${free} of ${requisites}`,
  'REFUSED~': ({ refused }) => printPairs(refused),
  'NEXT FREE': ({ nextFreeAt }) => printTime(nextFreeAt),
})

const severalAmounts = (typed: string, before: readonly object[] = []): readonly object[] => [
  ...before,
  exactNumber(typed),
]

const paymentType = option('--type <type>', `${paymentTypes.join(' or ')}; direct if omitted`)

/** `payin requisites health`, `pauses` and `forecast`. */
const requisiteHealthCommands = {
  health: list('GET /requisites/health', {
    description: 'Show the health of requisites: turnover against limits, paid payments, runs of failures.',
    inputs: {
      mode: option('--mode <mode>', 'only live or sandbox ones'),
      method: option('--method <method>', 'only this method'),
      currency: option('--currency <currency>', 'only this currency'),
      status: option('--status <status>', 'active or paused'),
      ...page,
    },
    rows: (answer: { requisites: HealthAnswer[] }) => answer.requisites,
    empty: 'No such requisites. Add some: payin requisites add --help',
    notes: () => 'RUN: consecutive payments that expired, and consecutive transfers that matched nothing.',
    columns: {
      'REQUISITE~': (row) => printAccount(row),
      'STATUS~': ({ status, pause, creditingHeld }) =>
        [pause === undefined ? status : `paused: ${pause.cause}`, ...(creditingHeld ? ['crediting held'] : [])].join(
          ', ',
        ),
      'PAID 24 H>': ({ lastDay }) => printRate(lastDay),
      'RUN>': ({ expiredRun, unmatchedRun }) => `${expiredRun} / ${unmatchedRun}`,
      'DAY>': ({ turnover, limits }) => printTurnover(turnover.dayAmount, limits.dayAmount),
      'MONTH>': ({ turnover, limits }) => printTurnover(turnover.monthAmount, limits.monthAmount),
      'OPEN>': ({ turnover }) => turnover.open,
      'PAID 7 D>': ({ lastWeek }) => printRate(lastWeek),
      'LAST MONEY': ({ lastMoneyAt }) => printTime(lastMoneyAt),
      'ID#': 'id',
    },
  }),
  pauses: list('GET /requisites/pauses', {
    description: 'List automatic pauses, newest first; payin requisites resume ends one.',
    inputs: { open: flag('--open', 'only current ones', 'true'), ...page },
    rows: (answer: { pauses: PauseAnswer[] }) => answer.pauses,
    empty: 'No automatic pauses. To set when to pause: payin requisites limit <requisite> --pause-after <count>',
    columns: {
      'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
      CAUSE: 'cause',
      AT: ({ pausedAt }) => printTime(pausedAt),
      'STATE~': ({ endedAt }) => (endedAt === undefined ? 'lasts' : `ended ${printTime(endedAt)}`),
      'RUN>': 'run',
      'ID#': 'requisiteId',
    },
  }),
  forecast: request('POST /requisites/forecast', {
    description: 'Show how many requisites could take amounts now, by method and bank. Changes nothing.',
    inputs: {
      merchantId: merchant,
      type: paymentType,
      currency: required('--currency <currency>', 'code, such as rub'),
      amounts: required('--amount <amount>', 'amount of a payment; repeat for more', severalAmounts),
      method: option('--method <method>', 'only this method'),
    },
    print: ({ forecast }: { forecast: Forecast[] }, { currency }) =>
      forecast.length === 0 ? 'No requisites serve this merchant.' : printRows(forecast, forecastColumns(currency)),
  }),
}

const describeExplanation = ({ chosenId, counts, verdicts }: Explanation): Printed => {
  // The counts include those of another mode, method or currency.
  const relevant = verdicts.filter(({ refused = '' }) => !refused.startsWith('other-'))
  const reasons = Object.entries(counts).toSorted((a, b) => b[1] - a[1])
  return printSections(
    chosenId === undefined
      ? 'No requisite is free for this payment.'
      : `This payment would get ${printAccount(verdicts.find(({ requisiteId }) => requisiteId === chosenId)?.requisite, chosenId)}.`,
    reasons.length > 0 ? printTable(['VERDICT', 'REQUISITES>'], reasons) : undefined,
    relevant.length > 0
      ? printRows(relevant, {
          'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
          VERDICT: ({ requisiteId, refused }) => (requisiteId === chosenId ? 'CHOSEN' : (refused ?? 'free')),
          'HELD BY>': ({ held }) => (held ? `${held.payments}${held.shared ? ' (shared)' : ''}` : ''),
          UNTIL: ({ held }) => printTime(held?.until),
          OPEN: ({ hasOpenPayment }) => (hasOpenPayment ? 'yes' : 'no'),
          'ROOM>': ({ room }) => `${room}/10`,
          'ID#': 'requisiteId',
        })
      : undefined,
  )
}

const explain = request('POST /requisites/explain', {
  description: 'Show which requisite a payment would get now, and why not the others. Changes nothing.',
  inputs: {
    merchantId: merchant,
    type: paymentType,
    method: required('--method <method>', paymentMethods.join(', ')),
    currency: required('--currency <currency>', 'code, such as rub'),
    amount: required('--amount <amount>', 'amount of the payment', exactNumber),
    bankIssuer: option('--bank <code>', 'bank issuer that the payer asks for'),
  },
  print: describeExplanation,
})

const label = option('--label <text>', 'your name for it')

const setCrediting = (crediting: 'automatic' | 'held', description: string) =>
  request('PATCH /requisites/{id}', {
    description,
    inputs: { id: requisiteArgument, reason: option('--reason <text>', 'why, for the audit') },
    body: ({ reason }) => ({ crediting, reason }),
    print: (changed: RequisiteAnswer) =>
      `${printAccount(changed)}: its money is credited ${crediting === 'held' ? 'by persons only' : 'automatically'}.`,
  })

const changes = {
  pause: setStatuses('paused', 'Pause requisites: they get no new payments until resumed.'),
  resume: setStatuses('active', 'Resume paused requisites.'),
  hold: setCrediting('held', 'Hold automatic crediting: money on a requisite waits for a person.'),
  'resume-crediting': setCrediting('automatic', 'Credit the money on a requisite automatically again.'),
  retire: request('PATCH /requisites/{id}', {
    description: 'Retire a requisite permanently.',
    inputs: { id: requisiteArgument },
    body: () => ({ status: 'retired' }),
    print: (changed: RequisiteAnswer) => `${printAccount(changed)} is ${changed.status}.`,
  }),
  limit: request('PATCH /requisites/{id}', {
    description: 'Change the limits of a requisite.',
    inputs: { id: requisiteArgument, ...limitInputs },
    body: (given) => ({ limits: someOf(given, limitInputs) }),
    print: () => 'The limits are set.',
  }),
  update: request('PATCH /requisites/{id}/recipient', {
    description:
      'Change who gets the money of a requisite, as banks and payers see it; omitted options do not change, none removes a value.',
    inputs: {
      id: requisiteArgument,
      holder: option('--holder <name>', 'full name of the legal owner'),
      ...recipientInputs,
    },
    print: ({ holder, shownName, recipient = {} }: RecipientAnswer) =>
      printFields({ Holder: holder, 'Payers see': shownName, ...recipient }),
  }),
  reveal: request('POST /requisites/{id}/reveal', {
    description: 'Show the whole number of a requisite. The audit records who saw it and why.',
    inputs: { id: requisiteArgument, reason: required('--reason <text>', 'why') },
    print: ({ number }: RevealedNumber) => number,
  }),
  label: request('PATCH /requisites/{id}', {
    description: 'Give a requisite a label, which is then its name everywhere.',
    inputs: { id: requisiteArgument, label: argument('<label>', 'at most 60 characters, or none', orNone(String)) },
    print: (changed: RequisiteAnswer) =>
      `${changed.method} ${changed.bankIssuer} ${changed.number} is ${changed.label ?? 'without a label'}.`,
  }),
}

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
    'payin requisites reveal "Main phone" --reason "the bank asks for it"',
    'payin requisites health --mode live',
    'payin requisites explain "Demo Shop" --method sbp --currency rub --amount 5000.37',
  ],
  commands: {
    add: request('POST /requisites', {
      description:
        "Add one requisite with options, or many with --file, all or none: [{ method, currency, bankIssuer, holder, number, label?, transferScope?, merchantId?, recipient?, limits? }]. The shell's history keeps what you type; --file - avoids that.",
      inputs: {
        file: option('--file <path>', 'JSON array of at most 1000 requisites; - for standard input'),
        method: option('--method <method>', paymentMethods.join(', ')),
        currency: option('--currency <currency>', 'code, such as rub'),
        bankIssuer: option('--bank <code>', 'code of its bank issuer'),
        holder: option('--holder <name>', 'full name of the legal owner; default: family and given name'),
        number: option('--number <digits>', 'card, account or phone number', digits),
        label,
        mode: option('--mode <mode>', "live or sandbox merchants that it serves; default: the owner's mode, else live"),
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
    list: list('GET /requisites', {
      description: 'List requisites; their numbers are masked.',
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
