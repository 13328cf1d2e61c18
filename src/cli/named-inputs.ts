import type { Command } from 'commander'
import type { NamedAnswer } from '../http/operator-api/search.ts'
import { howToName, namedThings, type NamedKind } from '../operations/named.ts'
import {
  argument,
  choice,
  flag,
  type Input,
  type Inputs,
  option,
  page,
  required,
  resolved,
  resolvedBy,
  several,
  type Values,
} from './inputs.ts'
import { resolveId, resolveName, type Within } from './resolve-name.ts'
import type { Session } from './session.ts'
import { listSorts } from '../rules/list-page.ts'
import { merchantModes } from '../rules/merchants/merchant.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { spanOfDay, type TypedDay } from '../rules/search/search-day.ts'
import { amountText, timeSpanOrDay } from './read-arguments.ts'

const resolvedAs =
  (kind: NamedKind) =>
  (session: Session, typed: string, before: Values): Promise<string> =>
    resolveId(
      session,
      kind,
      typed,
      namedThings[kind].of === 'merchant' ? { merchantId: before['merchantId'] as string } : {},
    )

/** An option that names something; its value is the id. A name that several merchants use is of the one given before. */
export const idOption = (flags: string, description: string, kind: NamedKind): Input<string | undefined> =>
  resolved(option(flags, description), resolvedAs(kind))

/** The same for an option that must be given. */
export const requiredId = (flags: string, description: string, kind: NamedKind): Input<string> =>
  resolved(required(flags, description), resolvedAs(kind))

/** An argument that names something; its value is the id. */
export const idArgument = (kind: NamedKind): Input<string> =>
  resolved(argument(`<${kind}>`, howToName(kind)), resolvedAs(kind))

/** The argument `<merchant>`, read as the id. */
export const merchant = idArgument('merchant')

/** The option `--merchant`, likewise. */
export const ofMerchant = (purpose = ''): Input<string | undefined> =>
  idOption('--merchant <merchant>', howToName('merchant') + purpose, 'merchant')

/** The option `--mode`, of reports. */
export const ofMode = choice('--mode <mode>', 'default: live', merchantModes)

/** The argument `<requisite>`, read as the id. */
export const requisiteArgument = idArgument('requisite')

/** The option `--requisite`, likewise. */
export const ofRequisite = (purpose: string): Input<string | undefined> =>
  idOption('--requisite <requisite>', howToName('requisite') + purpose, 'requisite')

const ifSeveral = ', if several have this name'

/** An argument that names something of a merchant. Several merchants may use one name; `--merchant` says which is meant. */
export const idArgumentOfMerchant = (kind: NamedKind): Input<string> => ({
  flag: `<${kind}>`,
  declare: (command) => {
    const typed = argument(`<${kind}>`, howToName(kind)).declare(command)
    const within = ofMerchant(ifSeveral).declare(command)
    return async (session, before) =>
      resolveId(session, kind, await typed(session, before), { merchantId: await within(session, before) })
  },
})

const ownedBy = (kind: NamedKind) => (namedThings[kind].of === 'requisite' ? 'requisiteId' : 'merchantId')

type Find = (session: Session, before: Values) => Promise<NamedAnswer | undefined>

/** Two inputs of one name: the owner and the id of what it names, under these names in the request. */
const keyInputs = <Owner extends string, Id extends string>(
  { kind, ownerName, idName }: Key<Owner, Id>,
  { flag: typedAs, declare }: { readonly flag: string; readonly declare: (command: Command) => Find },
): Record<Owner | Id, Input<string | undefined>> => {
  const found = new WeakMap<Session, NamedAnswer>()
  const owner: Input<string | undefined> = {
    flag: typedAs,
    declare: (command) => {
      const find = declare(command)
      return async (session, before) => {
        const answer = await find(session, before)
        if (answer === undefined) return undefined
        found.set(session, answer)
        return idIn(answer[ownedBy(kind)], kind)
      }
    },
  }
  const id: Input<string | undefined> = { flag: typedAs, declare: () => (session) => found.get(session)?.id }
  return { [ownerName]: owner, [idName]: id } as Record<Owner | Id, Input<string | undefined>>
}

