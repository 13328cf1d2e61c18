import type { Command } from 'commander'
import type { NamedAnswer } from '../http/operator-api/search.ts'
import { argument, type Input, option, resolved, choice, flag, page, resolvedBy } from './inputs.ts'
import { resolveId, resolveName, type Within } from './resolve-name.ts'
import type { Session } from './session.ts'
import { listSorts } from '../rules/list-page.ts'
import { merchantModes } from '../rules/merchants/merchant.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { spanOfDay, type TypedDay } from '../rules/search/search-day.ts'
import { amountText, timeSpanOrDay } from './read-arguments.ts'

const merchantDescription = 'name or id of the merchant'

/** The argument `<merchant>`, read as the id. */
export const merchant = resolved(argument('<merchant>', merchantDescription), (session, typed) =>
  resolveId(session, 'merchant', typed),
)

/** The option `--merchant`, likewise. */
export const ofMerchant = (purpose = ''): Input<string | undefined> =>
  resolved(option('--merchant <merchant>', merchantDescription + purpose), (session, typed) =>
    resolveId(session, 'merchant', typed),
  )

/** The option `--mode`, of reports. */
export const ofMode = choice('--mode <mode>', 'default: live', merchantModes)

const requisiteDescription = 'label, last digits or id of the requisite'

/** The argument `<requisite>`, read as the id. */
export const requisiteArgument = resolved(argument('<requisite>', requisiteDescription), (session, typed) =>
  resolveId(session, 'requisite', typed),
)

/** The option `--requisite`, likewise. */
export const ofRequisite = (purpose: string): Input<string | undefined> =>
  resolved(option('--requisite <requisite>', `${requisiteDescription}${purpose}`), (session, typed) =>
    resolveId(session, 'requisite', typed),
  )

/** An argument that names something without an owner; its value is the id. */
export const idArgument = (word: string, description: string, kind: NamedAnswer['kind']): Input<string> =>
  resolved(argument(word, description), (session, typed) => resolveId(session, kind, typed))

/** The same for something of a merchant. Several merchants may use one name; `--merchant` says which is meant. */
export const idArgumentOfMerchant = (word: string, description: string, kind: NamedAnswer['kind']): Input<string> => ({
  flag: word,
  declare: (command) => {
    const typed = argument(word, description).declare(command)
    const within = ofMerchant(', if several have this name').declare(command)
    return async (session) => resolveId(session, kind, await typed(session), { merchantId: await within(session) })
  },
})

/** An option that names something; its value is the id. */
export const idOption = (flags: string, description: string, kind: NamedAnswer['kind']): Input<string | undefined> =>
  resolved(option(flags, description), (session, typed) => resolveId(session, kind, typed))

/** How to name something whose key is its owner and its id. */
type Keyed<Owner extends string, Id extends string> = {
  readonly kind: NamedAnswer['kind']
  readonly flag: string
  readonly description: string
  /** The names of owner and id in the request. */
  readonly owner: Owner
  readonly id: Id
  readonly ownerOf: (named: NamedAnswer) => string | undefined
  /** The option that names the owner. */
  readonly within: Input<string | undefined>
  readonly withinName: 'merchantId' | 'requisiteId'
}

/** Two inputs from one argument: the owner and the id of what it names. */
const keyed = <Owner extends string, Id extends string>(named: Keyed<Owner, Id>): Record<Owner | Id, Input<string>> => {
  const finders = new WeakMap<Command, (session: Session) => Promise<NamedAnswer>>()
  const read = (pick: (found: NamedAnswer) => string | undefined) => (command: Command) => async (session: Session) => {
    const found = await finders.get(command)?.(session)
    const value = found && pick(found)
    if (value === undefined) throw new Error(`a ${named.kind} was resolved without its ${named.owner}`)
    return value
  }
  const declareName = (command: Command): void => {
    const typed = argument(named.flag, named.description).declare(command)
    const within = named.within.declare(command)
    let found: Promise<NamedAnswer> | undefined
    const find = async (session: Session): Promise<NamedAnswer> =>
      resolveName(session, named.kind, await typed(session), { [named.withinName]: await within(session) })
    finders.set(command, (session) => (found ??= find(session)))
  }
  const owner: Input<string> = {
    flag: named.flag,
    declare: (command) => {
      declareName(command)
      return read(named.ownerOf)(command)
    },
  }
  const id: Input<string> = { flag: named.flag, declare: read((found) => found.id) }
  return { [named.owner]: owner, [named.id]: id } as Record<Owner | Id, Input<string>>
}

const ofOneMerchant = (kind: NamedAnswer['kind'], description: string) => ({
  ...{ kind, flag: `<${kind}>`, description },
  owner: 'merchantId' as const,
  id: 'id' as const,
  ownerOf: ({ merchantId }: NamedAnswer) => merchantId,
  within: ofMerchant(', if several have this name'),
  withinName: 'merchantId' as const,
})

