import type { ChangedStatuses } from '../http/operator-api/requisites.ts'
import { requisiteHealth } from '../operations/requisite-health.ts'
import { fieldsOf } from '../operations/field.ts'
import type { AccountName } from '../operations/operator-fields.ts'
import { limitOptions, NewRequisite, type RequisiteAnswer, requisites } from '../operations/requisites.ts'
import { Type } from '../operations/schema.ts'
import type { RevealedNumber } from '../http/operator-api/reveal.ts'
import { command, request } from './commands.ts'
import { argument, option, required, several } from './inputs.ts'
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
} from './print-table.ts'
import type { Forecast, Explanation } from '../http/operator-api/allocation.ts'
import { idArgument, merchant, resolvedId } from './named-inputs.ts'
import { exactNumber, digits, manyOrOne } from './read-arguments.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { paymentTypes } from '../rules/payments/payment.ts'
import { inputsOfFields } from './field-inputs.ts'
import { bodyOf, nounCommands } from './noun-commands.ts'
import { importRequisites, scopeOf } from './requisite-inputs.ts'

const severalRequisites = resolvedId(
  argument('<requisite...>', 'label, last digits or id of one or more requisites', several),
  'requisite',
)

/** A command that sets the status of one or more requisites; exits with 1 if one of several was refused. */
const setStatuses = (status: 'active' | 'paused', description: string) =>
  command({
    description,
    inputs: { requisites: severalRequisites, reason: option('--reason <reason>', 'why, for the audit') },
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

const forecastColumns = (currency: string): Columns<Forecast> => ({
  METHOD: 'method',
  BANK: 'bankIssuer',
  'AMOUNT>': ({ amount }) => printAmount(amount, currency),
  'FREE>': (row) => `${row.free} of ${row.requisites}`,
  'REFUSED~': ({ refused }) => printPairs(refused),
  'NEXT FREE': ({ nextFreeAt }) => printTime(nextFreeAt),
})

const severalAmounts = (typed: string, before: readonly object[] = []): readonly object[] => [
  ...before,
  exactNumber(typed),
]

const paymentType = option('--type <type>', `${paymentTypes.join(' or ')}; direct if omitted`)

const forecast = request('POST /requisites/forecast', {
  description: 'Show how many requisites could take amounts now, by method and bank. Changes nothing.',
  inputs: {
    merchantId: merchant,
    type: paymentType,
    currency: required('--currency <currency>', 'code, such as rub'),
    amounts: required('--amount <amount>', 'amount of a payment; repeat for more', severalAmounts),
    method: option('--method <method>', 'only this method'),
  },
  print: (answer: { forecast: Forecast[] }, { currency }) =>
    answer.forecast.length === 0
      ? 'No requisites serve this merchant.'
      : printRows(answer.forecast, forecastColumns(currency)),
})

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
    bankIssuer: option('--bank <bank>', 'bank issuer that the payer asks for'),
  },
  print: describeExplanation,
})

const changes = {
  pause: setStatuses('paused', 'Pause requisites: they get no new payments until resumed.'),
  resume: setStatuses('active', 'Resume paused requisites.'),
  reveal: request('POST /requisites/{id}/reveal', {
    description: 'Show the whole number of a requisite. The audit records who saw it and why.',
    inputs: { id: idArgument('requisite'), reason: required('--reason <reason>', 'why') },
    print: ({ number }: RevealedNumber) => number,
  }),
}

const newRequisite = inputsOfFields(Type.Partial(NewRequisite), {
  options: { ...limitOptions, bankIssuer: '--bank' },
  fixed: { transferScope: undefined },
})

const operations = { ...requisites.operations, ...requisiteHealth.operations }

export const requisiteCommands = nounCommands(
  { ...requisites, operations },
  {
    add: request('POST /requisites', {
      description:
        "Add one requisite with options, or many with --file, all or none: [{ method, currency, bankIssuer, holder, number, label?, transferScope?, merchantId?, recipient?, limits? }]. The shell's history keeps what you type; --file - avoids that.",
      inputs: {
        file: option('--file <path>', 'JSON array of at most 1000 requisites; - for standard input'),
        ...newRequisite,
      },
      body: ({ file, ...given }: Readonly<Record<string, unknown>>, { surroundings }) => {
        const { method, currency, bankIssuer: bank, holder = given['familyName'], number } = given
        const needed = { method, currency, bank, holder, number }
        return manyOrOne(surroundings, 'requisites', file as string | undefined, needed, () => ({
          ...bodyOf(fieldsOf(NewRequisite), given),
          number: digits(number as string),
          transferScope: scopeOf(String(method)),
        }))
      },
      print: ({ ids }: { ids: string[] }, { number, ...given }: Readonly<Record<string, unknown>>) =>
        ids.length > 1 || number === undefined
          ? `Added ${ids.length} requisites.`
          : `Added ${printAccount({ ...(given as AccountName), number: `•${(number as string).slice(-4)}` })}.`,
    }),
    import: importRequisites,
    ...changes,
    forecast,
    explain,
  },
)