/** The kind of what is named, and the names of its owner and id in the request. */
type Key<Owner extends string = string, Id extends string = string> = {
  readonly kind: NamedKind
  readonly ownerName: Owner
  readonly idName: Id
}

/** An argument that names something with its owner. An option names the owner, if several have something of this name. */
export const keyOf = <Owner extends string, Id extends string>(kind: NamedKind, ownerName: Owner, idName: Id) => {
  const word = `<${kind}>`
  const declare = (command: Command): Find => {
    const typed = argument(word, howToName(kind)).declare(command)
    const within = (ownedBy(kind) === 'requisiteId' ? ofRequisite : ofMerchant)(ifSeveral).declare(command)
    return async (session, before) => {
      const names = { [ownedBy(kind)]: await within(session, before) }
      return resolveName(session, kind, await typed(session, before), names)
    }
  }
  return keyInputs({ kind, ownerName, idName }, { flag: word, declare }) as Record<Owner | Id, Input<string>>
}

/** An option that does. */
export const keyOption = (flags: string, description: string, key: Key): Inputs => {
  const input: Input<string | undefined> = option(flags, description)
  const declare = (command: Command): Find => {
    const typed = input.declare(command)
    return async (session, before) => {
      const name = await typed(session, before)
      return name === undefined ? undefined : resolveName(session, key.kind, name)
    }
  }
  return keyInputs(key, { flag: input.flag ?? flags, declare })
}

const idIn = (id: string | undefined, kind: NamedKind): string => {
  if (id === undefined) throw new Error(`a ${kind} was resolved without its owner or id`)
  return id
}

/** `<payment>` as `merchantId` and, under the given name, its id. */
export const paymentAs = <Id extends string>(id: Id) => keyOf('payment', 'merchantId', id)

/** `<payment>` as `merchantId` and `id`. */
export const paymentKey = paymentAs('id')

/** `<dispute>` as `merchantId` and `id`. */
export const disputeKey = keyOf('dispute', 'merchantId', 'id')

/** `<endpoint>` as `merchantId` and `id`. */
export const endpointKey = keyOf('endpoint', 'merchantId', 'id')

/** `<transfer>` as `requisiteId` and `id`. */
export const transferKey = keyOf('transfer', 'requisiteId', 'id')

/** The key of the transfer that a bank reference or part of an id names. */
export const resolveTransfer = async (
  session: Session,
  typed: string,
  within: Within = {},
): Promise<{ readonly requisiteId: string; readonly id: string }> => {
  const { requisiteId, id } = await resolveName(session, 'transfer', typed, within)
  return { requisiteId: idIn(requisiteId, 'transfer'), id }
}

/** The same for several. */
export const resolveTransfers = (session: Session, typed: readonly string[]) =>
  Promise.all(typed.map((each) => resolveTransfer(session, each)))

/** The ids that an option or argument names. */
export const resolvedIds = (input: Input<string[] | undefined>, kind: NamedKind) =>
  resolvedBy(input, async (session, typed) => typed && Promise.all(typed.map((each) => resolveId(session, kind, each))))

/** The same for keys of what belongs to requisites. */
export const resolvedKeys = (input: Input<string[] | undefined>, kind: NamedKind) =>
  resolvedBy(input, async (session, typed) => {
    const named = await Promise.all((typed ?? []).map((each) => resolveName(session, kind, each)))
    return typed && named.map(({ requisiteId, id }) => ({ requisiteId, id }))
  })

/** An option that names transfers, and may be repeated. */
export const severalTransfers = (typedAs: string, description: string) =>
  resolvedKeys(option(`${typedAs} <transfer>`, `${description}; repeat for more`, several) as never, 'transfer')

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
const sortedPage = (sorts: readonly string[], usual: string) => ({
  sort: choice('--sort <sort>', `which come first; -amount: largest first, needs --currency; default: ${usual}`, sorts),
  count: flag('--count', 'also count the rows of all pages', 'true'),
  ...page,
})

/** Filters by time and amount. */
const timeAndAmount = (made: string) => ({
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