/** What people name as such a kind of thing of a merchant, as `merchantId` and `id`; `named` says by what. */
export const keyOf = (kind: NamedAnswer['kind'], named: string) => keyed(ofOneMerchant(kind, `${named} of the ${kind}`))

const ofOneRequisite = (kind: NamedAnswer['kind'], description: string) => ({
  ...{ kind, flag: `<${kind}>`, description },
  owner: 'requisiteId' as const,
  id: 'id' as const,
  ownerOf: ({ requisiteId }: NamedAnswer) => requisiteId,
  within: ofRequisite(', if several have this name'),
  withinName: 'requisiteId' as const,
})

/** `<payment>` as `merchantId` and, under the given name, its id. */
export const paymentAs = <Id extends string>(id: Id) =>
  keyed({ ...ofOneMerchant('payment', 'order or id of the payment'), id })

/** `<payment>` as `merchantId` and `id`. */
export const paymentKey = paymentAs('id')

/** `<dispute>` as `merchantId` and `id`. */
export const disputeKey = keyed(ofOneMerchant('dispute', 'order of the payment, or id of the dispute'))

/** `<endpoint>` as `merchantId` and `id`. */
export const endpointKey = keyed(ofOneMerchant('endpoint', 'address, host, description or id of the endpoint'))

/** `<adjustment>` as `book` and `id`. */
export const adjustmentKey = keyed({
  ...ofOneMerchant('adjustment', 'your reference or id of the adjustment'),
  owner: 'book',
})

/** `<transfer>` as `requisiteId` and `id`. */
export const transferKey = keyed(ofOneRequisite('transfer', 'bank reference or id of the transfer'))

/** `<outgoing>` as `requisiteId` and `id`. */
export const outgoingKey = keyed(ofOneRequisite('outgoing', 'bank reference or id of the outgoing transfer'))

/** `<reversal>` as `requisiteId` and `id`. */
export const reversalKey = keyed(ofOneRequisite('reversal', 'bank reference or id of the reversal'))

/** The key of the transfer that a bank reference or part of an id names. */
export const resolveTransfer = async (
  session: Session,
  typed: string,
  within: Within = {},
): Promise<{ readonly requisiteId: string; readonly id: string }> => {
  const { requisiteId, id } = await resolveName(session, 'transfer', typed, within)
  if (requisiteId === undefined) throw new Error('a transfer was resolved without its requisite')
  return { requisiteId, id }
}

/** The same for several. */
export const resolveTransfers = (session: Session, typed: readonly string[]) =>
  Promise.all(typed.map((each) => resolveTransfer(session, each)))

/** The instant that `timeSpanOrDay` has read; a day begins at midnight in the zone of the terminal. */
export const instantOf = async (session: Session, typed: string | number | TypedDay): Promise<string> => {
  if (typeof typed === 'string') return typed
  const now = Date.parse(await session.now())
  const at = typeof typed === 'number' ? new Date(now - typed) : spanOfDay(typed, new Date(now)).from
  return at.toISOString()
}

/** An option that takes a time, a day in words, or a span before now. */
export const timeOrAgo = (flags: string, description: string): Input<string | undefined> =>
  resolvedBy(
    option(flags, `${description}: a time, a day such as yesterday, or how long ago, such as 24h`, timeSpanOrDay),
    async (session, typed) => (typed === undefined ? undefined : instantOf(session, typed)),
  )

/** The options of a list that can be sorted and counted. */
export const sortedPage = (sorts: readonly string[], usual: string) => ({
  sort: choice('--sort <sort>', `which come first; -amount: largest first, needs --currency; default: ${usual}`, sorts),
  count: flag('--count', 'also count the rows of all pages', 'true'),
  ...page,
})

/** Filters by time and amount. */
export const timeAndAmount = (made: string) => ({
  from: timeOrAgo('--from <time>', `only those ${made} since then`),
  to: timeOrAgo('--to <time>', `only those ${made} before`),
  currency: option('--currency <currency>', 'only this currency'),
  amountFrom: option('--amount-from <amount>', 'only this amount or more; needs --currency', amountText),
  amountTo: option('--amount-to <amount>', 'only this amount or less; needs --currency', amountText),
})

/** The options of a list with the filters that payments and transfers share. */
export const filters = (made: string) => ({
  ...timeAndAmount(made),
  merchantId: ofMerchant(),
  requisiteId: ofRequisite(''),
  method: choice('--method <method>', 'only this payment method', paymentMethods),
  bank: option('--bank <code>', 'only requisites of this bank, such as sberbank'),
  ...sortedPage(listSorts, 'newest'),
})
